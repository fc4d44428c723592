"""The places to which the user allows requests, each for one purpose (SPEC 41.3).

Settings can come from a repository, but this permission cannot.

The file `allowed-hosts` has the places that the user has allowed by name. `CUECARD_ALLOW_HOSTS` may list more,
separated by commas, if the user's settings let variables count. The embedder and the judge of the user's own
configuration are allowed as well, each for its purpose. This machine needs permission like any other: its servers may
belong to somebody else.
"""

import os
from collections.abc import Sequence

from ..._backend import endpoint_place, engine, read_user_settings
from ...errors import ModelError, UsageError
from ...files.atomic import replace
from ...files.environment import lets_variables_count
from .allowed_places import (
    EMBEDDING,
    JUDGE,
    PURPOSES,
    USUAL,
    AllowedPlace,
    allowed_places,
    file_of_places,
    is_model,
    place_named,
)
from .place import place_of

VARIABLE = "CUECARD_ALLOW_HOSTS"


def is_allowed(url: str, purpose: str) -> bool:
    """Whether the user allows the place of a URL for a purpose, one of `PURPOSES`."""
    place = endpoint_place(url)
    return place is not None and (
        place in _places_of_environment()
        or place == _own_place(purpose)
        or any((one.place, one.purpose) == (place, purpose) for one in allowed_places())
    )


def check_allowed(url: str, purpose: str) -> None:
    """Raise ModelError for a URL whose place the user has not allowed for a purpose."""
    place = place_of(url)
    if is_allowed(url, purpose):
        return
    raise ModelError(
        f"`{place}` is not among the places that you allow for the purpose `{purpose}`",
        f"`cuecard allow {place} --for {purpose}` permits it",
    )


def allow(named: str, purposes: Sequence[str] = USUAL, model: str = "") -> bool:
    """Allow a place for some purposes; returns False if the file has all of that already.

    `named` is a URL, or a host with or without a port. `model` is asked there where the user's own configuration names
    no model. Raises UsageError for an invalid place, purpose or model, OSError.
    """
    place = read_place(named)
    if model and not is_model(model):
        raise UsageError(f"`{model[:100]}` is not the name of a model", "name one without blanks, such as `all-minilm`")
    known = {(one.place, one.purpose): one for one in allowed_places()}
    before = dict(known)
    for purpose in purposes:
        _check_purpose(purpose)
        old = known.get((place, purpose))
        known[place, purpose] = AllowedPlace(place, purpose, model or (old.model if old else ""))
    if known == before:
        return False
    _write(list(known.values()))
    return True


def forbid(named: str, purposes: Sequence[str] = PURPOSES) -> bool:
    """Withdraw the consent to a place for some purposes; returns False if the file has none of it.

    Raises UsageError for an invalid place or purpose, OSError.
    """
    place, known = read_place(named), allowed_places()
    for purpose in purposes:
        _check_purpose(purpose)
    left = [one for one in known if one.place != place or one.purpose not in purposes]
    if left == known:
        return False
    _write(left)
    return True


def read_place(named: str) -> str:
    """The place in `named`, which is a host or a URL. Raises UsageError for any other text."""
    place = place_named(named)
    if place is None:
        raise UsageError(
            f"`{named[:100]}` is not a host",
            "name one such as `https://api.anthropic.com`, with a port where the URL has one",
        )
    return place


def _check_purpose(purpose: str) -> None:
    if purpose not in PURPOSES:
        names = ", ".join([f"`{name}`" for name in PURPOSES])
        raise UsageError(f"`{purpose[:100]}` is not a purpose", f"use {names}")


def _places_of_environment() -> list[str | None]:
    named = os.environ.get(VARIABLE, "")
    # The variable can come from a repository.
    return [place_named(host) for host in named.split(",")] if named and lets_variables_count() else []


def _own_place(purpose: str) -> str | None:
    """The place that the user's own configuration asks for a purpose; None if there is none."""
    own = read_user_settings()
    if own is None:
        return None
    settings = engine.read_settings(own, None)
    if purpose == EMBEDDING:
        return settings.user_embedding_place
    # A background run sends whole sessions, so it needs a consent of its own beside the configuration.
    return settings.user_judge_place if purpose == JUDGE else None


def _write(places: list[AllowedPlace]) -> None:
    """Replace the file of allowed places."""
    file = file_of_places()
    file.parent.mkdir(parents=True, exist_ok=True)
    replace(str(file), "".join([f"{one.line()}\n" for one in places]).encode())
