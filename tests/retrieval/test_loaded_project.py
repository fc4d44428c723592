"""Memories that are read once: what a recaller keeps, why it is silent, and what it notes."""

from pathlib import Path

import pytest

from cuecard import Strategy
from cuecard.files.environment import Environment
from cuecard.retrieval.recall import open_recall
from project_settings import DESCRIPTIONS, PROMPT, STRATEGIES, configure, titles
from small_project import MEMORIES, write_project

pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A new project for a single test."""
    return write_project(tmp_path / "project", config={"categories": DESCRIPTIONS})


# Memories that are read once


def test_a_recaller_keeps_the_memories_and_looks_at_the_files_of_those_it_shows(project: Path) -> None:
    recaller = open_recall(project, strategy="keyword")
    assert len(recaller.search("hook")) == 2
    (project / ".claude" / "memory" / "decisions" / "new.json").write_text('{"title": "A new hook"}')
    assert len(recaller.search("hook")) == 2
    file = project / MEMORIES[1].path
    file.write_text(file.read_text().replace('"active"', '"retired"'))
    assert len(recaller.search("hook")) == 1


def test_a_recaller_of_the_index_keeps_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Environment, "is_exactly_classic", True)
    recaller = open_recall(project)
    assert len(recaller.search("hook")) == 2
    (project / ".claude" / "memory" / "index.md").write_text("")
    assert len(recaller.search("hook")) == 2


@pytest.mark.parametrize("strategy", ["hybrid", "keyword", "bm25", "tfidf", "vectors"])
def test_a_memory_that_was_edited_in_place_shows_as_it_is_now(project: Path, strategy: Strategy) -> None:
    recaller = open_recall(project, strategy=strategy)
    before = recaller.search("twins", explain=True)
    file = project / MEMORIES[2].path
    file.write_text(file.read_text().replace("Two twins give", "Both now give").replace('"pure"', '"equal"'))
    hit = recaller.search("twins", explain=True)[0]
    assert (hit.title, hit.tags) == ("Both now give the same result", ("equal", "parity"))
    assert (hit.score, hit.parts, hit.path) == (before[0].score, before[0].parts, before[0].path)


@pytest.mark.parametrize(
    ("prompt", "retrieval", "reason"),
    [
        (PROMPT, {}, ""),
        ("  hook   ", {}, "the prompt is under 10 characters"),
        (PROMPT, {"enabled": False}, "recall is switched off by `retrieval.enabled`"),
        (PROMPT, {"max_inject": 0}, "recall is switched off by `retrieval.max_inject`"),
        ("nothing of the kind", {}, "no memory is sure enough for `balanced`"),
        ("nothing of the kind", {"gate_setting": "precise"}, "no memory is sure enough for `precise`"),
        ("nothing of the kind", {"match_strategy": "keyword"}, "no memory matches"),
        ("the a an is was are", {}, "no memory matches"),
    ],
)
def test_silence_has_a_reason(project: Path, prompt: str, retrieval: dict[str, object], reason: str) -> None:
    configure(**retrieval)
    recaller = open_recall(project)
    assert recaller.why_silent(prompt) == reason
    assert bool(recaller.recall(prompt)) == (not reason)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_empty_store_is_a_reason_too(tmp_path: Path, strategy: Strategy) -> None:
    (tmp_path / "empty" / ".claude" / "memory").mkdir(parents=True)
    recaller = open_recall(tmp_path / "empty", strategy=strategy)
    assert recaller.why_silent(PROMPT) == "the project has no memories"
    assert (recaller.memory_count, recaller.search("hook")) == (0, [])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_active_memories_are_counted(tmp_path: Path, strategy: Strategy) -> None:
    active = write_project(tmp_path / "active", *MEMORIES[:5])
    assert open_recall(active, strategy=strategy).memory_count == 5
    if strategy != "keyword_classic":
        assert open_recall(write_project(tmp_path / "mixed"), strategy=strategy).memory_count == 5


def test_notes_tell_what_the_hook_would_log_and_nothing_twice(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUECARD_STRATEGY", "magic")
    recaller = open_recall(project)
    assert titles(recaller.search("twins"))[0] == MEMORIES[2].title
    (project / MEMORIES[2].path).unlink()
    for _ in range(3):
        assert MEMORIES[2].title not in titles(recaller.search("twins"))
    assert recaller.notes == [
        "`CUECARD_STRATEGY` is not a known strategy; using `hybrid`",
        "`.claude/memory/decisions/twins.json` is missing",
    ]


def test_notes_tell_of_a_line_without_a_memory_where_the_index_answers(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (project / ".claude" / "memory" / "index.md").open("a") as index:
        index.write("- [DECISION] Gone hook -> .claude/memory/decisions/gone.json\n")
    monkeypatch.setattr(Environment, "is_exactly_classic", True)
    recaller = open_recall(project)
    for _ in range(3):
        recaller.search("gone")
    assert recaller.notes == ["`.claude/memory/decisions/gone.json` is missing"]
