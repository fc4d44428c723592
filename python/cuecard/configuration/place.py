"""Where a URL of the settings leads to: its place, its route, and whether that is this machine (SPEC 48.1)."""

from ..errors import ModelError
from ..settings.endpoint_place import endpoint_parts, endpoint_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

LOCAL_NAME = "localhost"


def host_of(url: str) -> str:
    """Host and port of a URL, as the user consents to them. Raises ModelError for a URL that cannot be asked."""
    place = endpoint_place(url)
    if place is not None:
        return place
    if "@" in url:
        raise ModelError("a URL of the settings holds a name or a password", "keys stand in the environment alone")
    raise ModelError("a URL in the settings is not valid", "name one such as `http://localhost:11434`")


def is_loopback(url: str) -> bool:
    """Whether what is sent to a URL, or to a host with or without a port, stays on this machine.

    The only such name is `localhost`: the owner of another name decides what it stands for.
    """
    parts = endpoint_parts(url if "://" in url else f"https://{url}")
    if parts is None:
        return False
    host = parts[1]
    address = address_of(host)
    return host == LOCAL_NAME or (address is not None and address.is_loopback)


def address_of(host: str) -> "IPv4Address | IPv6Address | None":
    """The address that a host is, one of IPv4 within IPv6 as the former; None for a name."""
    from ipaddress import IPv6Address, ip_address

    try:
        address = ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def join_route(base: str, route: str) -> str:
    """The URL of a route such as `/v1/embeddings` at a base, which may have the `/v1`, or all of the route, itself."""
    base = base.rstrip("/")
    if base.endswith(route):
        return base
    version = route[: route.find("/", 1)]
    return base + route.removeprefix(version) if base.endswith(version) else base + route
