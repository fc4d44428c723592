"""The expected snapshot of a store, built from all its memory files, and comparisons of other snapshots with it."""

from pathlib import Path

from asking import ask
from backends import load_native
from cuecard import Store
from cuecard import _pure as pure
from cuecard._pure.engine.documents_file import read_documents, write_documents
from cuecard._pure.engine.snapshot import build_snapshot
from cuecard.basics.category import FOLDERS
from cuecard.files import freshness
from cuecard.files.freshness import MISSING
from cuecard.files.memory_files import read_all_files
from cuecard.store.derived import upkeep
from scratch_home import seal_derived

PROMPTS = ("use the cache for sessions", "a decision about writers and faults", "lantern", "index mmap", "thing 7")


def is_pure() -> bool:
    """Whether the store works with the pure backend."""
    return bool(vars(upkeep)["engine"].__name__ == "cuecard._pure")


def snapshot_path(memory_dir: str) -> str:
    """The path of a store's snapshot file."""
    return str(Path(memory_dir, ".cuecard", "documents.json" if is_pure() else "snapshot"))


def watermark_of(store: Store) -> list[int]:
    """The watermark (the times of the category folders) of an up-to-date snapshot of a store."""
    return [changed or MISSING for changed in freshness.folder_times(store.memory_dir)]


def seal(store: Store) -> None:
    """Mark the snapshot's files as written by cuecard, even if a test has changed them."""
    seal_derived(store.memory_dir)


def built_anew(store: Store) -> bytes:
    """The bytes of a new, up-to-date snapshot of all memory files."""
    config = Path(store.memory_dir, "memory-config.json")
    numbers = pure.read_settings(None, config.read_bytes() if config.exists() else None).numbers
    files = read_all_files(store.memory_dir)
    if is_pure():
        return write_documents(build_snapshot(files, watermark_of(store), numbers)[0])
    data: bytes = load_native().build_snapshot(files, watermark_of(store), numbers)[0]
    return data


def files_of(store: Store) -> tuple[bytes, bytes]:
    """The bytes of the snapshot and of its deltas; b"" for a missing file. The pure backend writes no deltas."""
    base = Path(snapshot_path(store.memory_dir))
    delta = base.with_name("snapshot.delta")
    return base.read_bytes() if base.exists() else b"", delta.read_bytes() if delta.exists() else b""


def open_snapshot(base: bytes, delta: bytes = b"") -> pure.Snapshot:
    """The snapshot in the bytes of its two files; `delta` may be empty."""
    if is_pure():
        return read_documents(base)
    snapshot: pure.Snapshot = load_native().Snapshot(base, delta)
    return snapshot


def on_disk(store: Store) -> pure.Snapshot:
    """The snapshot of a store, read from its files."""
    return open_snapshot(*files_of(store))


def state_of(snapshot: pure.Snapshot) -> tuple[list[int], int, bool, list[tuple[str, int, int]]]:
    """The watermark, the number of deltas, whether files are still unread, and the files without a document."""
    if is_pure():
        unfit = [file for folder, _category in FOLDERS for file in snapshot.unfit_files(folder)]
        return snapshot.watermark(), 0, snapshot.is_partial(), unfit
    watermark, deltas, _bytes, is_partial, unfit = load_native().snapshot_state(snapshot)
    return watermark, deltas, is_partial, unfit


def assert_snapshot_is_built_anew(store: Store) -> None:
    """Assert that a snapshot without deltas equals a new snapshot byte for byte.

    With deltas, it must have the same documents in the same order, and the keyword retriever must find the same hits. A
    delta that belongs to another base counts as none, because a slow hook may write such a delta late.
    """
    base, delta = files_of(store)
    expected = built_anew(store)
    found, built = open_snapshot(base, delta), open_snapshot(expected)
    if not state_of(found)[1]:
        assert state_of(found)[0] == state_of(built)[0]
        assert base == expected
        return
    found.check()
    assert state_of(found)[0] == state_of(built)[0]
    assert found.active_lines() == built.active_lines()
    assert documents_of(found) == documents_of(built)
    for prompt in PROMPTS:
        assert hits_of(found, prompt) == hits_of(built, prompt)


def documents_of(snapshot: pure.Snapshot) -> list[object]:
    """Every document of a snapshot, in the order of folders and paths."""
    found: list[object] = []
    for folder in ("sessions", "decisions", "runbooks", "constraints", "tech-debt", "preferences"):
        for path, _size, _modified in snapshot.files(folder):
            position = snapshot.find(path)
            assert position is not None
            found.append(snapshot.document(position))
    return found


def hits_of(snapshot: pure.Snapshot, prompt: str) -> list[tuple[object, int]]:
    """The documents that the keyword retriever finds, with their scores."""
    found = snapshot.search(ask(snapshot, prompt, 20), "keyword")
    return [(snapshot.document(position), score) for position, score in found]
