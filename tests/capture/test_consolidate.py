"""Memories that say the same are found, explained and linked, and the links can be removed again."""

import json
from pathlib import Path
from typing import Any

import pytest

import cuecard
from command_process import error_of, run_in
from cuecard import Store
from cuecard.capture.comparing.consolidation import CONTRADICTION, DUPLICATE, find_pairs, link, unlink
from cuecard.capture.comparing.contradictions import oppose, statements
from cuecard.errors import UsageError
from cuecard.store.records.memory import Memory
from records import Fields, assert_index_is_a_rebuild, let_time_pass, put, read, read_files, stored
from small_project import LONG_AGO

CONTEXT = "Reports are read by three teams, each with tools of its own, and every night a job has to load all of them."
DECISION = "Reports are written as Parquet files into the bucket of the warehouse, partitioned by day and by region."
LATER = "2026-01-01T00:00:00Z"


def decision(name: str, text: str = DECISION, context: str = CONTEXT, **fields: Any) -> Fields:  # noqa: ANN401
    content = {"status": "accepted", "context": context, "decision": text, "rationale": ["columns are read alone"]}
    return stored(name, content=content, title=fields.pop("title", "Reports are written as Parquet files"), **fields)


def rule(name: str, text: str, title: str, updated_at: str = LONG_AGO) -> Fields:
    content = {"kind": "policy", "rule": text, "impact": ["x"], "severity": "low", "active": True}
    return stored(name, "constraint", content=content, title=title, updated_at=updated_at)


@pytest.fixture
def repeated(store: Store) -> Store:
    """A store with three decisions: two that say the same in other words, and one about another subject."""
    put(store, decision("parquet"))
    put(store, decision("parquet-again", f"{DECISION} Nothing else is kept.", updated_at=LATER))
    put(store, decision("queue", "Jobs go through a queue in Redis.", "Jobs were lost.", title="A queue in Redis"))
    let_time_pass(store)
    return store


def test_a_dry_run_explains_and_writes_nothing(repeated: Store) -> None:
    before = read_files(repeated)
    ran = run_in(repeated, "consolidate", "--json")
    [pair] = ran.document["pairs"]
    assert (pair["kind"], pair["outcome"]) == ("duplicate", "found")
    assert (pair["newer"]["id"], pair["older"]["id"]) == ("parquet-again", "parquet")
    assert pair["cosine"] >= 0.95
    assert pair["newer_only"] == ["nothing", "else", "is", "kept"]
    assert pair["older_only"] == []
    assert ran.document["compared"] == 3
    assert read_files(repeated) == before


def test_applying_links_and_retires_and_a_second_time_changes_nothing(repeated: Store) -> None:
    ran = run_in(repeated, "consolidate", "--apply")
    assert ran.code == 0
    assert ran.stdout.startswith("linked  decision/parquet-again  in place of  decision/parquet\n  cosine ")
    assert "1 near-duplicate, 0 contradictions" in ran.stderr
    newer, older = read(repeated, "parquet-again"), read(repeated, "parquet")
    assert newer["cuecard"]["supersedes"] == ["decision/parquet"]
    assert newer["changes"][0]["summary"].startswith("consolidated with parquet: cosine ")
    assert (older["record_status"], older["retired_reason"]) == ("retired", "superseded by parquet-again")
    assert older["content"]["decision"] == DECISION
    assert_index_is_a_rebuild(repeated)
    assert [hit.path.rpartition("/")[2] for hit in cuecard.search("parquet", root=repeated.root)][:1] == [
        "parquet-again.json"
    ]
    before = read_files(repeated)
    again = run_in(repeated, "consolidate", "--apply", "--json")
    assert again.document["pairs"] == []
    assert read_files(repeated) == before


def test_an_undo_brings_the_older_back_and_keeps_them_apart(repeated: Store) -> None:
    run_in(repeated, "consolidate", "--apply")
    undone = run_in(repeated, "consolidate", "--undo", "parquet")
    assert undone.stdout.splitlines() == [
        "undone  .claude/memory/decisions/parquet.json",
        "undone  .claude/memory/decisions/parquet-again.json",
    ]
    assert read(repeated, "parquet")["record_status"] == "active"
    assert "supersedes" not in read(repeated, "parquet-again")["cuecard"]
    assert run_in(repeated, "consolidate", "--undo", "parquet").stdout == "unchanged\n"
    found = find_pairs(repeated)
    assert (found.pairs, found.kept_apart) == ([], 1)


def test_a_plain_restore_keeps_them_apart_too(repeated: Store) -> None:
    link(repeated, find_pairs(repeated))
    repeated.restore("parquet")
    found = find_pairs(repeated)
    assert (found.pairs, found.kept_apart) == ([], 1)
    assert unlink(repeated, "parquet") == [".claude/memory/decisions/parquet-again.json"]


