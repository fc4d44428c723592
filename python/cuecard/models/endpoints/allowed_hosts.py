"""The network hosts to which the user allows requests (SPEC 48.3).

Settings can come from a repository, but this permission cannot.

Each line of `cuecard/allowed-hosts` in the user's configuration folder is a host, with its port unless that is 443.
`CUECARD_ALLOW_HOSTS` may list more, separated by commas, if the user's settings let variables count. Hosts that the
user's own configuration names are allowed as well. This machine needs permission like any other: its servers may belong
to somebody else.
"""

import os
from pathlib import Path

from ..._backend import engine
from ...configuration.place import host_of
from ...configuration.settings_files import read_user_settings
from ...errors import ModelError, UsageError
from ...files.atomic import replace
from ...files.environment import lets_variables_count
from ...files.user_folder import config_path
from ...settings.endpoint_place import endpoint_place

VARIABLE = "CUECARD_ALLOW_HOSTS"
FILE = "allowed-hosts"
MAX_BYTES = 1 << 16


def allowed_hosts() -> list[str]:
    """The hosts in the file `allowed-hosts`, in the order of its lines; empty if the file cannot be read."""
    path = file_of_hosts()
    try:
        with open(path, "rb") as file:
            text = file.read(MAX_BYTES + 1).decode("utf-8", "replace")
    except OSError:
        return []
    hosts = [_place_named(line.partition("#")[0]) for line in text.splitlines()]
    return list(dict.fromkeys([host for host in hosts if host]))


def is_allowed(url: str) -> bool:
    """Whether the user allows the host of a URL."""
    place = endpoint_place(url)
    return place is not None and (
        place in _places_of_environment() or place in _own_places() or place in allowed_hosts()
    )


def check_allowed(url: str) -> None:
    """Raise ModelError for a URL whose host the user has not allowed."""
    place = host_of(url)
    if is_allowed(url):
        return
    raise ModelError(f"`{place}` is not among the hosts that you allow", f"`cuecard allow {place}` permits it")


def allow(named: str) -> bool:
    """Add a host, or the host of a URL, to the file `allowed-hosts`; returns False if the file has it already.

    Raises UsageError for an invalid host or URL, OSError.
    """
    host, hosts = read_host(named), allowed_hosts()
    if host in hosts:
        return False
    _write([*hosts, host])
    return True


def forbid(named: str) -> bool:
    """Remove a host, or the host of a URL, from the file `allowed-hosts`; returns False if the file does not have it.

    Raises UsageError for an invalid host or URL, OSError.
    """
    host, hosts = read_host(named), allowed_hosts()
    if host not in hosts:
        return False
    _write([other for other in hosts if other != host])
    return True


def read_host(named: str) -> str:
    """The host and port in `named`, which is a host or a URL. Raises UsageError for any other text."""
    place = _place_named(named)
    if place is None:
        raise UsageError(
            f"`{named[:100]}` is not a host", "name one such as `api.anthropic.com`, with a port where the URL has one"
        )
    return place


def file_of_hosts() -> Path:
    """The path of the file with the allowed hosts."""
    return Path(config_path() or os.devnull, FILE)


def _place_named(text: str) -> str | None:
    """The host and port in a text, which may be a URL; None if it is invalid."""
    text = text.strip()
    return endpoint_place(text if "://" in text else f"https://{text}")


def _places_of_environment() -> list[str | None]:
    named = os.environ.get(VARIABLE, "")
    # The variable can come from a repository.
    return [_place_named(host) for host in named.split(",")] if named and lets_variables_count() else []


def _own_places() -> list[str | None]:
    """The hosts that the user's own configuration names."""
    own = read_user_settings()
    return [] if own is None else [*engine.read_settings(own, None).user_places]


def _write(hosts: list[str]) -> None:
    """Replace the file of allowed hosts."""
    file = file_of_hosts()
    file.parent.mkdir(parents=True, exist_ok=True)
    replace(str(file), "".join([f"{host}\n" for host in hosts]).encode())
