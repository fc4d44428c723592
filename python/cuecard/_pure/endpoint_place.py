"""Whether an endpoint of the settings lies on this machine, as far as its URL says so by itself (SPEC 14.5)."""

DIGITS = "0123456789."


def is_on_this_machine(url: str) -> bool:
    """The names and addresses of this machine itself that people write into settings."""
    scheme, mark, rest = url.partition("://")
    authority = rest
    for end in "/?#":
        authority = authority.partition(end)[0]
    if not mark or scheme not in ("http", "https") or "@" in authority:
        return False
    if authority == "[::1]" or authority.startswith("[::1]:"):
        return True
    host = authority.partition(":")[0]
    is_address = all(char in DIGITS for char in host)
    return host == "localhost" or host.endswith(".localhost") or (is_address and host.startswith("127."))
