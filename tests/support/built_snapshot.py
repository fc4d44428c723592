"""The expected snapshot of a store, built from all its memory files, and comparisons of other snapshots with it."""

import shutil
import tempfile
from pathlib import Path

from asking import ask
from cuecard import Store
from cuecard import _pure as pure
from cuecard._pure.engine.answers import Inspected
from cuecard._pure.settings.reader import Numbers
from cuecard.files import freshness
from cuecard.files.freshness import MISSING
from cuecard.store.derived import upkeep
from scratch_home import seal_derived
from snapshots import positions_of

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


def _numbers(root: Path) -> Numbers:
    config = root / ".claude" / "memory" / "memory-config.json"
    return pure.read_settings(None, config.read_bytes() if config.exists() else None).numbers


def _inspect(root: Path) -> Inspected:
    found: Inspected = vars(upkeep)["engine"].inspect_snapshot(str(root), _numbers(root))
    return found


def files_of(store: Store) -> tuple[bytes, bytes]:
    """The bytes of the snapshot and of its deltas; b"" for a missing file. The pure backend writes no deltas."""
    base = Path(snapshot_path(store.memory_dir))
    delta = base.with_name("snapshot.delta")
    return base.read_bytes() if base.exists() else b"", delta.read_bytes() if delta.exists() else b""


def inspected(store: Store) -> Inspected:
    """What the backend knows of the snapshot of a store on disk, also if a test has written its files."""
    seal(store)
    return _inspect(Path(store.root))


def on_disk(store: Store) -> pure.Snapshot:
    """The snapshot of a store, read from its files."""
    found = inspected(store)
    assert found.snapshot is not None, found
    return found.snapshot


def built_anew(store: Store) -> tuple[pure.Snapshot, bytes]:
    """A new snapshot of all memory files of a store, and the bytes of its file."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        shutil.copytree(store.root, root, symlinks=True, ignore=shutil.ignore_patterns(".cuecard"))
        memory = root / ".claude" / "memory"
        loaded = vars(upkeep)["engine"].load_snapshot(str(root), _numbers(root), None, (None, watermark_of(store), []))
        loaded.write()
        built = _inspect(root)
        assert built.snapshot is not None, built
        assert [*built.watermark] == watermark_of(store)
        return built.snapshot, Path(snapshot_path(str(memory))).read_bytes()


def assert_snapshot_is_built_anew(store: Store) -> None:
    """Assert that a snapshot without deltas equals a new snapshot byte for byte.

    With deltas, it must have the same documents in the same order, and the keyword retriever must find the same hits. A
    delta that belongs to another base counts as none, because a slow hook may write such a delta late.
    """
    held = inspected(store)
    found = held.snapshot
    assert found is not None, held
    assert [*held.watermark] == watermark_of(store)
    built, expected = built_anew(store)
    if not held.deltas:
        assert files_of(store)[0] == expected
        return
    assert found.active_lines == built.active_lines
    assert documents_of(found) == documents_of(built)
    for prompt in PROMPTS:
        assert hits_of(found, prompt) == hits_of(built, prompt)


def documents_of(snapshot: pure.Snapshot) -> list[object]:
    """Every document of a snapshot, in the order of paths."""
    return [snapshot.document(position) for position in positions_of(snapshot).values()]


def hits_of(snapshot: pure.Snapshot, prompt: str) -> list[tuple[object, int]]:
    """The documents that the keyword retriever finds, with their scores."""
    found = snapshot.search(ask(snapshot, prompt, 20), "keyword")
    return [(snapshot.document(position), score) for position, score in found]
