"""Where a URL of the settings leads to: its host, its route, and whether that is this machine (SPEC 48.1)."""

from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from ..errors import ModelError


def host_of(url: str) -> str:
    """Host and port of a URL, as they may be shown. Raises ModelError for a URL that cannot be asked."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, None
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if parts is None or not host or parts.scheme not in ("http", "https") or not is_plain:
        raise ModelError("a URL of the settings is none", "name one such as `http://localhost:11434`")
    if parts.username is not None or parts.password is not None:
        raise ModelError("a URL of the settings holds a name or a password", "keys stand in the environment alone")
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{port}" if port is not None else shown


def is_loopback(url: str) -> bool:
    """Whether what is sent to a URL, or to a host with or without a port, stays on this machine."""
    try:
        host = urlsplit(url if "://" in url else f"//{url}").hostname or ""
    except ValueError:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback


def join_route(base: str, route: str) -> str:
    """The URL of a route such as `/v1/embeddings` at a base, which may have the `/v1`, or all of the route, itself."""
    base = base.rstrip("/")
    if base.endswith(route):
        return base
    version = route[: route.find("/", 1)]
    return base + route.removeprefix(version) if base.endswith(version) else base + route
