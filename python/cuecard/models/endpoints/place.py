"""URLs of the settings: their place, their route, and whether they lead to this machine (SPEC 41.1)."""

from ..._backend import endpoint_parts, endpoint_place
from ...errors import ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

LOCAL_NAME = "localhost"


def place_of(url: str) -> str:
    """Scheme, host and port of a URL, in the form in which consent is stored. Raises ModelError for an invalid URL."""
    place = endpoint_place(url)
    if place is not None:
        return place
    if "@" in url:
        raise ModelError(
            "a URL in the settings contains a user name or a password",
            "remove it; a key belongs in an environment variable",
        )
    raise ModelError("a URL in the settings is not valid", "name one such as `http://localhost:11434`")


def is_loopback(url: str) -> bool:
    """Whether a URL, or a host with or without a port, leads to this machine.

    Of all host names, only `localhost` counts: the owner of any other name decides to which address it leads.
    """
    parts = endpoint_parts(url if "://" in url else f"https://{url}")
    if parts is None:
        return False
    host = parts[1]
    address = address_of(host)
    return host == LOCAL_NAME or (address is not None and address.is_loopback)


def address_of(host: str) -> "IPv4Address | IPv6Address | None":
    """The host as an IP address; None if it is a name. An IPv4-mapped IPv6 address becomes an IPv4 address."""
    from ipaddress import IPv6Address, ip_address

    try:
        address = ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def join_route(base: str, route: str) -> str:
    """Join a base URL and a route such as `/v1/embeddings`. The base may already end in `/v1` or in the route."""
    base = base.rstrip("/")
    if base.endswith(route):
        return base
    version = route[: route.find("/", 1)]
    return base + route.removeprefix(version) if base.endswith(version) else base + route
