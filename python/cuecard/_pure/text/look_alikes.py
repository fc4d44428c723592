"""Reads which characters stand for ASCII letters and symbols, and which look like them (SPEC 46.3)."""


def read_characters(lines: list[str]) -> tuple[dict[str, str], dict[int, str]]:
    """The ASCII letters and symbols that replace other characters, and those that replace similar letters of other
    scripts, by code point."""
    letters: dict[str, str] = {}
    alike: dict[int, str] = {}
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "letters":
            first, last = (int(point, 16) for point in rest.split("-"))
            letters.update((chr(point), chr(97 + (point - first) % 26)) for point in range(first, last + 1))
        elif kind == "symbol":
            letters.update(dict.fromkeys(rest[2:], rest[0]))
        else:
            alike.update(dict.fromkeys(map(ord, rest[2:]), rest[0]))
    return letters, alike
