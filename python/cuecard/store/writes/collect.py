"""Deletes memories that were retired long enough ago."""

import time
from dataclasses import dataclass, field

from ...errors import WriteError
from ...files.folder import Unread
from ...files.lock import locked
from ...files.memory_files import read_all_records
from ...files.store_files import StoreFiles
from ..derived.reindex import renew
from ..records.memory_file import MemoryFile, read_memory_file
from ..settings.writer_settings import read_writer_settings
from ..trust.trust_of_writes import TrustOfWrites
from .journal import Step, note, operation
from .retained import Exceeding, retire_exceeding


@dataclass(frozen=True)
class Expired:
    """A retired memory past its grace period."""

    path: str
    """The path of the memory's file, relative to the project."""
    title: str
    age_days: int
    """Whole days since the retirement."""


@dataclass
class Collection:
    """The result of a collection: what was deleted or, in a dry run, would be deleted."""

    grace_days: int
    is_dry_run: bool
    expired: list[Expired] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Retired memories that could not be deleted or whose age is not known, each with the reason."""
    damaged: list[tuple[str, str]] = field(default_factory=list)
    """Files that stay because they cannot be read, each with the reason."""
    notes: list[str] = field(default_factory=list)
    exceeding: list[Exceeding] = field(default_factory=list)
    """Session summaries that were retired, or would be, because there are more than `max_retained`."""


@operation("gc")
def collect_garbage(root: str, memory_dir: str, *, is_dry_run: bool = False) -> Collection:
    """Delete expired memories by the project's settings, and retire session summaries beyond `max_retained`.

    Raises `LockError` and `WriteError`.
    """
    settings = read_writer_settings(memory_dir)
    collection = collect(root, memory_dir, grace_days=settings.grace_days, is_dry_run=is_dry_run)
    collection.exceeding = retire_exceeding(root, memory_dir, retained=settings.max_retained, is_dry_run=is_dry_run)
    # What is ignored of the settings concerns other commands.
    collection.notes[:0] = [note for note in settings.notes if "; using " in note]
    return collection


def collect(
    root: str, memory_dir: str, *, grace_days: int, is_dry_run: bool = False, now: int | None = None
) -> Collection:
    """Delete the memories of a project that were retired at least `grace_days` whole days before `now`.

    `now` is in microseconds since 1970. Archived memories, and retired memories without a readable time, stay. Each
    memory is read again under the store's lock before it is deleted, because it may have been restored. Links are not
    followed. Then index and snapshot are brought up to date. Raises `LockError` and `WriteError`.
    """
    now = time.time_ns() // 1000 if now is None else now
    collection = Collection(grace_days, is_dry_run)
    found = []
    for category, path, data in read_all_records(root, memory_dir):
        expired = _find_expired(category, path, data, collection, now)
        if expired:
            found.append((category, expired))
    if is_dry_run:
        collection.expired = [expired for _category, expired in found]
    elif found:
        with locked(memory_dir):
            _delete(root, memory_dir, found, collection, now)
    return collection


def _find_expired(category: str, path: str, data: bytes | None, collection: Collection, now: int) -> Expired | None:
    memory = read_memory_file(category, path, data)
    if isinstance(memory, str):
        collection.damaged.append((path, memory))
    elif memory.status == "retired":
        if not memory.retired_at:
            collection.skipped.append((path, "no `retired_at` timestamp"))
        elif (age_days := memory.retired_days(now)) is None:
            collection.skipped.append((path, "a `retired_at` that is not a timestamp"))
        elif age_days >= collection.grace_days:
            return Expired(path, memory.title, age_days)
    return None


def _delete(root: str, memory_dir: str, found: list[tuple[str, Expired]], collection: Collection, now: int) -> None:
    trust = TrustOfWrites((root, memory_dir))
    with StoreFiles(memory_dir) as files, operation("gc"):
        for category, expired in found:
            path = expired.path
            try:
                data = files.read(path)[0]
                memory = read_memory_file(category, path, data)
                if not _is_still_expired(memory, collection.grace_days, now):
                    collection.skipped.append((path, "it has just been changed"))
                    continue
                note(memory_dir, "gc", Step(path, data, None))
                files.remove(path)
                trust.take_out(category, path, data)
            except Unread as unread:
                is_link = unread.words == Unread.OUTSIDE
                collection.skipped.append((path, "a link in its path" if is_link else f"it {unread.words}"))
            except OSError as error:
                collection.skipped.append((path, f"it cannot be deleted: {error.strerror or error}"))
            else:
                collection.expired.append(expired)
    collection.notes += trust.take_reasons()
    if collection.expired:
        _renew_index(root, memory_dir, collection)


def _renew_index(root: str, memory_dir: str, collection: Collection) -> None:
    try:
        collection.notes += renew(root, memory_dir).problems
    except WriteError as error:
        # The memories are deleted already, so the failure of the index becomes a note and not an error.
        collection.notes.append(error.what)


def _is_still_expired(memory: MemoryFile | str, grace_days: int, now: int) -> bool:
    if isinstance(memory, str) or memory.status != "retired":
        return False
    age_days = memory.retired_days(now)
    return age_days is not None and age_days >= grace_days
