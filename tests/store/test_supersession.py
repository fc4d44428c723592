"""A new memory that supersedes others: the same write retires the old memories, and changes nothing else in them."""

import json
import shutil
from pathlib import Path

import pytest

import cuecard
from command_process import error_of, run_in
from cuecard import Store
from cuecard.errors import InputError, LimitError
from killed_process import needs_fork, run_killed
from records import (
    Fields,
    assert_index_is_a_rebuild,
    draft,
    index_lines,
    make_store,
    path_in,
    put,
    read,
    read_files,
    stored,
)

OLD, NEW = "use-an-mmap-index", "read-the-index-at-once"


def successor(*names: str, title: str = "Read the index at once") -> Fields:
    return draft(title) | {"cuecard": {"supersedes": list(names)}}


@pytest.mark.parametrize(
    "name", [OLD, f"decision/{OLD}", f"decisions/{OLD}.json", f".claude/memory/decisions/{OLD}.json"]
)
def test_a_new_memory_retires_what_it_supersedes(store: Store, name: str) -> None:
    store.add(draft())
    written = store.add(successor(name))
    assert (written.status, written.superseded, written.warnings) == ("created", [OLD], [])
    old = read(store, OLD)
    assert (old["record_status"], old["retired_reason"]) == ("retired", f"superseded by {NEW}")
    assert old["changes"][-1]["summary"] == f"retired: superseded by {NEW}"
    assert read(store, NEW)["cuecard"]["supersedes"] == [name]
    assert [line.split(" -> ")[0] for line in index_lines(store)] == ["- [DECISION] Read the index at once"]
    assert_index_is_a_rebuild(store)


def test_recall_forgets_what_is_superseded_and_a_restore_brings_it_back(store: Store) -> None:
    store.add(draft())
    store.add(successor(OLD))
    found = cuecard.search("index", root=store.root, strategy="keyword")
    assert [hit.title for hit in found] == ["Read the index at once"]
    assert store.restore(OLD).status == "restored"
    # A later change to the new memory does not retire the old memory again.
    assert store.update(NEW, {"confidence": 1}).superseded == []
    assert read(store, OLD)["record_status"] == "active"


def test_an_update_retires_what_it_newly_names(store: Store) -> None:
    for title in ("One", "Two", "Three"):
        store.add(draft(title))
    store.update("three", {"cuecard": {"supersedes": ["one"]}})
    store.restore("one")
    written = store.update("three", {"cuecard": {"supersedes": ["one", "two"]}})
    assert (written.status, written.superseded) == ("updated", ["two"])
    assert [read(store, name)["record_status"] for name in ("one", "two", "three")] == ["active", "retired", "active"]


def test_a_renaming_update_is_named_in_the_reason(store: Store) -> None:
    store.add(draft("Old way"))
    store.add(draft("Something"))
    written = store.update("something", {"title": "Never so again", "cuecard": {"supersedes": ["old-way"]}})
    assert written.id == "never-so-again"
    assert read(store, "old-way")["retired_reason"] == "superseded by never-so-again"


def test_what_is_retired_archived_or_named_twice_stays_as_it_is(store: Store) -> None:
    for name, status in (("gone", "retired"), ("kept", "archived"), ("m", "active")):
        put(store, stored(name, record_status=status))
    before = read_files(store)
    written = store.add(successor("gone", "kept", "m", "decision/m"))
    assert (written.superseded, written.warnings) == (["m"], [])
    after = read_files(store)
    assert {name for name in before if before[name] != after[name]} == {"decisions/m.json"}


def test_a_memory_of_every_category_can_be_superseded(store: Store) -> None:
    store.add(draft("Back up by hand", "runbook"))
    written = store.add(successor("back-up-by-hand", title="Back-ups run by themselves"))
    assert written.superseded == ["back-up-by-hand"]
    assert read(store, "back-up-by-hand", "runbook")["record_status"] == "retired"


def test_names_that_nobody_has_are_warnings(store: Store) -> None:
    put(store, stored("m"))
    put(store, stored("m", "runbook"))
    path_in(store, "damaged").write_text("[]")
    written = store.add(successor("nowhere", "m", "damaged", "../../etc/passwd"))
    assert (written.status, written.superseded) == ("created", [])
    assert written.warnings == [
        "there is no memory `nowhere` to supersede",
        "there are 2 memories `m` to supersede",
        "`damaged` stays as it is: `.claude/memory/decisions/damaged.json` is not a JSON object",
        "there is no memory `../../etc/passwd` to supersede",
    ]


def test_more_names_than_anybody_means_are_cut(store: Store) -> None:
    written = store.add(successor(*[f"m-{number}" for number in range(101)]))
    assert written.warnings[0] == "of the 101 memories to supersede only the first 100 count"
    assert len(written.warnings) == 101


