"""The host and port that the URL of an endpoint leads to, by which the user consents to it (SPEC 48.1)."""

# The port that a place does not name.
COMMON_PORT = 443
PORTS = {"http": 80, "https": COMMON_PORT}
_DIGITS = frozenset("0123456789")
_OF_NAMES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")
_OF_ADDRESSES = frozenset("0123456789abcdefABCDEF:.")


def endpoint_place(url: str) -> str | None:
    """Host and port of a URL of `http` or `https`, in lower case, without the port where it is 443.

    None for whatever is no such URL, has a name or a password in it, or could be read in two ways.
    """
    parts = endpoint_parts(url)
    if parts is None:
        return None
    _is_secure, host, port, _route = parts
    shown = f"[{host}]" if ":" in host else host
    return shown if port == COMMON_PORT else f"{shown}:{port}"


def endpoint_parts(url: str) -> tuple[bool, str, int, str] | None:
    """Whether a URL is one of `https`, its host in lower case without brackets, its port and its route."""
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
    """A port of one to five digits, not 0."""
    if not 1 <= len(text) <= 5 or not _DIGITS.issuperset(text):
        return None
    return int(text) if 0 < int(text) < 1 << 16 else None
