"""Adds, updates, finds and removes our entries in a file of hooks, and leaves all other entries as they are.

Two formats are in use. Grouped: an event has groups, and a group has a matcher and handlers (Claude Code, Codex, Gemini
CLI). Flat: an event has handlers (Cursor, Copilot CLI).
"""

from collections.abc import Iterator, Mapping

from ..basics.light_dataclass import dataclass, field
from ..errors import HostFileError
from . import json_settings
from .hook_command import is_ours
from .json_settings import Path
from .jsonc import JsoncValue, MalformedText, parse
from .shells import split


@dataclass(frozen=True)
class HookEntry:
    """One handler for one event, and in grouped files the other members of its group."""

    event: str
    handler: Mapping[str, object]
    group: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class HookEntries:
    """The format of a file: grouped or flat, the members that every file needs, and the fields with commands."""

    is_grouped: bool
    head: Mapping[str, object] = field(default_factory=dict)
    command_fields: tuple[str, ...] = ("command",)

    def install(self, text: str, entries: list[HookEntry]) -> str:
        """The text, changed so that our entries are exactly `entries`. Other entries stay. Raises HostFileError."""
        if not text.strip():
            return json_settings.render_new(self._new_file(entries))
        self._check(text)
        # The path of the existing handler for each entry, by the entry's number, in the order of the file.
        kept: dict[int, Path] = {}
        for path in self._paths(text):
            for place, entry in enumerate(entries):
                if place not in kept and entry.event == path[1] and self._has_group(text, path, entry):
                    kept[place] = path
                    break
        # From the end, so that the paths of earlier handlers stay valid.
        for path in reversed(list(self._paths(text))):
            if path not in kept.values():
                text = self._remove(text, path)
        for place, path in zip(kept, list(self._paths(text)), strict=True):
            text = self._update(text, path, entries[place])
        for place, entry in enumerate(entries):
            if place not in kept:
                text = self._append(text, entry)
        return text

    def uninstall(self, text: str) -> str:
        """The text without our entries, and without lists and objects that are then empty. Raises HostFileError."""
        if text.strip():
            self._check(text)
            for path in reversed(list(self._paths(text))):
                text = self._remove(text, path)
        return text

    def find(self, text: str) -> list[list[str]]:
        """The commands of the cuecard entries in `text`, each as a list of words. Raises HostFileError."""
        if not text.strip():
            return []
        root = self._check(text)
        return [self._words(json_settings.find(root, path)) for path in self._paths(text)]

    def is_bare(self, text: str) -> bool:
        """Whether `text` has nothing but the members that every new file has, and no comments. Raises HostFileError."""
        return not text.strip() or (
            self._check(text).to_plain() in ({}, dict(self.head)) and "/*" not in text and "//" not in text
        )

    def _new_file(self, entries: list[HookEntry]) -> dict[str, object]:
        return {**self.head, "hooks": self._listed(entries)}

    def _listed(self, entries: list[HookEntry]) -> dict[str, object]:
        events = dict.fromkeys(entry.event for entry in entries)
        return {event: [self._item(entry) for entry in entries if entry.event == event] for event in events}

    def _item(self, entry: HookEntry) -> dict[str, object]:
        return {**entry.group, "hooks": [dict(entry.handler)]} if self.is_grouped else dict(entry.handler)

    def _check(self, text: str) -> JsoncValue:
        """Parse `text` and check the types of its values down to our entries. Raises HostFileError."""
        try:
            root = parse(text)
        except MalformedText as error:
            what = f"line {error.line}, column {error.column}: {error.what}"
            raise HostFileError(what, "fix the file, then run this again; nothing was changed") from None
        hooks = root.member("hooks")
        wrong = "" if root.is_object else "it is not a JSON object"
        if hooks and not hooks.is_object:
            wrong = "`hooks` is not an object"
        for part in hooks.parts if hooks and not wrong else []:
            if not part.value.is_list:
                wrong = wrong or f"`hooks.{part.key}` is not a list"
        if wrong:
            raise HostFileError(wrong, "fix the file, then run this again; nothing was changed")
        return root

    def _paths(self, text: str) -> Iterator[Path]:
        """The paths of the cuecard handlers in the JSON value of `text`."""
        hooks = self._check(text).member("hooks")
        for event in dict.fromkeys(part.key for part in hooks.parts) if hooks else ():
            listed = hooks.member(event) if hooks else None
            for position, part in enumerate(listed.parts if listed else []):
                if not self.is_grouped:
                    if is_ours(self._words(part.value)):
                        yield ("hooks", event, position)
                    continue
                handlers = part.value.member("hooks")
                for number, handler in enumerate(handlers.parts if handlers and handlers.is_list else []):
                    if is_ours(self._words(handler.value)):
                        yield ("hooks", event, position, "hooks", number)

    def _words(self, handler: JsoncValue | None) -> list[str]:
        """The command of a handler as words; empty if it has none."""
        plain = handler.to_plain() if handler else None
        if not isinstance(plain, dict):
            return []
        arguments = plain.get("args")
        for name in self.command_fields:
            command = plain.get(name)
            if isinstance(command, str) and isinstance(arguments, list):
                return [command, *[word for word in arguments if isinstance(word, str)]]
            if isinstance(command, str):
                return _own_words(split(command))
        return []

    def _has_group(self, text: str, path: Path, entry: HookEntry) -> bool:
        """Whether the group around the handler at `path` has the members of `entry.group`. True in a flat file."""
        if not self.is_grouped:
            return True
        group = json_settings.find(parse(text), path[:3])
        plain = group.to_plain() if group else None
        return isinstance(plain, dict) and {name: plain[name] for name in plain if name != "hooks"} == dict(entry.group)

    def _update(self, text: str, path: Path, entry: HookEntry) -> str:
        old = json_settings.find(parse(text), path)
        if old and old.to_plain() == dict(entry.handler):
            return text
        return json_settings.replace(text, path, dict(entry.handler))

    def _append(self, text: str, entry: HookEntry) -> str:
        root = parse(text)
        for name, value in self.head.items():
            if root.member(name) is None:
                text = json_settings.append(text, (), value, name)
        if root.member("hooks") is None:
            return json_settings.append(text, (), {entry.event: [self._item(entry)]}, "hooks")
        if json_settings.find(root, ("hooks", entry.event)) is None:
            return json_settings.append(text, ("hooks",), [self._item(entry)], entry.event)
        return json_settings.append(text, ("hooks", entry.event), self._item(entry))

    def _remove(self, text: str, path: Path) -> str:
        """Remove the handler at `path`, and each list or object around it that is then empty."""
        text = json_settings.remove(text, path)
        if self.is_grouped:
            if _has_parts(text, path[:4]):
                return text
            text = json_settings.remove(text, path[:3])
        for above in (path[:2], path[:1]):
            if _has_parts(text, above):
                return text
            text = json_settings.remove(text, above)
        return text


def _own_words(words: list[str]) -> list[str]:
    """The words of the first command of a line. What follows it keeps a host going if our program is gone."""
    ends = [place for place, word in enumerate(words) if word in ("||", ";") or word.endswith(";")]
    if not ends:
        return words
    last = words[ends[0]].rstrip(";|")
    return [*words[: ends[0]], *([last] if last else [])]


def _has_parts(text: str, path: Path) -> bool:
    found = json_settings.find(parse(text), path)
    return bool(found and found.parts)
