"""Splits identifiers into parts: camelCase, snake_case, kebab-case, dots, versions, error codes (SPEC 19.2)."""

from itertools import groupby

JOINERS = "-._"

_BLANKS = {ord(char): " " for char in JOINERS}
_LOWER = {point: point + 32 for point in range(0x41, 0x5B)}
_DIGITS = "0123456789"


def split_identifier(chunk: str) -> tuple[str, list[str]]:
    """Return a chunk as one word without joiners, and its parts, all in lower case; a plain word has no parts.

    A chunk consists of letters, digits and joiners, with no joiner at its ends; its letters beyond ASCII are in lower
    case already. A single letter is not a part.
    """
    if chunk.isascii():
        lower = chunk.lower()
        if chunk.isalpha() and chunk[1:] == lower[1:]:
            return lower, []
        if version := _version(lower):
            return version, [version[:place] for place, char in enumerate(version) if char == "."]
    parts: list[str] = []
    pieces = [part for piece in chunk.translate(_BLANKS).split() for part in _split_camel(piece)]
    for piece in pieces:
        runs = _split_digits(piece)
        if len(runs) > 1 and any(len(run) > 2 and run[0] not in _DIGITS for run in runs):
            parts += [run for run in runs if len(run) > (1 if run[0] in _DIGITS else 2)]
            if len(pieces) == 1:
                continue
        if len(piece) > 1 or piece in _DIGITS:
            parts.append(piece)
    # The pieces are joined again because the plural of an abbreviation has lost its s, unlike in the chunk.
    whole = "".join(pieces)
    return whole, [] if parts == [whole] else parts


def _version(lower: str) -> str:
    """Return the digits and dots of a version such as `v1.2`; "" for any other text."""
    number = lower[1:] if lower[0] == "v" else lower
    return number if number and all(run.isdigit() for run in number.split(".")) else ""


def _split_camel(piece: str) -> list[str]:
    """Split a piece without joiners at its capitals; the parts are in lower case. `APIs` becomes one part, `api`."""
    lower = piece.translate(_LOWER)
    if piece == lower:
        return [lower]
    if piece[-1] == "s" and len(piece) > 2 and _is_upper(piece[-2]) and _is_upper(piece[-3]):
        piece, lower = piece[:-1], lower[:-1]
    edges = [place for place in range(1, len(piece)) if _is_camel_edge(piece, place)]
    return [lower[begin:end] for begin, end in zip([0, *edges], [*edges, len(lower)], strict=True)]


def _split_digits(piece: str) -> list[str]:
    """Split a piece into runs of digits and runs of other characters."""
    return ["".join(run) for _is_digits, run in groupby(piece, _DIGITS.__contains__)]


def _is_camel_edge(piece: str, place: int) -> bool:
    return _is_upper(piece[place]) and (_is_lower(piece[place - 1]) or _is_lower(piece[place + 1 : place + 2]))


def _is_upper(char: str) -> bool:
    return "A" <= char <= "Z"


def _is_lower(char: str) -> bool:
    return "a" <= char <= "z"
