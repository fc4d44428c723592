"""What happens to memory files between taking the store's lock and letting go of it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ...basics.category import FOLDERS
from ...basics.timestamp import parse_timestamp
from ...errors import ConflictError, LimitError, OverwriteError, ResurrectionError, StoreError, WriteError
from ...files.folder import LINK, Folder, RefusedError, Unread
from ...files.lock import locked
from ...files.store_files import StoreFiles, open_store
from ..derived.upkeep import Upkeep
from ..records import lifecycle, record_file
from ..records.find_memory import find_memory
from ..records.memory import Memory, read_memories, read_memory
from ..records.record_file import Fields
from ..records.slug import MAX_ID_CHARS
from ..trust.trust_of_writes import TrustOfWrites
from . import journal, rolling_window

RESURRECTION_HOURS = 24
_FOLDER_OF = {category: folder for folder, category in FOLDERS}


@contextmanager
def writing(root: str, memory_dir: str, what: str) -> "Iterator[Transaction]":
    """Hold the lock of a project's store; at the end, whatever happened, `index.md` and the snapshot follow.

    `what` names the operation in the journal, unless one is open. Raises `LockError`, and `WriteError` for what the
    machine refuses.
    """
    with locked(memory_dir), journal.operation(what):
        transaction = Transaction(root, memory_dir)
        try:
            yield transaction
        except OSError as error:
            what = f"`{error.filename or memory_dir}` cannot be written: {error.strerror or error}"
            raise WriteError(what, "make room, or check the permissions; nothing was lost") from error
        finally:
            transaction.problems += transaction.upkeep.finish()


class Transaction:
    """Memory files of a project, changed one whole file at a time, under the lock.

    Methods raise `OSError` where the machine refuses, beside the errors they name.
    """

    def __init__(self, root: str, memory_dir: str) -> None:
        self.upkeep = Upkeep(root, memory_dir)
        self.problems: list[str] = []
        """What did not go well although the write did; complete when the transaction is over."""
        self.trust = TrustOfWrites((root, memory_dir))
        """Who vouches for what is written."""
        self.operation = ""
        """The id under which the writes can be undone; "" where nothing was written, or nothing can be kept."""
        self._root = root
        self._memory_dir = memory_dir

    def read(self, name: str, expect_hash: str) -> Memory:
        """The memory that `name` names; `ConflictError` where `expect_hash` is given and is not its hash."""
        memory = read_memory(self._root, self._memory_dir, *find_memory(self._root, self._memory_dir, name))
        if expect_hash and not record_file.has_hash(memory.data, expect_hash):
            raise ConflictError(
                f"`{memory.id}` has changed since it was read",
                f"read it again with `cuecard show {memory.id} --json` and repeat the change; nothing was written",
                field="hash",
                expected=f"`{expect_hash.strip()}`",
                found=f"`{memory.hash}`",
            )
        return memory

    def write(self, category: str, path: str, record: Fields, old_path: str = "") -> Memory:
        """Put a record's file in its place; the oldest history goes where it would be too large. `LimitError`.

        `old_path` is where it stood, if it gets another name.
        """
        data = record_file.encode_to_fit(record)
        changes = self.upkeep.changes
        changes.about_to_change(path)
        before = self._read_before(old_path or path)
        if old_path not in ("", path):
            self._note(old_path, before, None)
            self._note(path, self._read_before(path), data)
        else:
            self._note(path, before, data)
        name = path.rpartition("/")[2]
        with self._open_folder(path) as folder:
            if old_path in ("", path):
                folder.replace(name, data)
            else:
                changes.about_to_change(old_path)
                folder.replace_renamed(old_path.rpartition("/")[2], name, data)
                changes.settle_removed(old_path)
            doubt = folder.sync()
        changes.settle_added(category, path, data)
        if doubt:
            self.problems.append(f"`{path}` is written, but may not survive a crash of the machine: {doubt}")
        memory = Memory(data, category, path, record)
        self.trust.settle(before, memory)
        return memory

    def _note(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Put a change into the journal, before it happens."""
        step = journal.Step(path, before, journal.hash_of(after))
        self.operation = journal.note(self._memory_dir, "write", step)

    def is_there(self, path: str) -> bool:
        """Whether a file has this path."""
        with StoreFiles(self._memory_dir) as files:
            return files.exists(path)

    def _read_before(self, path: str) -> bytes | None:
        """What the file at a path holds; None where there is none that can be read."""
        with StoreFiles(self._memory_dir) as files:
            try:
                return files.read(path)[0]
            except Unread:
                return None

    def find_same(self, category: str, path: str, record: Fields) -> Memory | None:
        """The memory at `path` where it says what a new record does; None where the place is to be had.

        `OverwriteError` and `ResurrectionError` where it is not.
        """
        if not self.is_there(path):
            return None
        there = read_memory(self._root, self._memory_dir, category, path)
        if there.status != "retired":
            if _says_the_same(there.record, record):
                return there
            first = "" if there.status == "active" else f"bring it back with `cuecard unarchive {there.id}`, or "
            raise OverwriteError(
                f"there is a memory `{there.id}` already, titled `{there.title}`",
                f"{first}change it with `cuecard update {there.id}`, or choose another title",
                field="id",
                expected="an id that is free",
                found=f"`{there.id}`, which is {there.status}",
            )
        retired_at = there.record.get("retired_at")
        retired = parse_timestamp(retired_at) if isinstance(retired_at, str) else None
        if retired is not None and (time.time() - retired / 1e6) / 3600 < RESURRECTION_HOURS:
            raise ResurrectionError(
                f"`{there.id}` was retired within the last {RESURRECTION_HOURS} hours ({retired_at})",
                f"bring it back with `cuecard restore {there.id}`, or choose another title",
                field="id",
                expected="an id that nobody retired just now",
                found=f"`{there.id}`",
            )
        return None

    def clear_the_way(self, category: str, path: str) -> None:
        """Move the memory at `path`, retired long ago, to a name of its own."""
        if self.is_there(path):
            there = read_memory(self._root, self._memory_dir, category, path)
            free = self._free_id(category, there.id, str(there.record.get("retired_at"))[:10])
            self.write(category, path_of(category, free), {**there.record, "id": free}, path)

    def check_room(self, category: str, limit: int | None, leaving: int = 0) -> None:
        """`LimitError` where a category has `limit` active memories beside those that are `leaving`.

        Reads them all where there is a limit.
        """
        if limit is None:
            return
        count = len(self._active(category)) - leaving
        if count >= limit:
            raise LimitError(
                f"there are {count} active memories of the category `{category}`, and the limit is {limit}",
                "retire or archive some, or raise `max_memories_per_category` in memory-config.json",
                field="category",
                expected=f"fewer than {limit}",
                found=f"{count}",
            )

    def roll(self, retained: int, newest: str, now: str) -> list[str]:
        """Retire the session summaries that the window has moved past; returns their ids, oldest first.

        `newest` is the path of the one just written, which stays whatever the dates of the others.
        """
        summaries = {memory.path: memory for memory in self._active("session_summary")}
        others = [(path, found.record) for path, found in summaries.items() if path != newest]
        return self.retire_summaries(rolling_window.exceeding(others, retained - 1), now)

    def retire_summaries(self, paths: list[str], now: str) -> list[str]:
        """Retire the session summaries at `paths` that are active; returns their ids."""
        ids = []
        for path in paths:
            memory = read_memory(self._root, self._memory_dir, "session_summary", path)
            retired = lifecycle.apply("retire", memory.record, rolling_window.REASON, now)
            if retired is not None:
                self.write(memory.category, path, retired)
                ids.append(memory.id)
        return ids

    def _active(self, category: str) -> list[Memory]:
        return [memory for memory in read_memories(self._root, self._memory_dir, category) if memory.status == "active"]

    def _open_folder(self, path: str) -> Folder:
        """The folder of a memory's file, which is made where it is missing. Raises StoreError, OSError."""
        name, file = path.split("/")[-2:]
        try:
            with open_store(self._memory_dir) as store:
                folder = store.make_folder(name)
        except RefusedError:
            raise _outside(path) from None
        if folder.kind(file) == LINK:
            raise _outside(path)
        return folder

    def _free_id(self, category: str, memory_id: str, day: str) -> str:
        """An id for a retired memory whose own is wanted: nothing is overwritten."""
        digits = "".join([char for char in day if char in "0123456789"])
        suffix = f"-retired-{digits}" if digits else "-retired"
        stem = memory_id[: MAX_ID_CHARS - len(suffix) - 4] + suffix
        count = 1
        while self.is_there(path_of(category, free := stem if count == 1 else f"{stem}-{count}")):
            count += 1
        return free


def path_of(category: str, memory_id: str) -> str:
    """The path of a memory's file, relative to the project."""
    return f".claude/memory/{_FOLDER_OF[category]}/{memory_id}.json"


def _outside(path: str) -> StoreError:
    return StoreError(f"`{path}` is a link or outside the store", "put the file itself into the store")


def _says_the_same(old: Fields, new: Fields) -> bool:
    """Whether two records differ in nothing but dates and history."""
    ignored = ("created_at", "updated_at", "times_updated", "changes")
    return all(old.get(name) == new.get(name) for name in {*old, *new} if name not in ignored)