def test_the_newest_of_three_takes_the_place_of_both_others(repeated: Store) -> None:
    put(repeated, decision("parquet-once-more", updated_at="2026-02-01T00:00:00Z"))
    found = find_pairs(repeated)
    assert {(pair.newer.id, pair.older.id) for pair in found.pairs} == {
        ("parquet-once-more", "parquet"),
        ("parquet-once-more", "parquet-again"),
    }
    link(repeated, found)
    assert read(repeated, "parquet-once-more")["cuecard"]["supersedes"] == [
        "decision/parquet-again",
        "decision/parquet",
    ]
    assert [memory.id for memory in repeated.memories()] == ["parquet-once-more", "queue"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (DECISION.replace("are written", "are never written"), "never"),
        (DECISION + " There are 12 partitions.", "`12` against `16`"),
        (DECISION + " Compression is disabled.", "`disabled` against `enabled`"),
    ],
)
def test_what_turns_the_sense_round_is_no_duplicate(store: Store, text: str, why: str) -> None:
    old = DECISION + {"`12` against `16`": " There are 16 partitions."}.get(why, " Compression is enabled.")
    if why == "never":
        old, why = DECISION, "only one of the two is negated"
    put(store, decision("old", old))
    put(store, decision("new", text, updated_at=LATER))
    [pair] = find_pairs(store).pairs
    assert (pair.kind, pair.newer.id) == (CONTRADICTION, "new")
    assert why in pair.why
    found = find_pairs(store)
    link(store, found)
    assert found.pairs[0].outcome == "found"
    assert read(store, "old")["record_status"] == "active"
    link(store, found, contradictions=True)
    assert found.pairs[0].outcome == "linked"
    assert read(store, "old")["retired_reason"] == "superseded by new"


def test_what_is_recorded_as_a_contradiction_is_no_duplicate_whatever_it_looks_like(store: Store) -> None:
    put(store, decision("old", DECISION))
    put(store, decision("new", DECISION, updated_at=LATER, cuecard={"contradicts": ["decision/old"]}))
    [pair] = find_pairs(store).pairs
    assert (pair.kind, pair.why) == (CONTRADICTION, "recorded in `decision/new`")


def test_the_same_words_the_other_way_round_are_no_duplicate(store: Store) -> None:
    put(store, decision("old", DECISION + " The queue is in PostgreSQL, not in Redis."))
    put(store, decision("new", DECISION + " The queue is in Redis, not in PostgreSQL.", updated_at=LATER))
    [pair] = find_pairs(store).pairs
    assert pair.kind == CONTRADICTION
    assert "only one of the two denies `postgresql`" in pair.why


@pytest.mark.parametrize(("between", "kind"), [("in or on the", CONTRADICTION), ("in or on to the", DUPLICATE)])
def test_a_denied_word_stands_at_most_five_words_behind_the_negation(store: Store, between: str, kind: str) -> None:
    text = " The queue is {} and not " + between + " {}."
    put(store, decision("old", DECISION + text.format("PostgreSQL", "Redis")))
    put(store, decision("new", DECISION + text.format("Redis", "PostgreSQL"), updated_at=LATER))
    [pair] = find_pairs(store).pairs
    assert pair.kind == kind


def test_opposing_statements_of_otherwise_different_memories_are_reported(store: Store) -> None:
    put(store, rule("a", "Migrations run automatically at deployment.", "How schemas move"))
    put(store, rule("b", "Nobody waits. Migrations run manually at deployment, by an operator.", "On call", LATER))
    put(store, rule("c", "Logs never hold addresses of customers.", "Logs"))
    [pair] = find_pairs(store).pairs
    assert (pair.kind, pair.newer.id, pair.older.id) == (CONTRADICTION, "b", "a")
    assert "`manually` against `automatically`" in pair.why


@pytest.mark.parametrize(
    ("one", "other", "opposed"),
    [
        ("Use tabs for indentation in Makefiles", "Never use tabs for indentation in Makefiles", True),
        ("Don't mock the database in tests", "Mock the database in tests", True),
        ("The timeout of the worker is 30 seconds", "The timeout of the worker is 60 seconds", True),
        ("The timeout of the worker is 30 seconds", "The timeout of the proxy cache is 60 seconds", False),
        ("Use tabs for Makefiles", "Never log addresses", False),
        ("An account is needed to approve changes", "An account is needed to approve changes (not yours)", False),
    ],
)
def test_statements_oppose_only_on_one_subject(one: str, other: str, opposed: bool) -> None:
    read_one, read_other = (
        statements(Memory(b"", "decision", "decisions/x.json", {"title": text}))[0] for text in (one, other)
    )
    assert bool(oppose(read_one, read_other)) is opposed
    assert bool(oppose(read_other, read_one)) is opposed


def test_categories_do_not_mix_and_one_can_be_chosen(repeated: Store) -> None:
    assert find_pairs(repeated, "runbook").compared == 0
    assert [pair.kind for pair in find_pairs(repeated, "decision").pairs] == [DUPLICATE]
    with pytest.raises(UsageError):
        find_pairs(repeated, "decisions")  # type: ignore[arg-type]


def test_what_has_changed_meanwhile_is_left_alone(repeated: Store) -> None:
    found = find_pairs(repeated)
    repeated.update("parquet", {"confidence": 0.5})
    link(repeated, found)
    pair = found.pairs[0]
    assert (pair.outcome, pair.problem) == ("failed", "one of the two memories has changed meanwhile")
    assert read(repeated, "parquet")["record_status"] == "active"


@pytest.mark.parametrize(
    "arguments", [["--contradictions"], ["--undo", "parquet", "--apply"], ["--undo", "x", "--category", "decision"]]
)
def test_what_does_not_go_together_is_refused(repeated: Store, arguments: list[str]) -> None:
    ran = run_in(repeated, "consolidate", *arguments, "--json")
    assert ran.code == 2
    assert error_of(ran)["code"]


def test_this_repository_and_damaged_files_are_survived(repeated: Store, tmp_path: Path) -> None:
    broken = Path(repeated.memory_dir) / "decisions" / "broken.json"
    broken.write_text("{", encoding="utf-8")
    odd = Path(repeated.memory_dir) / "decisions" / "odd.json"
    odd.write_text(json.dumps({"title": 3, "content": [], "changes": "none"}), encoding="utf-8")
    assert len(find_pairs(repeated).pairs) == 1
