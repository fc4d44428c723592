"""Reads JSON text into values; it accepts what Python's `json` module accepts, and a byte order mark before it
(SPEC 3)."""

from .chars import scrub

MAX_DEPTH = 128
# What some editors and PowerShell write in front of UTF-8.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MAX_INTEGER = 2**63 - 1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Scanner = Callable[[str, int], tuple[object, int]]


class JsonError(ValueError):
    """The bytes are not JSON text in UTF-8, or the value nests deeper than `MAX_DEPTH`."""


def read_json(data: bytes) -> object:
    """Parse JSON text into a dict, list, str, int, float, bool or None. Raises JsonError.

    A byte order mark before the text is skipped. Integers beyond 64 bits saturate; lone surrogates become U+FFFD, also
    in keys.
    """
    try:
        text = data.removeprefix(BYTE_ORDER_MARK).decode()
        has_surrogates = "\\ud" in text or "\\uD" in text
        value, end = _scanner(_ScrubbingContext if has_surrogates else _Context)(text, _skip_blanks(text, 0))
        if _skip_blanks(text, end) != len(text):
            raise JsonError
    except (ValueError, StopIteration, RecursionError, SystemError):
        # Up to Python 3.12 the C scanner raises SystemError for a syntax error if the `json` package, which defines
        # JSONDecodeError, is not loaded.
        raise JsonError from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_too_deep(text):
        raise JsonError
    return _scrub_all(value) if has_surrogates else value


def read_json_object(data: "bytes | None") -> "dict[str, object] | None":
    """The JSON object in the bytes of a file; None if they are anything else, or if there are none."""
    try:
        value = read_json(data or b"")
    except JsonError:
        return None
    return value if isinstance(value, dict) else None


def object_in(value: object, name: str) -> "dict[str, object]":
    """The object in a member of a JSON object, such as `cuecard` of a memory; empty if there is none."""
    member = value.get(name) if isinstance(value, dict) else None
    return member if isinstance(member, dict) else {}


def read_large_json(data: "bytes | memoryview") -> object:
    """Parse the JSON text of a file that cuecard has written. Raises JsonError.

    Unlike `read_json` it does not limit the depth, and integers do not saturate.
    """
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
    # Keys are scrubbed before the dict is built: two keys that differ only in lone surrogates are the same key.
    return {scrub(key): value for key, value in members}


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\n\r":
        position += 1
    return position


def _is_too_deep(text: str) -> bool:
    """Whether JSON text nests deeper than `MAX_DEPTH`.

    This counts brackets of the text, because the parsed value lacks the values that a repeated key has replaced.
    """
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
    """The attributes that the C scanner reads from a decoder."""

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
    """A function that parses the JSON value at a position of a text and returns the value and its end.

    This uses the C scanner without the `json` package, which would double the start-up time of the
    interpreter. If the interpreter has no C scanner, the `json` package is used.
    """
    if context not in _cached:
        try:
            from _json import make_scanner

            # The type stub demands the decoder class of the `json` package.
            _cached[context] = make_scanner(context)  # type: ignore[arg-type]
        except (ImportError, AttributeError, TypeError):
            import json

            decoder = json.JSONDecoder(object_pairs_hook=context.object_pairs_hook, parse_int=context.parse_int)
            _cached[context] = decoder.scan_once  # type: ignore[attr-defined]
    return _cached[context]
