"""Reads and writes files with one JSON object per line. Errors name the line; a file is replaced atomically."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError, WriteError
from ..files import atomic
from ..files.folder import Unread
from ..files.store_files import read_bounded

MAX_FILE_BYTES = 256 << 20
_KINDS: dict[type, str] = {str: "a text", list: "a list", dict: "an object", bool: "true or false"}


@dataclass(frozen=True)
class Row:
    """The JSON object of one line, with its place in the file."""

    place: str
    """File and line for messages, such as `prompts.jsonl:12`."""
    fields: dict[str, Any]

    def text(self, name: str, default: str | None = None) -> str:
        """The string in the field `name`, or the default if the field is missing.

        Raises InputError if the field is missing and has no default, is blank, or is not a string.
        """
        if name not in self.fields and default is not None:
            return default
        value = self._value(name, str)
        if not value.strip():
            raise self.wrong(name, "a text that is not empty", "an empty one")
        return str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """The strings in the list `name`; empty if it is missing or null. Raises InputError for any other value."""
        if self.fields.get(name) is None:
            return ()
        listed = self._value(name, list)
        for item in listed:
            if not isinstance(item, str):
                raise self.wrong(name, "a list of texts", f"`{_shown(item)}` in it")
        return tuple(listed)

    def members(self, name: str) -> dict[str, Any]:
        """The object in the field `name`. Raises InputError if the field is missing or not an object."""
        found: dict[str, Any] = self._value(name, dict)
        return found

    def number(self, name: str) -> float | None:
        """The number in the field `name`; None if it is missing or null. Raises InputError for any other value."""
        value = self.fields.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.wrong(name, "a number", f"`{_shown(value)}`")
        return float(value)

    def wrong(self, name: str, expected: str, found: str) -> InputError:
        """The error to raise if the field `name` has a wrong value."""
        what = f"{self.place}: `{name}` is {found}, expected {expected}"
        return InputError(what, f"correct `{name}` in that line", field=name, expected=expected, found=found)

    def _value(self, name: str, kind: type) -> Any:  # noqa: ANN401
        if name not in self.fields:
            what = f"{self.place}: `{name}` is missing"
            raise InputError(what, f"add `{name}`, {_KINDS[kind]}", field=name, expected=_KINDS[kind], found="missing")
        value = self.fields[name]
        if not isinstance(value, kind):
            raise self.wrong(name, _KINDS[kind], f"`{_shown(value)}`")
        return value


def read_rows(path: "str | os.PathLike[str]") -> list[Row]:
    """The objects of a file; blank lines are skipped.

    Raises InputError if the file cannot be read, or if a line is not a JSON object.
    """
    name = os.fspath(path)
    try:
        data = read_bounded(name, MAX_FILE_BYTES)
    except Unread as unread:
        what = f"`{name}` {unread.words}"
        hint = "name a file of JSON lines"
        raise InputError(what, hint, field="file", expected="a file of JSON lines", found=unread.words) from None
    return list(_rows(name, data.removeprefix(b"\xef\xbb\xbf")))


def _rows(name: str, data: bytes) -> Iterator[Row]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        place = f"{name}:{number}"
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else "the line is not UTF-8 text"
            if isinstance(error, RecursionError):
                reason = "it is nested too deeply"
            what = f"{place}: the line is no JSON: {reason[:1].lower()}{reason[1:]}"
            hint = "every line must be one whole JSON object"
            raise InputError(what, hint, field="line", expected="a JSON object", found="no JSON") from None
        if not isinstance(found, dict):
            what = f"{place}: the line is `{_shown(found)}`, expected an object"
            hint = "every line must be one whole JSON object"
            raise InputError(what, hint, field="line", expected="a JSON object", found=f"`{_shown(found)}`")
        yield Row(place, found)


def write_rows(path: "str | os.PathLike[str]", rows: Iterable[dict[str, Any]]) -> None:
    """Replace the file at `path` by a file of these objects. Raises WriteError; then the old file is unchanged."""
    write_file(path, b"".join([_encode(row) for row in rows]))


def _encode(row: dict[str, Any]) -> bytes:
    try:
        return f"{json.dumps(row, ensure_ascii=False)}\n".encode()
    except UnicodeEncodeError:
        # A transcript can contain a lone surrogate, which only an escape can represent.
        return f"{json.dumps(row)}\n".encode()


def write_file(path: "str | os.PathLike[str]", data: bytes) -> None:
    """Replace the file at `path` by a file with `data`. Raises WriteError; then the old file is unchanged."""
    check_writable(path)
    name = os.fspath(path)
    try:
        atomic.replace(name, data)
    except (OSError, ValueError) as error:
        raise _unwritable(name, getattr(error, "strerror", None) or str(error)) from None


def check_writable(path: "str | os.PathLike[str]") -> None:
    """Raise WriteError if the file cannot be written. Call this before a long computation, to not lose its result."""
    name = os.fspath(path)
    try:
        file = Path(name)
        if file.exists() and not file.is_file():
            raise _unwritable(name, "it is not a regular file")
        folder = file.parent
        if not folder.is_dir():
            raise _unwritable(name, f"there is no folder `{folder}`")
        if not os.access(folder, os.W_OK):
            raise _unwritable(name, f"you have no permission to write into `{folder}`")
    except (OSError, ValueError) as error:
        raise _unwritable(name, getattr(error, "strerror", None) or str(error)) from None


def _unwritable(name: str, reason: str) -> WriteError:
    return WriteError(f"`{name}` cannot be written: {reason}", "name another file with `--out`")


def _shown(value: object) -> str:
    return json.dumps(value)[:60]
