"""Inspects a store: whether the index matches the memory files, which files are damaged, and other findings."""

import os
import time

from ..._backend import check_schema, describe_file, engine, plain_problem
from ...basics.category import FOLDERS
from ...basics.conflict_markers import find_conflict_markers
from ...basics.counted import counted
from ...basics.light_dataclass import dataclass, field
from ...files.folder import RefusedError, Unread, is_temporary
from ...files.memory_files import read_all_files, read_index
from ...files.quarantine import is_set_aside
from ...files.schemas import load_schema
from ...files.store_files import StoreFiles
from ..records.memory_file import INACTIVE, UNKNOWN_STATUS, MemoryFile, read_memory_file
from .snapshot_health import SnapshotHealth, inspect_snapshot

# A memory with more updates than this may contain what should be several memories.
MANY_UPDATES = 5
RECENT_DAYS = 7

MISSING = "is missing"
OUTSIDE = "is outside the store"
DAMAGED = "is damaged"
STRAY = "is in no category's folder"
CONFLICT_MARKER = "a conflict marker of a merge"
INDEX = ".claude/memory/index.md"
# Only the name of such a file is wrong; its content is in order.
BLANK_IN_PATH = "its path contains white space"
# A link to a folder may lead to any files on this machine.
LINKED_FOLDER = "it is a link, and what it leads to is not read"
# What `cuecard health`, `cuecard doctor` and the commands of the index propose.
BEGIN = "`cuecard init` looks for what can be imported, `cuecard add` saves a memory"
# What repairs files in conflict.
MERGE = "`cuecard merge` repairs them"
REBUILD_REST = "`cuecard index rebuild` reads all memory files at once"


@dataclass(frozen=True)
class StaleLine:
    """A line of `index.md` without an active memory."""

    line: int
    path: str
    reason: str
    """`MISSING`, `OUTSIDE`, `DAMAGED`, `STRAY`, `is retired` or `is archived`."""


