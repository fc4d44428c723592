"""Memories whose main statement the host itself shows its agent, in a file such as `CLAUDE.md` (SPEC 12.6).

`hosts/shown_files.py` reads these files and writes a list of keys; a prompt reads only the list.
"""

import os

from ...basics.json_reader import JsonError, read_json
from ...basics.tables import find_row
from ...files.folder import Unread
from ...files.user_folder import open_store_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .recalled_memory import Found, RecalledMemory

FOLDER = "hosted"
HEADER = "cuecard hosted 1"
# The writer keeps the file far below this size. A larger file is ignored.
MAX_BYTES = 1 << 18
# Stands for size and time of a file that is not there.
MISSING = "- -"
# Only a file of the user's own can stand for a memory of these categories, because a stranger can quote it in another
# sense.
RULES = ("constraint", "preference")


class HostedStatements:
    """The statements that a host shows its agent by itself, as keys."""

    def __init__(self, data: bytes) -> None:
        """Read the list; a damaged list says nothing."""
        parsed = _parse(data)
        # The keys of the user's own files, and those of files of the project, which a stranger may have written; the
        # files that were read, each with its size and time.
        self._own, self._project, self.files = parsed or (set(), set(), [])

    def has(self, record: dict[str, object], *, is_vouched: bool) -> bool:
        """Whether the host shows what a memory says. `is_vouched` says whether somebody vouches for the memory."""
        if not self._own and not self._project:
            return False
        # Loaded only where a host shows something.
        from ..memory.statement import main_statement, statement_key

        key = statement_key(main_statement(record))
        if not key:
            return False
        return key in self._own or (key in self._project and not (is_vouched and _is_rule(record)))

    def hosts(self, memory: "RecalledMemory") -> bool:
        """Whether the host shows what a recalled memory says."""
        if not self._own and not self._project:
            return False
        try:
            record = read_json(memory.data or b"")
        except JsonError:
            return False
        return isinstance(record, dict) and self.has(record, is_vouched=not memory.is_unreviewed)

    def holds(self) -> bool:
        """Whether the files are as they were when they were read."""
        return all(stamp == stamp_of(path) for stamp, path in self.files)


def read_hosted(memory_dir: str, host: str) -> HostedStatements:
    """The list of a store for a host; it is empty if there is none."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return HostedStatements(b"")
    with folder:
        try:
            return HostedStatements(folder.read(host, MAX_BYTES)[0])
        except Unread:
            return HostedStatements(b"")


def is_stale(project: tuple[str, str], host: str, home: str) -> bool:
    """Whether the files of a host must be read again: one of them has changed, or there are some never read."""
    row = find_row("hosts", "shown_files", host)
    if not row:
        return False
    statements = read_hosted(project[1], host)
    if statements.files:
        return not statements.holds()
    names = row.replace("|", " ").split(" ")
    places = [(home, name[2:]) if name.startswith("~/") else (project[0], name) for name in names]
    return any(folder and os.path.exists(os.path.join(folder, name)) for folder, name in places)


def pass_over_hosted(found: "Found", statements: HostedStatements) -> None:
    """Pass over the memories that the host itself shows to its agent."""
    hosted = [memory for memory in found.memories if statements.hosts(memory)]
    found.memories = [memory for memory in found.memories if memory not in hosted]
    found.passed_over[:0] = [(memory, "hosted") for memory in hosted]


def stamp_of(path: str) -> str:
    """Size and time of a file as they stand in the list."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return MISSING
    return f"{status.st_size} {status.st_mtime_ns}"


def _is_rule(record: dict[str, object]) -> bool:
    from ..memory.forbids import read_forbids

    own = record.get("cuecard")
    return record.get("category") in RULES or (isinstance(own, dict) and bool(read_forbids(own)))


def _parse(data: bytes) -> "tuple[set[str], set[str], list[tuple[str, str]]] | None":
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    head, *lines = text.removesuffix("\n").split("\n")
    if not text.endswith("\n") or head != HEADER:
        return None
    keys: dict[str, set[str]] = {"own": set(), "project": set()}
    files: list[tuple[str, str]] = []
    for line in lines:
        kind, blank, rest = line.partition(" ")
        if kind in keys and blank:
            keys[kind].add(rest)
            continue
        size, _, after = rest.partition(" ")
        modified, second, path = after.partition(" ")
        if kind != "file" or not second:
            return None
        files.append((f"{size} {modified}", path))
    return keys["own"], keys["project"], files
