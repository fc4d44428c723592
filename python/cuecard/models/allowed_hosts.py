"""The hosts that the user lets be asked: settings can come with a repository, this word is the user's own (SPEC 48.3).

One host, with its port if the URL has one, a line in `cuecard/allowed-hosts` of the user's folder for configurations;
more may stand in `CUECARD_ALLOW_HOSTS`, parted by commas. This machine needs no word.
"""

import os
from pathlib import Path

from ..errors import ModelError, UsageError
from ..store.atomic import replace
from .place import host_of, is_loopback

VARIABLE = "CUECARD_ALLOW_HOSTS"
MAX_BYTES = 1 << 16


def allowed_hosts() -> list[str]:
    """The hosts of the file, in its order; none where there is no such file."""
    try:
        text = file_of_hosts().read_bytes()[:MAX_BYTES].decode("utf-8", "replace")
    except (OSError, RuntimeError):  # the latter where the user has no home folder
        return []
    hosts = [line.partition("#")[0].strip().lower() for line in text.splitlines()]
    return list(dict.fromkeys([host for host in hosts if host]))


def check_allowed(url: str) -> None:
    """Raise ModelError for a URL that leads off this machine to a host that the user has not named."""
    host = host_of(url).lower()
    if is_loopback(url) or host in allowed_hosts() or host in _hosts_of_environment():
        return
    raise ModelError(
        f"`{host}` is none of the hosts that you allow",
        f"`cuecard allow {host}`, if what it is told may leave the machine",
    )


def allow(named: str) -> bool:
    """Add a host, or that of a URL; False where it stands there. Raises UsageError for what is none, OSError."""
    host, hosts = read_host(named), allowed_hosts()
    if host in hosts:
        return False
    _write([*hosts, host])
    return True


def forbid(named: str) -> bool:
    """Take a host away; False where it is not there. Raises UsageError for what is none, OSError."""
    host, hosts = read_host(named), allowed_hosts()
    if host not in hosts:
        return False
    _write([other for other in hosts if other != host])
    return True


def read_host(named: str) -> str:
    """The host, with its port, of a URL or of itself. Raises UsageError."""
    try:
        return host_of(named if "://" in named else f"https://{named}").lower()
    except ModelError:
        raise UsageError(
            f"`{named[:100]}` is no host", "name one such as `api.anthropic.com`, with a port where the URL has one"
        ) from None


def file_of_hosts() -> Path:
    """Where the hosts stand."""
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder, "cuecard", "allowed-hosts")


def _hosts_of_environment() -> list[str]:
    return [host.strip().lower() for host in os.environ.get(VARIABLE, "").split(",")]


def _write(hosts: list[str]) -> None:
    """Replace the file whole."""
    file = file_of_hosts()
    file.parent.mkdir(parents=True, exist_ok=True)
    replace(str(file), "".join([f"{host}\n" for host in hosts]).encode())
