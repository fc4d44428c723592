"""Finds the memories that forbid what a tool is about to add or to run (SPEC 40)."""

import os
import time
from binascii import crc32

from ...basics.chars import scrub
from ...basics.json_reader import object_in, read_json, read_json_object
from ...files.folder import Unread
from ...files.store_files import read_end
from ..engine.placing import HEEDED, IGNORED
from ..engine.recalled_memory import Found, Ranking, RecalledMemory
from ..engine.snapshot_recall import SnapshotRecall
from ..engine.tool_recall import ANCHORED
from ..guard.forbidden_command import is_forbidden
from ..guard.shell_commands import UNKNOWN, read_script
from ..host.act import FILE, TEXT
from ..memory.forbidden_code import count_code, first_name, imported_modules, is_module, is_prose, names_in
from ..memory.forbids import INSIDE, OUTSIDE, covers, reach, read_forbids
from ..memory.validity import holds_at
from ..retrieve.anchors import FOUND_MAX, forbidden_entries, forbidding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..engine.snapshot import Snapshot
    from ..host.act import Act, Change
    from ..present.packing import Packed, PackItem

    HasSpoken = Callable[[int, str], bool]
    IsBroken = Callable[[str, str, str], bool]
    # A memory that forbids an act, the entry that the act breaks, and numbers that stand for every file or command of
    # the act that the memory is about.
    Breach = tuple[RecalledMemory, str, list[int]]

# How many memories speak at one act, and how many are read for that.
MOST_BREACHES = 3
MOST_LOOKS = 16
# How many entries are searched in the texts of an act.
MOST_SEARCHED = 256
# How many bytes are read of a file that is replaced as a whole.
MAX_OLD_BYTES = 1 << 20
# The categories that can forbid, the stricter one first.
CATEGORIES = ("CONSTRAINT", "PREFERENCE")
# The ends of names of files that have commands, and what may stand before a command in a line of them.
SCRIPTS = (
    ".bash", ".cmd", ".fish", ".mk", ".ps1", ".sh", ".yaml", ".yml", ".zsh", "/Dockerfile", "/Makefile", "/justfile",
)  # fmt: skip
BEFORE_COMMANDS = ("- ", "@", "$ ", "RUN ", "CMD ")
_NAME_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"


