"""Writes one value into a file of settings and leaves the other text of the file as it is."""

import json
import os

from ..._backend import MAX_SETTINGS_BYTES, REPOSITORY_FILE, user_settings_path
from ...basics.json_reader import BYTE_ORDER_MARK
from ...errors import InputError, WriteError
from ...files.folder import LINK, Folder, Unread
from ...files.lock import locked
from ...files.open_folder import open_folder
from ...files.store_files import open_store

_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()
_NEW = "{\n}\n"


def read_setting(memory_dir: str, group: str, name: str) -> str | None:
    """The JSON text at `group.name` in the file of a store, or in the user's configuration if `memory_dir` is "".

    None if the file has no such value, or cannot be read. Only the user's own link is followed.
    """
    path = os.path.join(memory_dir, REPOSITORY_FILE) if memory_dir else os.path.realpath(user_settings_path())
    try:
        with open_store(memory_dir) if memory_dir else open_folder(os.path.dirname(path)) as folder:
            data = folder.read(os.path.basename(path), MAX_SETTINGS_BYTES)[0]
        text = data.removeprefix(BYTE_ORDER_MARK).decode()
        json.loads(text)
        return value_in(text, group, name)
    except (Unread, OSError, ValueError, RecursionError):
        return None


def write_setting(memory_dir: str, group: str, name: str, value: str | None) -> str:
    """Put the JSON text `value` at `group.name` of the settings of the store at `memory_dir`; None removes the member.

    Dots separate the names of nested groups. The order, the spaces and all other members of the file stay. The file is
    replaced atomically under the store's lock. Returns "", or a sentence that says why the change may not survive a
    crash of the machine. Raises `InputError` if the file is not a JSON object or is a link, `LockError` if the store
    stays locked, and `WriteError` if the write fails.
    """
    path = os.path.join(memory_dir, REPOSITORY_FILE)
    with locked(memory_dir), open_store(memory_dir) as store:
        if store.kind(REPOSITORY_FILE) == LINK:
            raise InputError(f"`{path}` is a link", f"set `{group}.{name}` in the file that it leads to")
        return _write(store, REPOSITORY_FILE, path, group, name, value)


def write_user_setting(group: str, name: str, value: str | None) -> str:
    """Put the JSON text `value` at `group.name` of the user's configuration, as `write_setting` does."""
    path = user_settings_path()
    if not path:
        raise InputError("there is no folder for your configuration", "set `HOME` or `XDG_CONFIG_HOME`")
    # The user's own link is followed: many keep their configuration elsewhere.
    path = os.path.realpath(path)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open_folder(os.path.dirname(path)) as folder:
            return _write(folder, os.path.basename(path), path, group, name, value)
    except OSError as error:
        what = f"`{path}` cannot be written: {error.strerror or error}"
        raise WriteError(what, "make room, or check the permissions; nothing was lost") from error


def _write(folder: Folder, file: str, path: str, group: str, name: str, value: str | None) -> str:
    try:
        data = folder.read(file, MAX_SETTINGS_BYTES)[0]
    except Unread as unread:
        if unread.words != Unread.MISSING:
            raise InputError(f"`{path}` {unread.words}", "fix it first; nothing was written") from None
        data = b""
        if value is None:
            return ""
    mark = BYTE_ORDER_MARK if data.startswith(BYTE_ORDER_MARK) else b""
    try:
        text = data.removeprefix(mark).decode()
        is_empty = not data or json.loads(text) == {}
        edited = edit(text or _NEW, group, name, value, "\n  " if is_empty and "\n" in (text or _NEW) else "")
    except (ValueError, RecursionError):
        what = f"`{path}`, or `{group}` in it, is not a JSON object"
        raise InputError(what, "fix it first; nothing was written") from None
    if edited == text:
        return ""
    try:
        folder.replace(file, mark + edited.encode())
        return folder.sync()
    except OSError as error:
        what = f"`{path}` cannot be written: {error.strerror or error}"
        raise WriteError(what, "make room, or check the permissions; nothing was lost") from error


