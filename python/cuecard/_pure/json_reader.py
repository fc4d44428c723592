"""JSON text to values, as tolerant as Python's own reader and no more (SPEC 3)."""

from .chars import scrub

MAX_DEPTH = 128
MAX_INTEGER = 2**63 - 1


class JsonError(ValueError):
    """The bytes are not JSON text in UTF-8, or nest deeper than `MAX_DEPTH`."""


def read_json(data: bytes) -> object:
    """The value that `data` spells: dict, list, str, int, float, bool or None.

    Integers beyond 64 bits saturate; lone surrogates, also in keys, become U+FFFD.
    """
    try:
        text = data.decode()
        start = _skip_blanks(text, 0)
        value, end = _scanner()(text, start)
        if _skip_blanks(text, end) != len(text):
            raise JsonError
    except (ValueError, StopIteration, RecursionError, SystemError):
        # SystemError: up to Python 3.12 the C scanner has no way to say what is wrong unless the `json` package
        # is there to lend its exception.
        raise JsonError from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_too_deep(value):
        raise JsonError
    return _scrub_all(value) if "\\ud" in text or "\\uD" in text else value


def _scrub_all(value: object) -> object:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, list):
        return [_scrub_all(item) for item in value]
    if isinstance(value, dict):
        return {scrub(key): _scrub_all(item) for key, item in value.items()}
    return value


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\n\r":
        position += 1
    return position


def _is_too_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            child
            for item in level
            if isinstance(item, (dict, list))
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True


def _saturate(digits: str) -> int:
    if len(digits) < 19:
        return int(digits)
    if len(digits) > 20:
        return -MAX_INTEGER if digits[0] == "-" else MAX_INTEGER
    return max(-MAX_INTEGER, min(MAX_INTEGER, int(digits)))


class _Context:
    """What the C scanner asks of a decoder."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = staticmethod(_saturate)
    parse_constant = staticmethod(float)
    memo: dict[str, str] = {}


_cached: list = []


def _scanner():
    """A function from text and position to value and end.

    The C scanner is taken without the `json` package around it, which would double the interpreter's
    start-up; where it is not to be had, the package serves.
    """
    if not _cached:
        try:
            from _json import make_scanner

            _cached.append(make_scanner(_Context))
        except (ImportError, AttributeError, TypeError):
            import json

            decoder = json.JSONDecoder(parse_int=_saturate)
            _cached.append(decoder.scan_once)
    return _cached[0]