class Scene:
    """An act that is looked at, with the paths in the project that it concerns."""

    def __init__(self, act: "Act", root: str, cwd: str, locate: "Callable[[str], str | None]") -> None:
        """`root` is the project's folder and `cwd` the working folder. `locate` returns the path in the project of a
        file or folder: "" for the project itself, None for a path outside of it."""
        self.event, self.is_over, edits, self.script = act
        self.root, self.cwd, self.locate = root, cwd, locate
        # The variables `HOME` and `CLAUDE_PROJECT_DIR`; "" if they are not set.
        self.home = self.project_dir = ""
        # The places of the stores whose rules name files as this scene does.
        self.stores: list[int] = []
        # The changes of files in the project, each with the path of its file.
        self.changes: list[tuple[str, Change]] = []
        # The paths in the project of the files that are changed.
        self.paths: list[str] = []
        for path, changes in edits:
            inside = locate(path)
            if inside and inside.partition("/")[0] != ".claude":
                self.paths.append(inside)
                self.changes += [(inside, change) for change in changes]

    def compare(self, entries: list[str]) -> list[tuple[str, str, int]]:
        """The entries that occur in the act, each with the files or folders in which it occurs, and their numbers."""
        if not entries:
            return []
        commands, writes = read_script(self.script, self.cwd, self.home, self.project_dir) if self.script else ([], [])
        changed = [*self.paths, *[path for path in [self.locate(path) for _action, path in writes] if path]]
        names: set[str] = set().union(*[names_in(new) for _path, (_kind, _old, new) in self.changes])
        searched = 0
        matches: list[tuple[str, str, int]] = []
        for entry in entries:
            kind, _sign, text = entry.partition(": ")
            places: list[str] = []
            if kind == "path":
                places = [path for path in changed if covers(text, path)]
            elif kind == "command":
                places = self._folders_of(commands, text) + self._find_changes(_breaks_in_script(text))
            elif searched < MOST_SEARCHED and first_name(text) in names:
                searched += 1
                places = self._find_changes(_adds_code(text) if kind == "code" else _adds_import(text))
            is_run = kind == "command" and self.script != ""
            matches += [(entry, place, crc32((entry if is_run else place).encode())) for place in places]
        return matches

    def _find_changes(self, is_broken: "IsBroken") -> list[str]:
        """The paths of the files with a change for which `is_broken(path, new text, old text)` is true.

        The old text is read only if the new one alone would break the rule.
        """
        found: list[str] = []
        for path, (kind, old, new) in self.changes:
            if path in found or not is_broken(path, new, ""):
                continue
            if is_broken(path, new, self._old_text(path, kind, old)):
                found.append(path)
        return found

    def _old_text(self, path: str, kind: str, old: str) -> str:
        """The text that a change replaces. After a tool has run, the file has the new text already."""
        if kind == TEXT or self.is_over:
            return old if kind == TEXT else ""
        try:
            text = read_end(os.path.join(self.root, path), MAX_OLD_BYTES).decode("utf-8", "replace")
        except Unread:
            return ""
        return text if kind == FILE else _cell_of(text, old)

    def _folders_of(self, commands: list[tuple[str, list[str]]], forbidden: str) -> list[str]:
        """The folders, in the project, in which a script runs a forbidden command; "" for the project itself."""
        folders = [folder for folder, words in commands if is_forbidden(words, forbidden)]
        places = ["" if UNKNOWN in folder else self.locate(folder) for folder in folders]
        return list(dict.fromkeys([place for place in places if place is not None]))


def _adds_code(text: str) -> "IsBroken":
    def is_broken(_path: str, new: str, old: str) -> bool:
        count = count_code(new, text)
        return count > 0 and count > count_code(old, text)

    return is_broken


def _adds_import(text: str) -> "IsBroken":
    def count(of: str, path: str) -> int:
        return sum([is_module(name, text) for name in imported_modules(of, path)])

    def is_broken(path: str, new: str, old: str) -> bool:
        return 0 < count(new, path) > count(old, path)

    return is_broken


def _breaks_in_script(text: str) -> "IsBroken":
    def is_broken(path: str, new: str, old: str) -> bool:
        return f"/{path}".endswith(SCRIPTS) and _commands_in(new, text) > _commands_in(old, text)

    return is_broken


def _commands_in(text: str, forbidden: str) -> int:
    """How many commands of a file are a forbidden one."""
    if not text:
        return 0
    script = "\n".join(map(_command_of_line, text.split("\n")))
    return sum([is_forbidden(words, forbidden) for _folder, words in read_script(script, "/", "", "")[0]])


def _command_of_line(line: str) -> str:
    """A line without what stands before its command: the marks of lists, of Make and of Docker, and one name with a
    colon."""
    line = line.lstrip(" \t")
    while line.startswith(BEFORE_COMMANDS):
        line = line.removeprefix(next(begin for begin in BEFORE_COMMANDS if line.startswith(begin)))
    name, sign, rest = line.partition(": ")
    return rest if sign and name and not name.strip(_NAME_CHARS) else line


def _cell_of(notebook: str, cell_id: str) -> str:
    """The text of a notebook's cell; "" if there is none with this id."""
    try:
        content = read_json(notebook.encode())
    except ValueError:
        return ""
    cells = content.get("cells") if isinstance(content, dict) else None
    for cell in cells if isinstance(cells, list) else []:
        if isinstance(cell, dict) and cell.get("id") == cell_id:
            source = cell.get("source")
            lines = source if isinstance(source, list) else [source]
            return scrub("".join([line for line in lines if isinstance(line, str)]))
    return ""


