"""Writes are undone: `cuecard undo` and `cuecard history`, for every kind of write, also after a crash."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.capture.commit import commit_drafts
from cuecard.capture.comparing.consolidation import find_pairs, link, unlink
from cuecard.capture.comparing.succession import resolve_relations
from cuecard.capture.comparing.succession import write as write_related
from cuecard.capture.enriching.enrichment import enrich
from cuecard.capture.inbox import read_inbox
from cuecard.capture.review import accept, hand_in
from cuecard.errors import ConflictError, MissingError, StoreError, WriteError
from cuecard.files.user_folder import store_path
from cuecard.importers.run import Import
from cuecard.importers.source import ImportSource
from cuecard.store.writes import journal
from cuecard.store.writes.collect import collect
from cuecard.store.writes.journal import operation, read_journal
from cuecard.store.writes.undo import undo, undone_ids
from handed_in import draft as agent_draft
from killed_process import needs_fork, run_killed
from records import assert_index_is_a_rebuild, draft, put, read_files, stored
from scratch_home import write_user_settings

# The draft is not similar to the other draft, so the command does not ask about relations.
REDIS = agent_draft(
    "Cache in Redis",
    tags=["redis"],
    content={"status": "accepted", "context": "slow pages", "decision": "Keep pages in Redis", "rationale": ["speed"]},
)
ADR = (
    "# {number}. Use tool {number}\n\n## Status\n\nAccepted\n\n## Context\n\nNeeded.\n\n## Decision\n\nTake {number}.\n"
)
Work = Callable[[Store], object]


def prepare(store: Store) -> None:
    """Write the memories that the different kinds of write need."""
    for name in ("kept", "other", "archived-later"):
        put(store, stored(name))
    put(store, stored("laid-by", record_status="archived", archived_at="2026-01-01T00:00:00Z"))
    put(store, stored("gone", record_status="retired", retired_at="2020-01-01T00:00:00Z"))
    put(store, stored("newer", cuecard={"supersedes": ["gone"]}))
    same = draft("Payments retry through a queue", tags=["payments", "queue", "retry"])
    store.add(same)
    store.add({**same, "title": "Payments retry through a queue of their own"})
    for number in range(5):
        put(store, stored(f"s-{number}", "session_summary"))


def import_notes(store: Store) -> object:
    folder = Path(store.root, "docs", "adr")
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(3):
        (folder / f"000{number}-tool.md").write_text(ADR.format(number=number))
    source = ImportSource(str(folder), None, store.root)
    return Import(store, False).run(list(source.read(lambda: None)), lambda: None)


def memories_of(store: Store) -> dict[str, bytes]:
    """The content of every memory file, without the temporary files that a killed process has left."""
    return {path: data for path, data in read_files(store).items() if path.endswith(".json")}


def journal_of(store: Store) -> Path:
    return Path(store_path(store.memory_dir), journal.FOLDER)


def accept_drafts(store: Store) -> object:
    hand_in(store, [agent_draft(), agent_draft("Use Redis for the cache")])
    return accept(store, read_inbox(store.memory_dir))


def consolidate(store: Store) -> object:
    return link(store, find_pairs(store))


def add_related(store: Store, verdict: str) -> object:
    record = draft("A new one", tags=["index", "fresh"], cuecard={"questions": ["which one is new?"]})
    return write_related(store, record, relations=resolve_relations(store, [("decision/other", verdict)]))


WRITES: dict[str, Work] = {
    "add": lambda store: store.add(draft("A new one")),
    "add and retire another": lambda store: store.add(draft("A new one", cuecard={"supersedes": ["other"]})),
    "add in the place of one retired long ago": lambda store: store.add(draft("Gone", id="gone")),
    "add a session summary": lambda store: store.add(draft("The sixth", "session_summary")),
    "update": lambda store: store.update("kept", {"content": {"context": "another"}}),
    "update with another title": lambda store: store.update("kept", {"title": "Words of another kind"}),
    "retire": lambda store: store.retire("kept"),
    "archive": lambda store: store.archive("archived-later"),
    "restore archived": lambda store: store.restore("laid-by"),
    "restore": lambda store: store.restore("gone"),
    "collect": lambda store: collect(store.root, store.memory_dir, grace_days=30),
    "import": import_notes,
    "consolidate": consolidate,
    "take a consolidation back": lambda store: unlink(store, "gone"),
    "review": accept_drafts,
    "enrich": lambda store: enrich(store, [["kept", ["what is kept?"]], ["other", [], "Words of another kind"]]),
    "add in the place of a similar memory": lambda store: add_related(store, "updates"),
    "add to a memory that is the same": lambda store: add_related(store, "same"),
    "add against a memory": lambda store: add_related(store, "contradicts"),
    "capture commit": lambda store: commit_drafts(store, [agent_draft(), agent_draft("Use Redis for the cache")]),
}


def test_the_undo_of_a_restore_does_not_say_that_it_restores(store: Store) -> None:
    put(store, stored("m", record_status="retired", retired_at="2026-01-01T00:00:00Z"))
    run_in(store, "restore", "m")
    assert run_in(store, "undo").stdout == "put back  .claude/memory/decisions/m.json\n"
    assert store.show("m").status == "retired"


@pytest.mark.parametrize("name", WRITES)
def test_undo_restores_the_bytes_of_every_kind_of_write_and_undo_of_that_does_it_again(name: str, store: Store) -> None:
    prepare(store)
    before = read_files(store)
    WRITES[name](store)
    after = read_files(store)
    assert after != before
    undone = undo(store.root, store.memory_dir)
    assert read_files(store) == before
    assert_index_is_a_rebuild(store)
    again = undo(store.root, store.memory_dir, undone.id)
    assert again.operation.undoes == undone.operation.id
    assert read_files(store) == after
    assert_index_is_a_rebuild(store)


@needs_fork
@pytest.mark.fault
@pytest.mark.parametrize("name", WRITES)
def test_an_undo_killed_at_any_call_is_completed_by_the_next(
    name: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Only the process is killed, not the machine, so the result is the same without waiting for the disk.
    monkeypatch.setattr(os, "fsync", lambda _handle: None)
    prepare(store)
    before = memories_of(store)
    WRITES[name](store)
    written = read_journal(store.memory_dir)[0].id
    after = memories_of(store)
    folders = [Path(store.root), journal_of(store)]
    for number, folder in enumerate(folders):
        shutil.copytree(folder, tmp_path / f"kept-{number}")
    # Undoing is the same for all writes: half of them are killed at the even calls, the other half at the odd ones.
    killed_at = [*WRITES].index(name) % 2
    while run_killed(lambda: undo(store.root, store.memory_dir), killed_at) is None:
        state = memories_of(store)
        assert all(state.get(path) in (before.get(path), after.get(path)) for path in {*before, *after, *state})
        if written not in undone_ids(read_journal(store.memory_dir)):
            undo(store.root, store.memory_dir)
        assert memories_of(store) == before
        assert_index_is_a_rebuild(store)
        for number, folder in enumerate(folders):
            shutil.rmtree(folder)
            shutil.copytree(tmp_path / f"kept-{number}", folder)
        killed_at += 2
    assert killed_at > 5


def test_without_an_id_undo_goes_one_write_further_back_each_time(store: Store) -> None:
    states = [read_files(store)]
    for title in ("The first", "The second", "The third"):
        store.add(draft(title))
        states.append(read_files(store))
    for state in reversed(states[:-1]):
        undo(store.root, store.memory_dir)
        assert read_files(store) == state
    with pytest.raises(MissingError):
        undo(store.root, store.memory_dir)


def test_a_file_that_changed_since_then_stops_the_whole_undo(store: Store) -> None:
    with operation("import"):
        store.add(draft("The first"))
        store.add(draft("The second"))
    first = read_journal(store.memory_dir)[0].id
    store.update("the-second", {"content": {"context": "changed"}})
    before = read_files(store)
    with pytest.raises(ConflictError, match="the-second"):
        undo(store.root, store.memory_dir, first)
    assert read_files(store) == before
    undo(store.root, store.memory_dir)
    undo(store.root, store.memory_dir, first)
    assert read_files(store) == {}


def test_a_dry_run_says_what_would_happen_and_changes_nothing(store: Store) -> None:
    store.add(draft("The first"))
    before = read_files(store)
    found = undo(store.root, store.memory_dir, is_dry_run=True)
    assert found.removed == [".claude/memory/decisions/the-first.json"]
    assert read_files(store) == before
    assert len(read_journal(store.memory_dir)) == 1


def test_a_link_in_the_place_of_a_memory_is_not_followed(store: Store, tmp_path: Path) -> None:
    store.add(draft("The first"))
    store.update("the-first", {"content": {"context": "changed"}})
    path, elsewhere = Path(store.memory_dir, "decisions", "the-first.json"), tmp_path / "elsewhere.json"
    elsewhere.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(elsewhere)
    kept = elsewhere.read_bytes()
    with pytest.raises(StoreError):
        undo(store.root, store.memory_dir)
    assert elsewhere.read_bytes() == kept


def test_a_journal_in_the_repository_is_never_read(store: Store) -> None:
    store.add(draft("The first"))
    (file,) = journal_of(store).iterdir()
    forged = file.read_bytes()
    assert forged
    for place in ("journal", ".cuecard/journal"):
        Path(store.memory_dir, place).mkdir(parents=True)
        Path(store.memory_dir, place, "20990101-000000-000000.jsonl").write_bytes(forged)
    assert len(read_journal(store.memory_dir)) == 1


def test_damaged_operations_are_left_out_and_a_line_that_was_cut_off_never_happened(store: Store) -> None:
    for title in ("The first", "The second"):
        store.add(draft(title))
    first, second = sorted(journal_of(store).iterdir())
    first.write_bytes(b"not JSON\n")
    second.write_bytes(second.read_bytes() + b'{"path": ".claude/mem')
    first.with_name("20990101-000000-000000.jsonl").write_bytes(b'{"at": "x", "what": "y"}\n{"path": 1}\n')
    (left,) = read_journal(store.memory_dir)
    assert list(left.changes) == [".claude/memory/decisions/the-second.json"]


def test_a_write_that_the_journal_cannot_take_changes_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(28, "No space left on device", "journal")

    put(store, stored("kept"))
    before = read_files(store)
    monkeypatch.setattr(journal, "open_store_folder", refuse)
    writes: list[Work] = [lambda store: store.add(draft("The first")), lambda store: store.retire("kept")]
    for write in writes:
        with pytest.raises(WriteError, match="No space left"):
            write(store)
    assert read_files(store) == before


def test_what_is_past_the_grace_period_is_forgotten(store: Store) -> None:
    store.add(draft("The first"))
    (file,) = journal_of(store).iterdir()
    os.utime(file, (0, 0))
    store.add(draft("The second"))
    assert not file.exists()
    assert len(read_journal(store.memory_dir)) == 1


def test_a_repository_does_not_shorten_what_the_user_keeps(store: Store) -> None:
    store.add(draft("The first"))
    (file,) = journal_of(store).iterdir()
    old = time.time() - 7 * 86_400
    os.utime(file, (old, old))
    settings = Path(store.memory_dir, "memory-config.json")
    for number, days in enumerate((0, 1, -1, "0", True, 1e308)):
        settings.write_text(json.dumps({"delete": {"grace_period_days": days}}))
        store.add(draft(f"Another one, number {number}"))
        assert file.exists(), days


def test_a_repository_may_keep_writes_longer_and_the_user_for_any_time(store: Store) -> None:
    store.add(draft("The first"))
    (file,) = journal_of(store).iterdir()
    old = time.time() - 40 * 86_400
    os.utime(file, (old, old))
    settings = Path(store.memory_dir, "memory-config.json")
    settings.write_text('{"delete": {"grace_period_days": 50}}')
    store.add(draft("The second"))
    assert file.exists()
    settings.write_text("{}")
    write_user_settings({"delete": {"grace_period_days": 50}})
    store.add(draft("The third"))
    settings.write_text('{"delete": {"grace_period_days": 1e999}}')
    store.add(draft("The fourth"))
    assert file.exists()
    settings.write_text("{}")
    write_user_settings({"delete": {"grace_period_days": 3}})
    store.add(draft("The fifth"))
    assert not file.exists()


def test_a_journal_that_is_too_large_loses_its_oldest_operations(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for title in ("The first", "The second", "The third"):
        store.add(draft(title))
    monkeypatch.setattr(journal, "MAX_BYTES", 400)
    store.add(draft("The fourth"))
    found = read_journal(store.memory_dir)
    assert len(found) < 4
    assert "the-fourth" in next(iter(found[0].changes))


# The commands


def test_history_lists_the_writes_and_undo_tells_what_it_did(store: Store) -> None:
    written = run_in(store, "add", "Always use pnpm", "--json").document["operation"]
    assert run_in(store, "retire", "always-use-pnpm").code == 0
    lines = run_in(store, "history").stdout.splitlines()
    assert [line.split("  ")[2] for line in lines] == [
        f"{what}, preferences/always-use-pnpm.json" for what in ("retire", "add")
    ]
    assert run_in(store, "history", written).stdout == "created  .claude/memory/preferences/always-use-pnpm.json\n"
    told = run_in(store, "undo", "--dry-run")
    assert told.stdout == "would put back  .claude/memory/preferences/always-use-pnpm.json\n"
    done = run_in(store, "undo")
    assert done.stdout == "put back  .claude/memory/preferences/always-use-pnpm.json\n"
    assert "hint: `cuecard undo " in done.stderr
    document = run_in(store, "history", "--json").document["operations"]
    assert [(each["what"], each["undone"]) for each in document] == [
        ("undo retire", False),
        ("retire", True),
        ("add", False),
    ]
    assert run_in(store, "undo", written[:-3], "--json").document["removed"]
    assert read_files(store) == {}
    refused = run_in(store, "undo")
    assert (refused.code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("error: there is nothing to undo\nhint: ")
    assert run_in(store, "undo", "2019").code == 1


def test_one_command_is_one_operation(store: Store) -> None:
    assert run_in(store, "capture", "commit", send=[agent_draft(), REDIS]).code == 0
    (found,) = read_journal(store.memory_dir)
    assert (found.what, len(found.changes)) == ("capture commit", 2)
