"""Commands with several writes are killed, or the disk is full: they can be undone, and they can be repeated.

Each command is killed before, or refused, every second of its calls: the odd ones and the even ones in turn. Two
commands that write alike so try every call, and `test_faults.py` kills a single write at each.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cuecard import Store
from cuecard.actions.person_actions import undo
from cuecard.capture import inbox
from cuecard.capture.commit import commit_drafts
from cuecard.capture.comparing.consolidation import find_pairs, link
from cuecard.capture.comparing.succession import resolve_relations
from cuecard.capture.comparing.succession import write as write_related
from cuecard.capture.enriching.enrichment import enrich
from cuecard.capture.inbox import read_inbox
from cuecard.capture.review import accept, hand_in
from cuecard.files.user_folder import open_store_folder
from cuecard.importers.run import import_source
from cuecard.store.writes import journal
from cuecard.store.writes.journal import read_journal
from handed_in import draft as agent_draft
from killed_process import needs_fork, run_failing, run_killed
from records import assert_index_is_a_rebuild, draft, make_store, put, read_files, stored

pytestmark = [pytest.mark.fault, needs_fork]

ADR = (
    "# {number}. Use tool {number}\n\n## Status\n\n{status}\n\n## Context\n\nNeeded.\n\n## Decision\n\nTake {number}.\n"
)
Files = dict[str, bytes]


def prepare(root: Path) -> Store:
    """Create a project with memories for every kind of write, and with sources of which two were imported."""
    store = make_store(root)
    for name in ("kept", "other"):
        put(store, stored(name))
    put(store, stored("laid-by", record_status="archived", archived_at="2026-01-01T00:00:00Z"))
    same = draft("Payments retry through a queue", tags=["payments", "queue", "retry"])
    store.add(same)
    store.add({**same, "title": "Payments retry through a queue of their own"})
    folder = root / "docs" / "adr"
    folder.mkdir(parents=True)
    for number in range(2):
        (folder / f"000{number}-tool.md").write_text(ADR.format(number=number, status="Accepted"))
    import_source(store, str(folder))
    return store


def import_again(store: Store) -> object:
    """Import a new decision, a changed decision, and a superseded decision."""
    folder = Path(store.root, "docs", "adr")
    (folder / "0000-tool.md").write_text(ADR.format(number=0, status="Accepted").replace("Needed", "Needed twice"))
    (folder / "0001-tool.md").write_text(ADR.format(number=1, status="Superseded by 2"))
    (folder / "0002-tool.md").write_text(ADR.format(number=2, status="Accepted"))
    return import_source(store, str(folder))


def accept_drafts(store: Store) -> object:
    hand_in(store, [agent_draft(), agent_draft("Use Redis for the cache")])
    return accept(store, read_inbox(store.memory_dir))


def add_against(store: Store) -> object:
    relations = resolve_relations(store, [("decision/other", "contradicts")])
    return write_related(store, draft("A new one", tags=["index"]), relations=relations)


def add_for_two(store: Store) -> object:
    relations = resolve_relations(store, [("decision/other", "updates"), ("decision/kept", "updates")])
    return write_related(store, draft("A new one", tags=["index"]), relations=relations)


WRITES: dict[str, Callable[[Store], object]] = {
    "restore archived": lambda store: store.restore("laid-by"),
    "add against a memory": add_against,
    "add in the place of two": add_for_two,
    "update with another title": lambda store: store.update("kept", {"title": "Words of another kind"}),
    "enrich": lambda store: enrich(store, [["kept", ["what is kept?"]], ["other", [], "Words of another kind"]]),
    "consolidate": lambda store: link(store, find_pairs(store)),
    "capture commit": lambda store: commit_drafts(store, [agent_draft(), agent_draft("Use Redis for the cache")]),
    "import again": import_again,
    "review": accept_drafts,
}
# The number of the first call at which a command is killed; at the others it is refused.
FIRST = {name: place % 2 for place, name in enumerate(WRITES)}


def memories_of(store: Store) -> Files:
    """The content of every memory file, without the temporary files that a killed process has left."""
    return {path: data for path, data in read_files(store).items() if path.endswith(".json")}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_killed_at_any_call_is_taken_back_to_the_bytes_or_done_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Only the process is killed, not the machine, so the result is the same without waiting for the disk.
    monkeypatch.setattr(os, "fsync", lambda _handle: None)
    template = tmp_path / "template"
    prepare(template)
    work = WRITES[name]
    done = Store(shutil.copytree(template, tmp_path / "done"))
    work(done)
    killed_at = FIRST[name]
    while True:
        root = shutil.copytree(template, tmp_path / f"killed-{killed_at}", copy_function=shutil.copy2)
        store = Store(root)
        before = memories_of(store)
        calls = run_killed(lambda store=store: work(store), killed_at)  # type: ignore[misc]
        if calls is not None:
            assert calls <= killed_at <= calls + 1
            break
        # Every memory file is complete.
        assert len(store.memories(status="all")) == len(memories_of(store))
        # Undo restores every file that was changed, byte for byte.
        for written in read_journal(store.memory_dir):
            undo(store, written.id)
        assert memories_of(store) == before, killed_at
        # The same command, run again, does the rest of the work.
        work(store)
        assert {*memories_of(store)} == {*memories_of(done)}, killed_at
        store.add(draft("The write after the death", tags=["death"]))
        assert_index_is_a_rebuild(store)
        shutil.rmtree(root)
        killed_at += 2
    assert killed_at > 5


@pytest.mark.parametrize("name", WRITES)
def test_a_disk_that_refuses_any_call_leaves_whole_memories_that_can_be_taken_back(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _handle: None)
    template = tmp_path / "template"
    prepare(template)
    work = WRITES[name]
    done = Store(shutil.copytree(template, tmp_path / "done"))
    work(done)
    failed_at = 1 - FIRST[name]
    while True:
        root = shutil.copytree(template, tmp_path / f"failed-{failed_at}", copy_function=shutil.copy2)
        store = Store(root)
        before = memories_of(store)
        # If the folder of the journal cannot be created, the write is done without a journal, and says so (`note`).
        for folder in (journal.FOLDER, inbox.FOLDER):
            made = open_store_folder(store.memory_dir, folder, make=True)
            assert made
            made.close()
        if not run_failing(lambda store=store: work(store), failed_at):  # type: ignore[misc]
            break
        assert len(store.memories(status="all")) == len(memories_of(store))
        for written in read_journal(store.memory_dir):
            undo(store, written.id)
        assert memories_of(store) == before, failed_at
        work(store)
        assert {*memories_of(store)} == {*memories_of(done)}, failed_at
        store.add(draft("The write after the failure", tags=["disk"]))
        assert_index_is_a_rebuild(store)
        shutil.rmtree(root)
        failed_at += 2
    assert failed_at > 5
