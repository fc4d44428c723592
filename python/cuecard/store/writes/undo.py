"""Undoes an operation: every file that it changed gets its former bytes again."""

from dataclasses import dataclass, field

from ...basics.category import FOLDERS
from ...errors import ConflictError, InputError, MissingError, StoreError, WriteError
from ...files.folder import RefusedError, Unread
from ...files.lock import locked
from ...files.store_files import StoreFiles, open_store
from ..derived.reindex import renew
from ..records.memory import Memory
from ..records.record_file import decode
from ..trust.trust_of_writes import TrustOfWrites
from .journal import Operation, Step, finish, hash_of, note, operation, read_journal


@dataclass(frozen=True)
class Undone:
    """The result of an undo, or of its dry run."""

    operation: Operation
    id: str = ""
    """The id of the undo itself, which can be undone as well; "" if nothing was changed."""
    restored: list[str] = field(default_factory=list)
    """Paths of files that got their former bytes or were created again."""
    removed: list[str] = field(default_factory=list)
    """Paths of files that the operation had created and the undo removed."""
    problems: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """Return what `--json` prints."""
        return {
            "undone": self.operation.id,
            "what": self.operation.what,
            "at": self.operation.at,
            "operation": self.id or None,
            "restored": self.restored,
            "removed": self.removed,
            "warnings": self.problems,
        }


def undo(root: str, memory_dir: str, operation_id: str = "", *, is_dry_run: bool = False) -> Undone:
    """Undo the operation with an id; without an id, the latest operation that is not an undo and was not undone.

    An operation is undone as a whole or not at all. Raises `ConflictError` if one of its files has changed since, and
    `MissingError` if there is no such operation within the grace period; also `LockError` and `WriteError`. After a
    crash during the undo, the same command completes it.
    """
    with locked(memory_dir):
        found = find_operation(read_journal(memory_dir), operation_id)
        with StoreFiles(memory_dir) as files:
            now = {path: _read(files, path) for path in found.changes}
        pending = {
            path: before for path, (before, _after) in found.changes.items() if hash_of(now[path]) != hash_of(before)
        }
        # After a crash during a rename, the old text can be under the new name. This is not a change by others.
        moved = {hash_of(before) for before, after in found.changes.values() if before is not None and not after}
        changed = [path for path in pending if hash_of(now[path]) not in {found.changes[path][1], *moved}]
        if changed:
            raise ConflictError(
                f"`{changed[0]}` has changed since `{found.what}`" + _and_more(len(changed) - 1),
                "undo the later operations first, which `cuecard history` lists; nothing was changed",
                field="hash",
                expected="the file as the operation left it",
                found="another one",
            )
        restored = [path for path, before in pending.items() if before is not None]
        removed = [path for path, before in pending.items() if before is None]
        if is_dry_run or not found.changes:
            return Undone(found, "", restored, removed)
        undoing = ""
        # Files that an interrupted undo has restored already are noted again, so that the undo can be undone as a
        # whole.
        with operation(f"undo {found.what}", found.id):
            for path, (before, _after) in found.changes.items():
                undoing = _put_back(memory_dir, path, now[path], before)
        problems = _settle_trust((root, memory_dir), found, now)
        problems += renew(root, memory_dir).problems
        if undoing:
            finish(memory_dir, undoing)
        return Undone(found, undoing, restored, removed, problems)


def find_operation(journal: list[Operation], operation_id: str) -> Operation:
    """Return the operation whose id begins with `operation_id`; for "" the latest that can be undone.

    Raises `MissingError` if no operation fits, or if several ids have this beginning.
    """
    if operation_id:
        named = [each for each in journal if each.id.startswith(operation_id)]
        if len(named) == 1:
            return named[0]
        what = f"no operation has the id `{operation_id}`"
        if named:
            what = f"several operations have an id that begins with `{operation_id}`"
        raise MissingError(what, "`cuecard history` lists the operations that can be undone")
    undone = undone_ids(journal)
    for each in journal:
        if not each.undoes and each.changes and each.id not in undone:
            return each
    raise MissingError("there is nothing to undo", "writes can be undone within the grace period of deletions")


def undone_ids(journal: list[Operation]) -> set[str]:
    """Return the ids of the operations that are undone, unless the undo was undone. `journal` has the latest first."""
    undone: set[str] = set()
    for each in journal:
        if each.undoes and each.is_done and each.id not in undone:
            undone.add(each.undoes)
    return undone


def _settle_trust(project: tuple[str, str], undone: Operation, now: dict[str, bytes | None]) -> list[str]:
    """Vouch for the former texts as before, and for those of the operation no more. Returns the problems."""
    trust = TrustOfWrites(project)
    for path, (before, _after) in undone.changes.items():
        category = dict(FOLDERS).get(path.split("/")[-2], "")
        was = now[path]
        if was is not None and was != before:
            trust.take_out(category, path, was)
        if before is not None:
            try:
                memory = Memory(before, category, path, decode(before, f"`{path}`"))
            except InputError:
                continue
            trust.put_back(memory)
    return trust.take_reasons()


def _put_back(memory_dir: str, path: str, now: bytes | None, before: bytes | None) -> str:
    """Give a file its former bytes, or remove it; returns the id of the undo."""
    try:
        undoing = note(memory_dir, "undo", Step(path, now, hash_of(before)))
        if before == now:
            return undoing
        if before is None:
            with StoreFiles(memory_dir) as files:
                files.remove(path)
        else:
            name, file = path.split("/")[-2:]
            with open_store(memory_dir) as store, store.make_folder(name) as folder:
                folder.replace(file, before)
                folder.sync()
    except RefusedError:
        raise StoreError(f"`{path}` is a link or outside the store", "put the file itself into the store") from None
    except OSError as error:
        what = f"`{path}` cannot be written: {error.strerror or error}"
        raise WriteError(what, "make room, or check the permissions, and undo again") from error
    return undoing


def _read(files: StoreFiles, path: str) -> bytes | None:
    """Return the bytes of a file; None if it does not exist. Raises `StoreError` if it cannot be read."""
    try:
        return files.read(path)[0]
    except Unread as unread:
        if unread.words == Unread.MISSING:
            return None
        raise StoreError(f"`{path}` {unread.words}", "see what `cuecard health` says about it") from None


def _and_more(count: int) -> str:
    return f", and so {'has one more file' if count == 1 else f'have {count} more files'}" if count > 0 else ""
