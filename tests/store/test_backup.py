"""`cuecard export` and `cuecard import` of the same: nothing is lost, and nothing gets trust that it did not have."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_process import run_in
from cuecard import Store
from cuecard.store.backup.export import as_lines
from cuecard.store.backup.restore import read_lines, restore
from cuecard.store.intake.intake import admit_stored
from cuecard.store.records.record import CATEGORIES
from cuecard.store.trust.agent_view import levels_of_files
from records import Fields, ago, draft, make_store, put, read_files, stored, stored_records


def written(store: Store) -> dict[str, object]:
    """The records of a store by their paths."""
    return {memory.path: memory.record for memory in store.memories(status="all")}


@given(st.sampled_from(CATEGORIES).flatmap(stored_records))
def test_every_record_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, record: Fields) -> None:
    folder = tmp_path_factory.mktemp("backup")
    source, target = make_store(folder / "source"), make_store(folder / "other")
    # What another program has written can have secrets and hidden characters, which no store takes up.
    put(source, without_null(admit_stored(record).fields))
    file = folder / "all.jsonl"
    memories = source.memories(status="all")
    file.write_text("".join(as_lines([("project", memory) for memory in memories])), encoding="utf-8")
    done = restore(target.project, str(file), list(read_lines(str(file))))
    assert [one.status for one in done] == ["created"]
    assert written(target) == written(source)
    again = restore(target.project, str(file), list(read_lines(str(file))))
    assert [one.status for one in again] == ["unchanged"]


def without_null(value: Any) -> Any:  # noqa: ANN401
    """A record as a store writes it: without members that are null, except in the history."""
    if isinstance(value, dict):
        kept = {name: item for name, item in value.items() if item is not None}
        return {name: item if name == "changes" else without_null(item) for name, item in kept.items()}
    return [without_null(item) for item in value] if isinstance(value, list) else value


def test_a_store_comes_back_byte_by_byte(tmp_path: Path, fresh_data: Path) -> None:
    source, target = make_store(tmp_path / "source"), make_store(tmp_path / "other")
    for number, category in enumerate(("decision", "runbook", "preference", "tech_debt")):
        source.add(draft(f"Memory {number} of the {category}", category, tags=[f"t{number}"]))
    source.update("decision/memory-0-of-the-decision", {"tags": ["t0", "changed"]}, summary="why not")
    source.retire("runbook/memory-1-of-the-runbook", reason="it is over")
    ran = run_in(source, "export", "../all.jsonl", "--json")
    assert (ran.document["memories"], ran.document["left"]) == (4, [])
    ran = run_in(target, "import", "../all.jsonl", "--json")
    assert ran.document["counts"] == {"created": 4}
    assert read_files(target) == read_files(source)
    # The user vouches for these texts on this machine, wherever they lie.
    assert {*levels_of_files(target.memory_dir, [*read_files(target).values()])} == {"own"}
    assert run_in(target, "import", "../all.jsonl", "--json").document["counts"] == {"unchanged": 4}
    assert run_in(target, "undo").code == 0
    assert read_files(target) == {}


def test_an_export_of_a_stranger_is_unreviewed(tmp_path: Path, fresh_data: Path) -> None:
    target = make_store(tmp_path / "other")
    lines = [
        {"cuecard_export": 1},
        {"scope": "project", "category": "decision", "id": "a", "memory": stored("a", title="A plan of a stranger")},
        {"scope": "project", "category": "decision", "id": "../../x", "memory": stored("x")},
        {"scope": "project", "category": "decision", "id": "bad", "memory": {"title": 7, "id": "bad"}},
    ]
    file = tmp_path / "all.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    ran = run_in(target, "import", "../all.jsonl", "--json")
    assert ran.code == 1
    assert [row["status"] for row in ran.document["outcomes"]] == ["created", "failed", "failed"]
    assert ran.document["unreviewed"] == 1
    assert [path.rpartition("/")[2] for path in read_files(target)] == ["a.json"]


def test_another_memory_with_the_id_stays_or_is_merged(tmp_path: Path) -> None:
    source, target = make_store(tmp_path / "source"), make_store(tmp_path / "other")
    put(source, stored("a", tags=["theirs"], updated_at=ago(5)))
    put(target, stored("a", tags=["ours"], updated_at=ago(2)))
    run_in(source, "export", "../all.jsonl")
    before = read_files(target)
    ran = run_in(target, "import", "../all.jsonl")
    assert "--on-similar update" in ran.stdout
    assert read_files(target) == before
    assert run_in(target, "import", "../all.jsonl", "--on-similar", "update").code == 0
    assert [memory.record["tags"] for memory in target.memories()] == [["ours", "theirs"]]


def test_filters_are_those_of_a_search(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store")
    put(store, stored("old", tags=["Db"], updated_at="2024-05-01T00:00:00Z"))
    put(store, stored("new", tags=["db", "api"], updated_at="2026-05-01T12:00:00Z"))
    put(store, stored("gone", "runbook", record_status="retired", retired_at="2026-05-01T00:00:00Z"))

    def names(*options: str) -> list[str]:
        run_in(store, "export", "../all.jsonl", *options)
        lines = (tmp_path / "all.jsonl").read_text("utf-8").splitlines()[1:]
        return sorted(json.loads(line)["id"] for line in lines)

    assert names() == ["gone", "new", "old"]
    assert names("--status", "active") == ["new", "old"]
    assert names("--category", "runbook") == ["gone"]
    assert names("--tag", "DB") == ["new", "old"]
    assert names("--tag", "db", "--tag", "api") == ["new"]
    assert names("--since", "2026-05-01", "--until", "2026-05-01", "--status", "active") == ["new"]
    assert names("--path", "decisions/n") == ["new"]
    assert run_in(store, "export", "../all.jsonl", "--status", "none").code == 2


def test_only_an_export_is_replaced(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store")
    store.add(draft("Use an mmap index"))
    (tmp_path / "mine.txt").write_text("mine")
    ran = run_in(store, "export", "../mine.txt")
    assert ran.code == 2
    assert "no export" in ran.stderr
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert run_in(store, "export", "..").stderr == "error: `..` is a folder\nhint: name a file in it\n"
    assert run_in(store, "export", "../all.jsonl").code == 0
    assert run_in(store, "export", "../all.jsonl").code == 0


def test_markdown_shows_every_text(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store")
    store.add(draft("Use an mmap index", tags=["index", "start"], cuecard={"questions": ["Why no database?"]}))
    assert run_in(store, "export", "../all.md", "--markdown").code == 0
    text = (tmp_path / "all.md").read_text("utf-8")
    for said in ("## decision", "### Use an mmap index", "- **tags**: index, start", "Why no database?", "  - because"):
        assert said in text


def test_the_memories_of_all_scopes_come_back_into_their_stores(
    tmp_path: Path, fresh_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = make_store(tmp_path / "project"), make_store(tmp_path / "other")
    store.add(draft("Use an mmap index"), trust="own")
    store.add(draft("Answer in plain words", "preference"), trust="own")
    assert run_in(store, "move", "answer-in-plain-words", "--to", "user").code == 0
    assert run_in(store, "export", "../project.jsonl", "--status", "active", "--json").document["memories"] == 1
    assert run_in(store, "export", "../user.jsonl", "--scope", "user", "--json").document["memories"] == 1
    ran = run_in(store, "export", "../all.jsonl", "--scope", "all", "--status", "active", "--json")
    assert ran.document["memories"] == 2
    # What is the user's own never goes into the store of a project by itself.
    outcomes = run_in(other, "import", "../all.jsonl", "--json").document["outcomes"]
    assert [(row["status"], row["target"]) for row in outcomes] == [
        ("created", ".claude/memory/decisions/use-an-mmap-index.json"),
        ("skipped", None),
    ]
    # On another machine, or after a loss of the data folder.
    monkeypatch.setenv("CUECARD_HOME", str(tmp_path / "another-data"))
    (tmp_path / "another-data").mkdir(mode=0o700)
    ran = run_in(other, "import", "../all.jsonl", "--scope", "all", "--json")
    assert ran.document["counts"] == {"created": 1, "unchanged": 1}
    assert [memory.id for memory in Store(tmp_path / "another-data" / "user").memories()] == ["answer-in-plain-words"]


def test_a_scope_is_only_for_exports(tmp_path: Path, fresh_data: Path) -> None:
    store = make_store(tmp_path / "project")
    (tmp_path / "project" / "CLAUDE.md").write_text("# Rules\n\n- Always use pnpm.\n", encoding="utf-8")
    assert run_in(store, "import", "CLAUDE.md", "--scope", "user").code == 2
    assert run_in(store, "export", "../all.jsonl", "--scope", "nowhere").code == 2
    assert run_in(store, "export", "../all.jsonl", "--scope", "parent").code == 1