def find_breaches(
    snapshot: "Snapshot",
    root: str,
    scenes: list[Scene],
    has_spoken: "HasSpoken",
    notes: list[str],
    *,
    reviews_trust: bool,
) -> "list[Breach]":
    """The memories that speak at an act, at most three.

    Only a memory that the user vouches for speaks. `has_spoken` says whether a memory has spoken in the session about
    the file or command that a number stands for.
    """
    files = SnapshotRecall(snapshot, root, HEEDED if reviews_trust else IGNORED, notes)
    breaches: list[Breach] = []

    def find(part: SnapshotRecall) -> Found:
        if part.is_first_part:
            breaches[:] = _find_in_part(part, scenes, has_spoken)
        return Found()

    files.in_parts(find)
    return breaches


def _find_in_part(files: SnapshotRecall, scenes: list[Scene], has_spoken: "HasSpoken") -> "list[Breach]":
    snapshot, now = files.snapshot, time.time_ns() // 1000
    matches: dict[int, list[tuple[str, str, int]]] = {}
    for scene in scenes:
        for found in scene.compare(forbidden_entries(snapshot)):
            for position in sorted(forbidding(snapshot, found[0]))[:FOUND_MAX]:
                if snapshot.store_of(position) in scene.stores:
                    matches.setdefault(position, []).append(found)
    candidates = []
    for position in sorted(matches):
        document = snapshot.documents[position]
        if document.category in CATEGORIES:
            updated_at = -(2**63) if document.updated_at is None else document.updated_at
            candidates.append((CATEGORIES.index(document.category), -updated_at, position))
    breaches: list[Breach] = []
    for _strictness, _updated_at, position in sorted(candidates)[:MOST_LOOKS]:
        if len(breaches) == MOST_BREACHES or files.successor(position) != position:
            continue
        memory = files.verify(position, Ranking(position))
        if memory is None or memory.is_unreviewed or memory.parts[0] not in CATEGORIES:
            continue
        if memory.data is None or not holds_at(memory.data, now):
            continue
        broken = _find_broken(memory.data, matches[position], memory.parts[2], has_spoken)
        if broken:
            breaches.append((memory, broken[0][0], sorted({key for _entry, key in broken})))
    return breaches


def _find_broken(
    data: bytes, found: list[tuple[str, str, int]], path: str, has_spoken: "HasSpoken"
) -> list[tuple[str, int]]:
    """The entries in a memory's file that an act breaks, with the number of each place about which the memory speaks.

    The file may have changed since it was indexed; its own entries count, in its own order.
    """
    own = object_in(read_json_object(data), "cuecard")
    return [
        (entry, key)
        for entry in read_forbids(own)
        for known, place, key in found
        if known == entry and _may_speak(own, entry, place) and not has_spoken(key, path)
    ]


def _may_speak(extension: dict[str, object], entry: str, place: str) -> bool:
    """Whether a memory speaks about a file or folder. In files with prose, code is only spoken about."""
    where = reach(extension, place)
    is_about_code = entry.startswith(("code:", "import:"))
    return where != OUTSIDE and (not is_about_code or not is_prose(place) or where == INSIDE)


def pack_breaches(
    root: str,
    breaches: "list[Breach]",
    others: list[RecalledMemory],
    is_over: bool,
    budget: tuple[int, int],
) -> "Packed":
    """Pack memories that forbid an act, and others that are anchored to its file; each counts as certain."""
    from ..engine.pack_items import items_of
    from ..present.forbidden_block import pack_forbidden

    items: list[PackItem] = [
        (*item[:5], ANCHORED, None) for item in items_of(root, [breach[0] for breach in breaches] + others)
    ]
    forbidding = [(items[place], breach[1]) for place, breach in enumerate(breaches)]
    return pack_forbidden(forbidding, items[len(breaches) :], is_over, budget)
