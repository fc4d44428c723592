"""The changes to memory files that are made while the store's lock is held."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ...basics.category import FOLDERS
from ...basics.timestamp import parse_timestamp
from ...errors import ConflictError, LimitError, OverwriteError, ResurrectionError, StoreError, WriteError
from ...files.folder import LINK, Folder, RefusedError
from ...files.lock import locked
from ...files.root import refuse_beginning
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
    """Hold the lock of a project's store; at the end, also after an error, update `index.md` and the snapshot.

    `what` names the operation in the journal, unless one is open. Raises `LockError`, and `WriteError` if a file cannot
    be written, and `StoreError` if it would begin memories where no project is.
    """
    refuse_beginning(root, memory_dir)
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
    """Changes memory files of a project under the lock, one whole file at a time.

    Besides the errors that they name, methods raise `OSError` if a file cannot be read or written.
    """

    def __init__(self, root: str, memory_dir: str) -> None:
        self.upkeep = Upkeep(root, memory_dir)
        self.problems: list[str] = []
        """Sentences about failures that did not stop the write; complete at the end of the transaction."""
        self.trust = TrustOfWrites((root, memory_dir))
        """Decides the trust of the written memories."""
        self.operation = ""
        """The id by which the writes can be undone; "" if nothing was written or there is no journal."""
        self._root = root
        self._memory_dir = memory_dir

    def read(self, name: str, expect_hash: str) -> Memory:
        """Read the memory that `name` means. Raises `ConflictError` if `expect_hash` is given and is not its hash."""
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
        """Write a record's file. If it would be too large, the oldest entries of its history are dropped.

        `old_path` is its former path if the file is renamed. Raises `LimitError` if the file is too large even without
        history.
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
        self.problems += self.trust.take_reasons()
        return memory

    def _note(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Write a change to the journal before it happens."""
        step = journal.Step(path, before, journal.hash_of(after))
        self.operation = journal.note(self._memory_dir, "write", step)

    def is_there(self, path: str) -> bool:
        """Whether a file with this path exists."""
        with StoreFiles(self._memory_dir) as files:
            return files.exists(path)

    def _read_before(self, path: str) -> bytes | None:
        """Return the bytes of the file at a path; None if there is none or it cannot be read."""
        with StoreFiles(self._memory_dir) as files:
            return files.read_if_any(path)

    def find_same(self, category: str, path: str, record: Fields) -> Memory | None:
        """Return the memory at `path` if only its dates or history differ from a new record; None if the path is free.

        The path of a memory that was retired more than 24 hours ago counts as free. Raises `OverwriteError` if another
        memory has the path, and `ResurrectionError` if that memory was retired in the last 24 hours.
        """
        if not self.is_there(path):
            return None
        there = read_memory(self._root, self._memory_dir, category, path)
        if there.status != "retired":
            if _says_the_same(there.record, record):
                return there
            first = "" if there.status == "active" else f"bring it back with `cuecard restore {there.id}`, or "
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
                expected="an id that was not retired within the last day",
                found=f"`{there.id}`",
            )
        return None

    def clear_the_way(self, category: str, path: str) -> None:
        """Rename the memory at `path`, which was retired long ago, so that a new memory can have its path."""
        if self.is_there(path):
            there = read_memory(self._root, self._memory_dir, category, path)
            free = self._free_id(category, there.id, str(there.record.get("retired_at"))[:10])
            self.write(category, path_of(category, free), {**there.record, "id": free}, path)

    def check_room(self, category: str, limit: int | None, leaving: int = 0) -> None:
        """Raise `LimitError` if a category has `limit` active memories; None means no limit.

        `leaving` of them are not counted, because they will be retired. With a limit, all memories of the category are
        read.
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
        """Retire the session summaries beyond the `retained` newest; returns their ids, oldest first.

        `newest` is the path of the summary that was just written, which stays whatever the dates of the others are.
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
        """Open the folder of a memory's file, and create it if it is missing. Raises StoreError, OSError."""
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
        """Return an unused id for a retired memory whose own id a new memory needs."""
        digits = "".join([char for char in day if char in "0123456789"])
        suffix = f"-retired-{digits}" if digits else "-retired"
        stem = memory_id[: MAX_ID_CHARS - len(suffix) - 4] + suffix
        count = 1
        while self.is_there(path_of(category, free := stem if count == 1 else f"{stem}-{count}")):
            count += 1
        return free


def path_of(category: str, memory_id: str) -> str:
    """Return the path of a memory's file, relative to the project."""
    return f".claude/memory/{_FOLDER_OF[category]}/{memory_id}.json"


def _outside(path: str) -> StoreError:
    return StoreError(f"`{path}` is a link or outside the store", "put the file itself into the store")


def _says_the_same(old: Fields, new: Fields) -> bool:
    """Whether two records are equal apart from dates and history."""
    ignored = ("created_at", "updated_at", "times_updated", "changes")
    return all(old.get(name) == new.get(name) for name in {*old, *new} if name not in ignored)
