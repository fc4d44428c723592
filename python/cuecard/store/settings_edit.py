"""One number into `memory-config.json`, everything else as it was."""

import json
import os

from ..errors import InputError, WriteError
from .files import open_store
from .folder import LINK, Unread
from .lock import locked
from .settings_files import MAX_SETTINGS_BYTES, REPOSITORY_FILE

_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()


def write_setting(memory_dir: str, group: str, name: str, number: str) -> str:
    """Put the JSON text `number` at `group.name` of the settings of the store at `memory_dir`.

    Order, spaces and whatever else is in the file stay; the rest follows `replace`, under the store's lock. Returns
    why it may not survive a crash of the machine, "" where it does. Raises `InputError` for a file that is no JSON
    object or is a link, `LockError`, and `WriteError` where the machine refuses.
    """
    path = os.path.join(memory_dir, REPOSITORY_FILE)
    with locked(memory_dir), open_store(memory_dir) as store:
        if store.kind(REPOSITORY_FILE) == LINK:
            raise InputError(f"`{path}` is a link", f"set `{group}.{name}` in the file that it leads to")
        try:
            data = store.read(REPOSITORY_FILE, MAX_SETTINGS_BYTES)[0]
        except Unread as unread:
            if unread.words != Unread.MISSING:
                raise InputError(f"`{path}` {unread.words}", "mend it first; nothing was written") from None
            data = b""
        try:
            text = data.decode()
            edited = edit(text, group, name, number) if data else edit("{\n}\n", group, name, number, "\n  ")
        except (ValueError, RecursionError):
            what = f"`{path}` is not a JSON object with an object `{group}`"
            raise InputError(what, "mend it first; nothing was written") from None
        if edited == text:
            return ""
        try:
            store.replace(REPOSITORY_FILE, edited.encode())
            return store.sync()
        except OSError as error:
            what = f"`{path}` cannot be written: {error.strerror or error}"
            raise WriteError(what, "make room, or check the permissions; nothing was lost") from error


def edit(text: str, group: str, name: str, number: str, space: str = "") -> str:
    """A JSON object as text, with a number at `group.name`; raises `ValueError` where it is none.

    New members stand behind the others, each after what stands before the last of those; `space` is for none.
    """
    # All of it must be JSON, not only what is walked through.
    if not isinstance(json.loads(text), dict):
        raise ValueError(group)
    top = _Object(text, _skip(text, 0), space)
    if group not in top.values:
        unit = top.space.rpartition("\n")[2]
        inner = f"{top.space}{unit}" if "\n" in top.space else ""
        value = f'{{{inner}"{name}": {number}{top.space if inner else ""}}}'
        return top.with_member(text, group, value)
    begin, end = top.values[group]
    if text[begin] != "{":
        raise ValueError(group)
    held = _Object(text, begin, "")
    if name in held.values:
        begin, end = held.values[name]
        return f"{text[:begin]}{number}{text[end:]}"
    return held.with_member(text, name, number)


class _Object:
    """Where the members of a JSON object stand in a text that is known to be JSON."""

    def __init__(self, text: str, begin: int, space: str) -> None:
        """That whose brace is at `begin`; `space` stands before a first member."""
        # Begin and end of each value; of several with one name the last counts.
        self.values: dict[str, tuple[int, int]] = {}
        self.space = space
        # Behind the last value, and behind the comma after it.
        self.end = after = begin + 1
        place = _skip(text, after)
        while text[place] != "}":
            self.space = text[after:place]
            key, place = _DECODER.raw_decode(text, place)
            value = _skip(text, _skip(text, place) + 1)
            _found, self.end = _DECODER.raw_decode(text, value)
            self.values[key] = value, self.end
            place = _skip(text, self.end)
            if text[place] == ",":
                after = place + 1
                place = _skip(text, after)

    def with_member(self, text: str, name: str, value: str) -> str:
        """The text with one more member, behind the others."""
        comma = "," if self.values else ""
        return f'{text[: self.end]}{comma}{self.space}"{name}": {value}{text[self.end :]}'


def _skip(text: str, place: int) -> int:
    while text[place] in _SPACE:
        place += 1
    return place
