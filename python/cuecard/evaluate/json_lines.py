"""Files of one JSON object a line: read with the place of everything wrong in them, written whole or not at all."""

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
    """One object, and where it stands."""

    place: str
    """File and line, as `prompts.jsonl:12`, for messages."""
    fields: dict[str, Any]

    def text(self, name: str, default: str | None = None) -> str:
        """A text; raises InputError where it is missing (unless there is a default), empty, or something else."""
        if name not in self.fields and default is not None:
            return default
        value = self._value(name, str)
        if not value.strip():
            raise self.wrong(name, "a text that is not empty", "an empty one")
        return str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, none where it is missing; raises InputError where it is something else."""
        if self.fields.get(name) is None:
            return ()
        listed = self._value(name, list)
        for item in listed:
            if not isinstance(item, str):
                raise self.wrong(name, "a list of texts", f"`{_shown(item)}` in it")
        return tuple(listed)

    def members(self, name: str) -> dict[str, Any]:
        """An object; raises InputError where it is missing or something else."""
        found: dict[str, Any] = self._value(name, dict)
        return found

    def number(self, name: str) -> float | None:
        """A number, None where it is missing or null; raises InputError where it is something else."""
        value = self.fields.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.wrong(name, "a number", f"`{_shown(value)}`")
        return float(value)

    def wrong(self, name: str, expected: str, found: str) -> InputError:
        """The error about a field, to be raised."""
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
    """Every object of a file, blank lines left out; raises InputError for what cannot be read or is no object."""
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
    """Put a file of these objects in the place of the one at `path`; raises WriteError, the old file left alone."""
    write_file(path, b"".join([_encode(row) for row in rows]))


def _encode(row: dict[str, Any]) -> bytes:
    try:
        return f"{json.dumps(row, ensure_ascii=False)}\n".encode()
    except UnicodeEncodeError:
        # A lone surrogate can stand in a transcript: nothing but an escape keeps it.
        return f"{json.dumps(row)}\n".encode()


def write_file(path: "str | os.PathLike[str]", data: bytes) -> None:
    """Put a file in the place of the one at `path`; raises WriteError, the old file left alone."""
    check_writable(path)
    name = os.fspath(path)
    try:
        atomic.replace(name, data)
    except (OSError, ValueError) as error:
        raise _unwritable(name, getattr(error, "strerror", None) or str(error)) from None


def check_writable(path: "str | os.PathLike[str]") -> None:
    """Raises WriteError for what cannot be written anyway: better before minutes of work than after them."""
    name = os.fspath(path)
    try:
        file = Path(name)
        if file.exists() and not file.is_file():
            raise _unwritable(name, "it is no regular file")
        folder = file.parent
        if not folder.is_dir():
            raise _unwritable(name, f"there is no folder `{folder}`")
        if not os.access(folder, os.W_OK):
            raise _unwritable(name, f"nothing may be written into `{folder}`")
    except (OSError, ValueError) as error:
        raise _unwritable(name, getattr(error, "strerror", None) or str(error)) from None


def _unwritable(name: str, reason: str) -> WriteError:
    return WriteError(f"`{name}` cannot be written: {reason}", "name another file with `--out`")


def _shown(value: object) -> str:
    return json.dumps(value)[:60]