@dataclass
class Health:
    """The findings of an inspection. Paths are relative to the project; line numbers are lines of `index.md`."""

    index_problem: str = ""
    """Why the index cannot be read, in the words of `Unread`; "" if it can."""
    lines: int = 0
    """How many lines of the index name a memory."""
    bad_lines: list[tuple[int, str]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """The number of active memories for each category name that the index shows, in the order of names."""
    retired: int = 0
    archived: int = 0
    unlisted: list[str] = field(default_factory=list)
    """Active memories that the index does not list; empty if there is no index."""
    stale: list[StaleLine] = field(default_factory=list)
    damaged: list[tuple[str, str]] = field(default_factory=list)
    """Files that recall cannot read as a memory, each with the reason."""
    conflicted: list[str] = field(default_factory=list)
    """Files with the conflict markers of a merge: memories, which are damaged too, and `index.md`."""
    unfit: list[tuple[str, str]] = field(default_factory=list)
    """Memories that recall can show but that break the schema, so that an update refuses them; with the first problem
    of each (SPEC 17)."""
    unknown: list[str] = field(default_factory=list)
    """Files in the folders of categories that are not memory files and are never read."""
    aside: list[str] = field(default_factory=list)
    """Damaged files that an earlier command renamed, so that they are not read."""
    heavily_updated: list[MemoryFile] = field(default_factory=list)
    """Memories of any status with more than `MANY_UPDATES` updates, most first."""
    recently_retired: list[tuple[MemoryFile, int]] = field(default_factory=list)
    """Memories retired at most `RECENT_DAYS` whole days ago, each with the number of days; latest first."""
    snapshot: SnapshotHealth = field(default_factory=SnapshotHealth)

    @property
    def active(self) -> int:
        """How many active memories the store has."""
        return sum(self.counts.values())

    @property
    def inactive(self) -> int:
        """How many memories are retired or archived."""
        return self.retired + self.archived

    @property
    def has_nothing_to_list(self) -> bool:
        """Whether `index.md` is missing because there is nothing to list: a rebuild would not write it either."""
        return self.index_problem == Unread.MISSING and not self.counts and not self.damaged

    @property
    def is_in_step(self) -> bool:
        """Whether the index exists and lists exactly the active memories."""
        return not (self.index_problem or self.unlisted or self.stale)

    @property
    def only_damaged(self) -> list[tuple[str, str]]:
        """The damaged files that are not in conflict, each with the reason."""
        return [(path, reason) for path, reason in self.damaged if path not in self.conflicted]

    @property
    def reasons(self) -> list[str]:
        """The reasons why the store needs attention, one sentence each; empty if it needs none."""
        reasons = []
        if self.index_problem:
            reasons += [] if self.has_nothing_to_list else [f"index.md {self.index_problem}"]
        elif not self.is_in_step:
            reasons.append("index.md does not match the memories")
        if self.snapshot.state == "damaged":
            reasons.append("the snapshot is damaged")
        if self.conflicted:
            reasons.append(f"{counted(len(self.conflicted), 'file')} with the conflict markers of a merge")
        if self.only_damaged:
            reasons.append(f"{counted(len(self.only_damaged), 'file')} damaged")
        if self.heavily_updated:
            reasons.append(f"{counted(len(self.heavily_updated), 'memory', 'memories')} updated very often")
        return reasons


def inspect(root: str, memory_dir: str, now: int | None = None, *, is_brief: bool = False) -> Health:
    """Read index, snapshot and every memory of a project; nothing is written. `now` is in microseconds since 1970.

    With `is_brief`, `unfit`, `heavily_updated` and `recently_retired` stay empty, because they need every field of a
    record. This takes a third of the time.
    """
    now = time.time_ns() // 1000 if now is None else now
    health = Health()
    listed = _read_index(memory_dir, health)
    place = StoreFiles(memory_dir)
    # For each file in the store, why an index line for it would be stale; "" if it would not be.
    known: dict[str, str] = {}
    active: list[str] = []
    # The paths of the files that belong in a snapshot.
    documents: set[str] = set()
    schemas = {} if is_brief else {category: load_schema(category) for _folder, category in FOLDERS}
    files = read_all_files(memory_dir)
    for category, path, data, size, modified in files:
        described = describe_file(category, path, data, size, modified) if data is not None else None
        if described is not None:
            documents.add(path)
            if is_brief and _count_described(health, described.line, described.status):
                known[path] = f"is {described.status}" if described.status in INACTIVE else ""
                if described.status == "active":
                    active.append(path)
                continue
        memory = read_memory_file(category, path, data)
        if isinstance(memory, str):
            known[path] = DAMAGED
            health.damaged.append((path, _why_unread(place, path) if data is None else memory))
            if data is not None and find_conflict_markers(data):
                health.conflicted.append(path)
            continue
        _add(health, memory, now, is_brief)
        if not memory.has_known_status:
            known[path] = DAMAGED
            health.damaged.append((path, UNKNOWN_STATUS))
            continue
        if data is not None and not is_brief:
            _hold_against_schema(health, path, data, schemas[category])
        known[path] = f"is {memory.status}" if memory.status in INACTIVE else ""
        if memory.status == "active":
            active.append(path)
    _add_others(health, place)
    health.snapshot = inspect_snapshot(root, memory_dir, files, documents)
    health.counts = dict(sorted(health.counts.items()))
    health.heavily_updated.sort(key=lambda memory: -memory.times_updated)
    health.recently_retired.sort(key=lambda retirement: retirement[1])
    # The paths of files that exist are already normalised.
    plain_paths = [path if path in known else _plain(path) for _line, path in listed]
    if not health.index_problem:
        listed_paths = set(plain_paths)
        health.unlisted = [path for path in active if path not in listed_paths]
    for (line, path), plain in zip(listed, plain_paths, strict=True):
        reason = known[plain] if plain in known else _why_unknown(place, path)
        if reason:
            health.stale.append(StaleLine(line, path, reason))
    place.close()
    return health


def _add_others(health: Health, files: StoreFiles) -> None:
    """Add linked folders, invalid files that were renamed, and unknown files to the findings."""
    for folder, _category in FOLDERS:
        try:
            place = files.folder(folder)
            names = sorted([entry.name for entry in (place.scan() if place else ())])
        except RefusedError:
            health.damaged.append((f".claude/memory/{folder}", LINKED_FOLDER))
            continue
        except OSError:
            continue
        for name in names:
            path = f".claude/memory/{folder}/{os.fsencode(name).decode('utf-8', 'replace')}"
            if is_set_aside(name):
                health.aside.append(path)
            elif not name.endswith(".json") and not is_temporary(name):
                health.unknown.append(path)


def _hold_against_schema(health: Health, path: str, data: bytes, schema: bytes) -> None:
    problems = check_schema(data, schema)
    if problems:
        name, expected, found = plain_problem(problems[0])
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        health.unfit.append((path, f"`{name}` should be {expected} and is {found}{more}"))


def _count_described(health: Health, line: str, status: str) -> bool:
    """Count a memory by its index line and its status. Returns False for an unknown status, and counts nothing."""
    if status == "active":
        category = line[len("- [") :].partition("] ")[0]
        health.counts[category] = health.counts.get(category, 0) + 1
    elif status == "retired":
        health.retired += 1
    elif status == "archived":
        health.archived += 1
    else:
        return False
    return True


def _add(health: Health, memory: MemoryFile, now: int, is_brief: bool) -> None:
    if memory.status == "active":
        health.counts[memory.category] = health.counts.get(memory.category, 0) + 1
    elif memory.status == "retired":
        health.retired += 1
        days = memory.retired_days(now)
        if days is not None and days <= RECENT_DAYS and not is_brief:
            health.recently_retired.append((memory, days))
    elif memory.status == "archived":
        health.archived += 1
    if memory.times_updated > MANY_UPDATES and not is_brief:
        health.heavily_updated.append(memory)


def _read_index(memory_dir: str, health: Health) -> list[tuple[int, str]]:
    """Return line number and path of every memory in the index; empty if the index cannot be read."""
    try:
        data = read_index(memory_dir)
    except Unread as unread:
        health.index_problem = unread.words
        return []
    index = engine.IndexMd(data)
    health.lines = len(index.entries)
    marked = [(line, CONFLICT_MARKER) for line in find_conflict_markers(data)]
    health.bad_lines = sorted([*index.bad_lines, *marked])
    health.conflicted += [INDEX] if marked else []
    return [(entry.line, entry.path) for entry in index.entries]


def _plain(path: str) -> str:
    return os.path.normpath(path).replace(os.sep, "/")


def _why_unknown(files: StoreFiles, path: str) -> str:
    """Return why the index should not list a path that is not a memory file in a category's folder."""
    if files.is_outside(path):
        return OUTSIDE
    return STRAY if files.exists(path) else MISSING


def _why_unread(files: StoreFiles, path: str) -> str:
    try:
        files.read(path)
    except Unread as unread:
        return "it is a link or outside the store" if unread.words == Unread.OUTSIDE else f"it {unread.words}"
    return "it could not be read"
