"""The places that the user has allowed by name, each for one purpose (SPEC 41.3).

Each line of `cuecard/allowed-hosts` in the user's configuration folder is `PLACE PURPOSE [MODEL]`. A line of an earlier
version has only a host with its port, unless that was 443. The user's consent had neither scheme nor purpose then.
"""

import os
from pathlib import Path

from ..._backend import endpoint_place
from ...basics.light_dataclass import dataclass
from ...files.user_folder import config_path
from .place import is_loopback

FILE = "allowed-hosts"
MAX_BYTES = 1 << 16
EMBEDDING, JUDGE, BACKGROUND = "embedding", "judge", "background"
PURPOSES = (EMBEDDING, JUDGE, BACKGROUND)
# What `cuecard allow PLACE` is for: settings of a repository cannot name an endpoint for anything else.
USUAL = (EMBEDDING, JUDGE)
MAX_MODEL_CHARS = 200


@dataclass(frozen=True)
class AllowedPlace:
    """A place that the user allows for one purpose, and the model that is asked there ("" for the provider's default).

    The model counts where the user's own configuration names none. `is_old` says that the line has no purpose.
    """

    place: str
    purpose: str
    model: str = ""
    is_old: bool = False

    def line(self) -> str:
        """The line of the file, without its line feed."""
        return " ".join([part for part in (self.place, self.purpose, self.model) if part])


def allowed_places() -> list[AllowedPlace]:
    """The places in the user's file, in the order of its lines; empty if the file cannot be read."""
    try:
        with open(file_of_places(), "rb") as file:
            text = file.read(MAX_BYTES + 1).decode("utf-8", "replace")
    except OSError:
        return []
    found: dict[tuple[str, str], AllowedPlace] = {}
    for line in text.split("\n"):
        for allowed in _read_line(line):
            found.setdefault((allowed.place, allowed.purpose), allowed)
    return [*found.values()]


def allowed_model(url: str, purpose: str) -> str:
    """The model that the user has named for a place and a purpose; "" if there is none."""
    place = endpoint_place(url)
    return next((one.model for one in allowed_places() if (one.place, one.purpose) == (place, purpose)), "")


def file_of_places() -> Path:
    """The path of the file with the allowed places."""
    return Path(config_path() or os.devnull, FILE)


def place_named(text: str) -> str | None:
    """The place in a text: a URL, or a host with or without a port; None for any other text.

    Without a scheme, `http` is meant for port 80 and for this machine with a port other than 443; otherwise `https`.
    """
    text = text.strip(" \t\n\r\f")
    if "://" in text:
        return endpoint_place(text)
    secure = endpoint_place(f"https://{text}")
    if secure is None:
        return None
    # Port 443 is left out of the place.
    port = secure.rpartition("]")[2].removeprefix("https://").partition(":")[2]
    is_plain = port == "80" or (bool(port) and is_loopback(secure))
    return endpoint_place(f"http://{text}") if is_plain else secure


def is_model(name: str) -> bool:
    """Whether a text can name a model in a line of the file."""
    return 0 < len(name) <= MAX_MODEL_CHARS and all("!" <= char <= "~" and char != "#" for char in name)


def _read_line(line: str) -> list[AllowedPlace]:
    for blank in "\t\r\f":
        line = line.replace(blank, " ")
    words = [word for word in line.partition("#")[0].split(" ") if word]
    place = place_named(words[0]) if words else None
    if place is None:
        return []
    if len(words) == 1:
        return [AllowedPlace(place, purpose, is_old=True) for purpose in PURPOSES]
    model = words[2] if len(words) > 2 and is_model(words[2]) else ""
    return [AllowedPlace(place, words[1], model)] if words[1] in PURPOSES else []
