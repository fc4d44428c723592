"""JSON text to values, as tolerant as Python's own reader and no more (SPEC 3)."""

from .chars import scrub

MAX_DEPTH = 128
MAX_INTEGER = 2**63 - 1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Scanner = Callable[[str, int], tuple[object, int]]


class JsonError(ValueError):
    """The bytes are not JSON text in UTF-8, or nest deeper than `MAX_DEPTH`."""


def read_json(data: bytes) -> object:
    """The value that `data` spells: dict, list, str, int, float, bool or None.

    Integers beyond 64 bits saturate; lone surrogates, also in keys, become U+FFFD.
    """
    try:
        text = data.decode()
        has_surrogates = "\\ud" in text or "\\uD" in text
        value, end = _scanner(_ScrubbingContext if has_surrogates else _Context)(text, _skip_blanks(text, 0))
        if _skip_blanks(text, end) != len(text):
            raise JsonError
    except (ValueError, StopIteration, RecursionError, SystemError):
        # SystemError: up to Python 3.12 the C scanner has no way to say what is wrong unless the `json` package
        # is there to lend its exception.
        raise JsonError from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_too_deep(text):
        raise JsonError
    return _scrub_all(value) if has_surrogates else value


def read_large_json(data: "bytes | memoryview") -> object:
    """As `read_json`, of a file that cuecard has written: it may have any number of values, and integers stay as they
    are."""
    try:
        text = str(data, "utf-8")
        value, end = _scanner(_PlainContext)(text, 0)
        if end != len(text):
            raise JsonError
        return _scrub_all(value) if "\\ud" in text or "\\uD" in text else value
    except (ValueError, StopIteration, RecursionError, SystemError):
        raise JsonError from None


def _scrub_all(value: object) -> object:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, list):
        return [_scrub_all(item) for item in value]
    if isinstance(value, dict):
        return {scrub(key): _scrub_all(item) for key, item in value.items()}
    return value


def _scrub_keys(members: list[tuple[str, object]]) -> dict[str, object]:
    # Before keys are told apart: two that differ in surrogates alone are the same key.
    return {scrub(key): value for key, value in members}


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\n\r":
        position += 1
    return position


def _is_too_deep(text: str) -> bool:
    """Whether JSON text nests too deep: by its brackets, because a value lacks what a repeated key replaced."""
    depth = 0
    without_escapes = text.replace("\\\\", "").replace('\\"', "")
    for outside_strings in without_escapes.split('"')[::2]:
        for char in outside_strings:
            if char in "[{":
                depth += 1
                if depth > MAX_DEPTH:
                    return True
            elif char in "]}":
                depth -= 1
    return False


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
    object_pairs_hook: "Callable[[list[tuple[str, object]]], object] | None" = None
    array_hook = None
    parse_float = float
    parse_int: "Callable[[str], int]" = staticmethod(_saturate)
    parse_constant = staticmethod(float)


class _ScrubbingContext(_Context):
    object_pairs_hook = staticmethod(_scrub_keys)


class _PlainContext(_Context):
    parse_int = int


_cached: "dict[type[_Context], Scanner]" = {}


def _scanner(context: "type[_Context]") -> "Scanner":
    """A function from text and position to value and end.

    The C scanner is taken without the `json` package around it, which would double the interpreter's
    start-up; where it is not to be had, the package serves.
    """
    if context not in _cached:
        try:
            from _json import make_scanner

            # The stub describes the decoder that the `json` package passes.
            _cached[context] = make_scanner(context)  # type: ignore[arg-type]
        except (ImportError, AttributeError, TypeError):
            import json

            decoder = json.JSONDecoder(object_pairs_hook=context.object_pairs_hook, parse_int=context.parse_int)
            _cached[context] = decoder.scan_once  # type: ignore[attr-defined]
    return _cached[context]
