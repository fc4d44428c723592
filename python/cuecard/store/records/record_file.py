"""Decodes and encodes the bytes of a memory file, and computes the hash of its version."""

import json

from ...basics.conflict_markers import find_conflict_markers
from ...basics.digest import sha256_hex
from ...basics.json_reader import BYTE_ORDER_MARK
from ...errors import InputError, LimitError
from ...files.store_files import MAX_RECORD_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

Fields = dict[str, "Any"]
MAX_DEPTH = 100
CONFLICT = "has the conflict markers of a merge"
ROOM = "at most 256 KiB"


def decode(data: bytes, source: str) -> Fields:
    """Decode the JSON object in `data`, as strictly as `decode_any`. Raises `InputError`.

    `source` is the name of the data in messages.
    """
    if len(data) > MAX_RECORD_BYTES:
        what = f"{source} is over 256 KiB"
        raise InputError(what, "keep a memory short; split it into several", expected=ROOM, found="more")
    value = decode_any(data, source)
    if not isinstance(value, dict):
        raise _no_object(source, value)
    return value


def decode_any(data: bytes, source: str, hint: str = "send one JSON object") -> object:
    """Decode the JSON value in `data`. Raises `InputError`.

    `source` is the name of the data in messages, and `hint` says what to send instead. This is stricter than JSON
    libraries: it refuses NaN, duplicate names in an object, half a surrogate pair, and more than 100 levels.
    """
    try:
        text = data.removeprefix(BYTE_ORDER_MARK).decode()
    except UnicodeDecodeError as error:
        found = f"byte {error.start}"
        raise InputError(
            f"{source} is not UTF-8 ({found})", "save it as UTF-8", expected="UTF-8", found=found
        ) from None
    try:
        value: object = _DECODER.decode(text)
        # Only an escape can be half a surrogate pair, and every level needs a bracket.
        if b"\\u" in data or data.count(b"{") + data.count(b"[") > MAX_DEPTH:
            _check_texts(value, 0)
    except json.JSONDecodeError as error:
        if find_conflict_markers(data):
            hint = "resolve the conflict: keep one side, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`"
            raise InputError(f"{source} {CONFLICT}", hint, expected="JSON", found="conflict markers") from None
        # Some messages of the parser end with "starting at".
        where = f"{_lower(error.msg).removesuffix(' at')} at line {error.lineno}, column {error.colno}"
        raise _not_json(source, where if text.strip() else "it is empty", hint) from None
    except RecursionError:
        raise _too_deep(source) from None
    except ValueError as error:
        raise _not_json(source, str(error), hint) from None
    return value


def check_json(value: object) -> None:
    """Raise `InputError` for a value of a Python caller that cannot be written as a JSON object."""
    if not isinstance(value, dict):
        raise _no_object("the memory", value)
    try:
        json.dumps(value, allow_nan=False)
        _check_names(value, 0)
    except RecursionError:
        raise _too_deep("the memory") from None
    except (TypeError, ValueError) as error:
        raise _not_json("the memory", _lower(str(error)), "send one JSON object") from None


def status_of(record: Fields) -> str:
    """Return a record's status; `active` if it has none."""
    status = record.get("record_status")
    return status if isinstance(status, str) else "active"


def extension_of(record: Fields) -> Fields:
    """Return a record's own fields of cuecard; empty if it has none."""
    extension = record.get("cuecard")
    return extension if isinstance(extension, dict) else {}


def texts_in(value: object) -> list[str]:
    """Return the texts in a list; empty for any other value."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def texts_within(value: object) -> list[str]:
    """Return every text in a value, at any depth, without the names of members."""
    if isinstance(value, str):
        return [value]
    items = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return [text for item in items for text in texts_within(item)]


def encode(record: Fields) -> bytes:
    """Encode a record as the bytes of its file: fields in the order of the model, without null values.

    Raises `LimitError` if the file would be over 256 KiB.
    """
    # The models are slow to load, and commands that only read memories do not need them.
    from .record import Record

    order = {name: place for place, name in enumerate(Record.model_fields)}
    fields = sorted(record, key=lambda name: order.get(name, len(order)))
    present = {name: _without_absent(name, record[name]) for name in fields if record[name] is not None}
    data = (json.dumps(present, indent=2, ensure_ascii=False) + "\n").encode()
    if len(data) > MAX_RECORD_BYTES:
        found = f"{len(data) / 1024:.1f} KiB"
        hint = "keep it short; split it into several"
        raise LimitError("the memory is over 256 KiB", hint, field="content", expected=ROOM, found=found)
    return data


def encode_to_fit(record: Fields) -> bytes:
    """Encode a record as `encode` does, but drop the oldest entries of its history until the file is small enough.

    Raises `LimitError` if the file is too large even without history.
    """
    while True:
        try:
            return encode(record)
        except LimitError:  # noqa: PERF203 - encoding a record that is too large costs more than the `try`
            if not record.get("changes"):
                raise
            record["changes"] = record["changes"][1:]


def content_hash(data: bytes) -> str:
    """Return the SHA-256 of a memory file in hexadecimal."""
    return sha256_hex(data)


def has_hash(data: bytes, expected: str) -> bool:
    """Whether a file has the expected hash: a SHA-256 from `content_hash`, or an MD5 from the claude-memory plugin."""
    expected = expected.strip().lower()
    if len(expected) == 32:
        import hashlib

        return hashlib.md5(data, usedforsecurity=False).hexdigest() == expected
    return content_hash(data) == expected


def _not_json(source: str, reason: str, hint: str) -> InputError:
    return InputError(f"{source} is not JSON: {reason}", hint, expected="JSON", found=reason)


def _too_deep(source: str) -> InputError:
    hint = f"stay under {MAX_DEPTH} levels"
    return InputError(f"{source} is nested too deep", hint, expected=f"at most {MAX_DEPTH} levels", found="more")


def _no_object(source: str, value: object) -> InputError:
    hint = "send an object with `title`, `tags` and `content`"
    return InputError(f"{source} is not a JSON object", hint, expected="an object", found=type(value).__name__)


def _without_absent(name: str, value: object) -> object:
    """Return a field's value without members that are null in its objects; the history keeps such members."""
    if isinstance(value, dict):
        return {key: _without_absent(key, item) for key, item in value.items() if item is not None}
    if isinstance(value, list) and name != "changes":
        return [_without_absent("", item) for item in value]
    return value


def _object(pairs: "list[tuple[str, Any]]") -> Fields:
    found: Fields = {}
    for name, value in pairs:
        if name in found:
            raise ValueError("a JSON object has the same key twice")
        found[name] = value
    return found


def _refuse_constant(name: str) -> "NoReturn":
    raise ValueError(f"`{name}` is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if abs(number) == float("inf"):
        raise ValueError(f"the number `{digits[:20]}` is too large")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite)


def _check_texts(value: object, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, dict):
        for name, item in value.items():
            _check_text(name)
            _check_texts(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check_texts(item, depth + 1)


def _check_names(value: object, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise RecursionError
    for item in value.items() if isinstance(value, dict) else []:
        if not isinstance(item[0], str):
            raise TypeError("the name of a member of an object is not a string")
        _check_text(item[0])
        _check_names(item[1], depth + 1)
    for item in value if isinstance(value, list) else []:
        _check_names(item, depth + 1)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("a text has half a surrogate pair") from None


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
