"""The scheme, host and port of an endpoint's URL. The user consents to an endpoint by this text (SPEC 41.1)."""

PORTS = {"http": 80, "https": 443}
_DIGITS = frozenset("0123456789")
_OF_NAMES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")
_OF_ADDRESSES = frozenset("0123456789abcdefABCDEF:.")


def endpoint_place(url: str) -> str | None:
    """Return the place of an `http` or `https` URL: scheme, host and port in lower case, such as `http://host:11434`.

    The port of the scheme is left out. Returns None for any other text, for a URL with a user name or a password, and
    for an ambiguous URL.
    """
    parts = endpoint_parts(url)
    if parts is None:
        return None
    is_secure, host, port, _route = parts
    scheme = "https" if is_secure else "http"
    shown = f"{scheme}://[{host}]" if ":" in host else f"{scheme}://{host}"
    return shown if port == PORTS[scheme] else f"{shown}:{port}"


def endpoint_parts(url: str) -> tuple[bool, str, int, str] | None:
    """Return whether a URL is `https`, its host in lower case without brackets, its port and its route.

    Returns None in the same cases as `endpoint_place`. The route begins with `/` and includes the query.
    """
    if not all("!" <= char <= "~" and char != "\\" for char in url):
        return None
    scheme, mark, rest = url.partition("://")
    default = PORTS.get(scheme.lower())
    if not mark or default is None:
        return None
    end = min([place for place in map(rest.find, "/?#") if place >= 0], default=len(rest))
    authority, route = rest[:end], rest[end:].partition("#")[0]
    if authority.startswith("["):
        host, bracket, after = authority[1:].partition("]")
        if not bracket or not host or not _OF_ADDRESSES.issuperset(host) or after[:1] not in ("", ":"):
            return None
        has_port, port = bool(after), after[1:]
    else:
        host, colon, port = authority.partition(":")
        if not host or not _OF_NAMES.issuperset(host):
            return None
        has_port = bool(colon)
    number = _read_port(port) if has_port else default
    if number is None:
        return None
    return scheme.lower() == "https", host.lower(), number, route if route.startswith("/") else f"/{route}"


def _read_port(text: str) -> int | None:
    """Read a port from 1 to 65535 of at most five digits; None for any other text."""
    if not 1 <= len(text) <= 5 or not _DIGITS.issuperset(text):
        return None
    return int(text) if 0 < int(text) < 1 << 16 else None