def test_a_memory_cannot_supersede_itself(store: Store) -> None:
    put(store, stored(NEW, record_status="retired", retired_at="2020-01-01T00:00:00Z"))
    with pytest.raises(InputError, match="cannot supersede itself"):
        store.add(successor(NEW))
    store.add(draft())
    before = read_files(store)
    for patch in ({}, {"title": "Quite another one now"}):
        with pytest.raises(InputError, match="cannot supersede itself") as caught:
            store.update(OLD, patch | {"cuecard": {"supersedes": [f"decisions/{OLD}.json"]}})
        assert caught.value.hint == f"remove `{OLD}` from `cuecard.supersedes`"
    assert read_files(store) == before


def test_a_cycle_is_refused_and_nothing_is_written(store: Store) -> None:
    store.add(draft("One"))
    store.add(successor("one", title="Two"))
    store.add(successor("decision/two", title="Three"))
    store.restore("one")
    before = read_files(store)
    for name, why in (("two", ""), ("three", "`three` supersedes `two` and ")):
        what = f"this memory cannot supersede `{name}`, because {why}`two` supersedes this memory"
        with pytest.raises(InputError, match=f"(?m)^{what}$") as caught:
            store.update("one", {"cuecard": {"supersedes": [name]}})
        assert caught.value.field == "cuecard.supersedes"
    assert read_files(store) == before
    store.retire("one")
    with pytest.raises(InputError):
        store.update("one", {"cuecard": {"supersedes": ["two"]}})


def test_a_memory_that_is_not_active_supersedes_nothing(store: Store) -> None:
    store.add(draft())
    store.add(draft("Read the index at once"))
    store.retire(NEW)
    written = store.update(NEW, {"cuecard": {"supersedes": [OLD]}})
    assert written.warnings == [f"`{NEW}` is retired: the memories that it supersedes do not change"]
    assert read(store, OLD)["record_status"] == "active"


def test_what_is_superseded_makes_room_for_its_successor(tmp_path: Path) -> None:
    store = make_store(tmp_path / "full", max_memories_per_category=1)
    store.add(draft())
    with pytest.raises(LimitError):
        store.add(draft("Read the index at once"))
    assert store.add(successor(OLD)).superseded == [OLD]


def test_an_old_secret_does_not_survive_being_superseded(store: Store) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    put(store, stored("m") | {"title": f"The token {secret}"})
    store.add(successor("m"))
    assert secret not in path_in(store, "m").read_text(encoding="utf-8")


def test_add_and_update_tell_of_it(store: Store) -> None:
    store.add(draft("One"))
    # The new memory is not similar to another memory, so the command does not ask about relations.
    store.add(draft("Two", "runbook", tags=["printer"]))
    ran = run_in(store, "add", send=successor("one", "nowhere"))
    assert ran.stderr == ("warning: there is no memory `nowhere` to supersede\nnote: superseded and retired: `one`\n")
    ran = run_in(store, "update", NEW, "--json", send={"cuecard": {"supersedes": ["two"]}})
    assert (ran.code, ran.document["superseded"], ran.stderr) == (0, ["two"], "")
    ran = run_in(store, "update", NEW, "--json", send={"cuecard": {"supersedes": [NEW]}})
    assert error_of(ran)["field"] == "cuecard.supersedes"
    assert ran.code == 1


@pytest.mark.fault
@needs_fork
@pytest.mark.parametrize("step", ["add", "update"])
def test_the_old_one_stays_until_the_new_one_is_there_whenever_the_writer_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    template = make_store(tmp_path / "template")
    template.add(draft())
    if step == "update":
        template.add(draft("Read the index at once"))

    def work(store: Store) -> list[str]:
        if step == "add":
            return store.add(successor(OLD)).superseded
        return store.update(NEW, {"cuecard": {"supersedes": [OLD]}}).superseded

    unfinished = killed_at = 0
    while True:
        root = tmp_path / f"killed-{killed_at}"
        shutil.copytree(template.root, root, copy_function=shutil.copy2)
        store = Store(root)
        if run_killed(lambda store=store: work(store), killed_at) is not None:  # type: ignore[misc]
            break
        is_new_there = path_in(store, NEW).exists() and "cuecard" in json.loads(path_in(store, NEW).read_bytes())
        is_old_active = read(store, OLD)["record_status"] == "active"
        assert is_new_there or is_old_active
        unfinished += is_new_there and is_old_active
        # The same write, repeated, finishes the work of the killed process.
        work(store)
        assert read(store, OLD)["record_status"] == "retired"
        assert_index_is_a_rebuild(store)
        shutil.rmtree(root)
        killed_at += 1
    assert unfinished
