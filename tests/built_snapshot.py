"""What the snapshot of a store must be: the one that its memory files make when they are all read."""

from pathlib import Path

from asking import ask
from cuecard import _pure as pure
from cuecard.store import freshness
from cuecard.store.derived import SNAPSHOT
from cuecard.store.freshness import MISSING
from cuecard.store.index_md import read_all_files
from cuecard.store.store import Store
from scratch_home import seal_derived

PROMPTS = ("use the cache for sessions", "a decision about writers and faults", "lantern", "index mmap", "thing 7")


def snapshot_path(memory_dir: str) -> str:
    """Where the snapshot of a store is."""
    return str(Path(memory_dir, ".cuecard", SNAPSHOT))


def watermark_of(store: Store) -> list[int]:
    """The folders' times as a snapshot in step has them."""
    return [changed or MISSING for changed in freshness.folder_times(store.memory_dir)]


def seal(store: Store) -> None:
    """Let the files of the snapshot count as written by cuecard, whatever a test has made of them."""
    seal_derived(store.memory_dir)


def built_anew(store: Store) -> bytes:
    """The bytes of a snapshot of all memory files, in step."""
    config = Path(store.memory_dir, "memory-config.json")
    numbers = pure.read_settings(None, config.read_bytes() if config.exists() else None).numbers
    files = read_all_files(store.memory_dir)
    data, _skipped = pure.build_snapshot(files, watermark_of(store), numbers)
    return data


def files_of(store: Store) -> tuple[bytes, bytes]:
    """The bytes of base and delta, b"" where there is none."""
    base = Path(snapshot_path(store.memory_dir))
    delta = base.with_name("snapshot.delta")
    return base.read_bytes() if base.exists() else b"", delta.read_bytes() if delta.exists() else b""


def assert_snapshot_is_built_anew(store: Store) -> None:
    """Without a delta byte for byte; with one, in documents, order and what the keyword retriever finds.

    A delta of another base is none: a hook was late.
    """
    base, delta = files_of(store)
    expected = built_anew(store)
    if len(pure.Snapshot(base, delta).parts) == 1:
        assert pure.Snapshot(base).watermark() == pure.Snapshot(expected).watermark()
        assert base == expected
        return
    found, built = pure.Snapshot(base, delta), pure.Snapshot(expected)
    found.check()
    assert found.watermark() == built.watermark()
    assert found.active_lines() == built.active_lines()
    assert documents_of(found) == documents_of(built)
    for prompt in PROMPTS:
        assert hits_of(found, prompt) == hits_of(built, prompt)


def documents_of(snapshot: pure.Snapshot) -> list[object]:
    """Every document, by path."""
    found: list[object] = []
    for folder in ("sessions", "decisions", "runbooks", "constraints", "tech-debt", "preferences"):
        for path, _size, _modified in snapshot.files(folder):
            position = snapshot.find(path)
            assert position is not None
            found.append(snapshot.document(position))
    return found


def hits_of(snapshot: pure.Snapshot, prompt: str) -> list[tuple[object, int]]:
    """Documents and scores of the keyword retriever."""
    found = snapshot.search(ask(snapshot, prompt, 20), "keyword")
    return [(snapshot.document(position), score) for position, score in found]