def edit(text: str, group: str, name: str, value: str | None, space: str = "") -> str:
    """The text of a JSON object with the JSON text `value` at `group.name`.

    Dots separate the names of nested groups; "" is the outermost object. A new member is added at the end of its
    object, with the same white space in front as the member before it, or with `space` if `text` is an empty object.
    With the `value` None the member is removed, and with it each group that it leaves empty. Raises `ValueError` if
    `text` or one of the groups is not a JSON object.
    """
    # Check the whole text: the code below looks only at some parts of it.
    if not isinstance(json.loads(text), dict):
        raise ValueError(group)
    steps = [*group.split("."), name] if group else [name]
    if value is None:
        return _without(text, steps)
    held = _Object(text, _skip(text, 0), space)
    unit = held.space.rpartition("\n")[2]
    while len(steps) > 1 and steps[0] in held.values:
        begin, _end = held.values[steps.pop(0)]
        if text[begin] != "{":
            raise ValueError(group)
        held = _Object(text, begin, "")
    last = steps.pop(0)
    if steps:
        value = _nested(steps, value, held.space, unit)
    if last in held.values:
        begin, end = held.values[last]
        return f"{text[:begin]}{value}{text[end:]}"
    return held.with_member(text, last, value)


def value_in(text: str, group: str, name: str) -> str | None:
    """The JSON text of the value at `group.name` of a JSON object; None for none. Raises `ValueError` as `edit`."""
    begin = _skip(text, 0)
    for step in [*group.split("."), name] if group else [name]:
        if text[begin] != "{":
            raise ValueError(group)
        found = _Object(text, begin, "").values.get(step)
        if found is None:
            return None
        begin, end = found
    return text[begin:end]


def _without(text: str, steps: list[str]) -> str:
    """The text of a JSON object without the member at a path, and without each object above it that this empties."""
    begin, way = _skip(text, 0), list[_Object]()
    for step in steps:
        if text[begin] != "{":
            raise ValueError(step)
        way.append(_Object(text, begin, ""))
        if step not in way[-1].values:
            return text
        begin = way[-1].values[step][0]
    while len(way) > 1 and len(way[-1].values) == 1:
        way.pop()
    name = steps[len(way) - 1]
    shorter = way[-1].without_member(text, name)
    # A name that stood there twice is still there once.
    return _without(shorter, steps)


def _nested(steps: list[str], value: str, space: str, unit: str) -> str:
    """The text of a JSON object with `value` below the names `steps`: one nested object for each name.

    `space` is the white space before the member that gets this object as its value. `unit` is the indentation of one
    level.
    """
    inner = f"{space}{unit}" if "\n" in space else ""
    rest = value if len(steps) == 1 else _nested(steps[1:], value, inner, unit)
    return f'{{{inner}"{steps[0]}": {rest}{space if inner else ""}}}'


class _Object:
    """The positions of the members of a JSON object in a text, which must be valid JSON."""

    def __init__(self, text: str, begin: int, space: str) -> None:
        """Find the members of the object whose opening brace is at `begin`. `space` is used before a first member."""
        # Begin and end of each value. If a name is repeated, the last member counts.
        self.values: dict[str, tuple[int, int]] = {}
        # For each member the position after the brace or comma before it, and the one after its own comma, if any.
        self._spans: dict[str, tuple[int, int, bool]] = {}
        self.space = space
        # `end` is the position after the last value, `after` the position after the comma that follows it.
        self.end = after = begin + 1
        place = _skip(text, after)
        while text[place] != "}":
            self.space = text[after:place]
            key, place = _DECODER.raw_decode(text, place)
            value = _skip(text, _skip(text, place) + 1)
            _found, self.end = _DECODER.raw_decode(text, value)
            self.values[key] = value, self.end
            place, front = _skip(text, self.end), after
            has_comma = text[place] == ","
            if has_comma:
                after = place + 1
                place = _skip(text, after)
            self._spans[key] = front, after if has_comma else self.end, has_comma

    def with_member(self, text: str, name: str, value: str) -> str:
        """The text with one more member at the end of the object."""
        comma = "," if self.values else ""
        return f'{text[: self.end]}{comma}{self.space}"{name}": {value}{text[self.end :]}'

    def without_member(self, text: str, name: str) -> str:
        """The text without a member and its comma."""
        begin, end, has_comma = self._spans[name]
        is_last_of_several = not has_comma and text[begin - 1] == ","
        return f"{text[: begin - is_last_of_several]}{text[end:]}"


def _skip(text: str, place: int) -> int:
    while text[place] in _SPACE:
        place += 1
    return place
