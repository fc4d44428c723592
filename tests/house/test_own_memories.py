"""This project's own memories answer what newcomers ask, and are as good as the guide asks memories to be."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import cuecard
from cuecard import Memory, Store
from cuecard.store.trust.agent_view import views_of
from scratch_home import write_user_settings

ROOT = Path(__file__).parents[2]
# Ids are made of titles and cut to 80 characters; a shorter one is whole.
MAX_ID_CHARS = 70
# Written before the memories, as somebody types who has not read them.
QUESTIONS = (
    ("I want to change how memories are ranked, do I have to write it in Python too?", "one-home-for-every-rule"),
    ("what happens to my session if the hook crashes in the middle of a prompt?", "hook-never-hurts"),
    ("do I need to keep a server or a database running for this?", "one-mapped-snapshot"),
    ("which embedding model should I switch on for notes in Japanese and German?", "e5-for-other-languages"),
    ("can a repository that I cloned make it start a program or phone home?", "repository-settings-are-limited"),
    ("somebody pasted an AWS key into the chat, does it end up in a file?", "secrets-are-replaced-before-writing"),
    ("I deleted a memory by accident, how do I get it back?", "every-write-can-be-undone"),
    ("nothing was injected for my prompt, how do I find out why?", "hook-injects-nothing"),
    ("where do you keep the things that I type, and for how long?", "private-ledger"),
    ("how do I add a new option to the config file?", "add-a-setting"),
    ("a JSON file in the store has merge conflict markers, what now?", "damaged-memory-file"),
    ("how often does it interrupt the agent to save memories?", "agents-are-asked-seldom"),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A copy of this repository's store. In a worktree, the memories of the main checkout would count as well."""
    project = tmp_path_factory.mktemp("own")
    shutil.copytree(
        ROOT / ".claude" / "memory", project / ".claude" / "memory", ignore=shutil.ignore_patterns(".cuecard")
    )
    return cuecard.open(project)


@pytest.fixture(scope="module")
def memories(store: Store) -> list[Memory]:
    """The active memories of this repository."""
    return list(store.memories())


@pytest.mark.parametrize(("question", "expected"), QUESTIONS)
def test_a_newcomer_gets_the_right_memory_first(store: Store, question: str, expected: str) -> None:
    hits = store.recall(question, setting="balanced")
    assert [Path(hit.path).stem for hit in hits[:1]] == [expected]


def test_a_newcomer_who_has_reviewed_nothing_gets_it_too(store: Store) -> None:
    write_user_settings({"trust": {"review": "on"}})
    for question, expected in QUESTIONS:
        injected = store.inject(question, setting="balanced").memories
        assert [Path(memory.hit.path).stem for memory in injected if memory.is_shown][:1] == [expected], question


def test_none_is_withheld_from_a_newcomer(memories: list[Memory], store: Store) -> None:
    write_user_settings({"trust": {"review": "on"}})
    views = views_of(store.memory_dir, memories)
    assert [memory.id for memory, view in zip(memories, views, strict=True) if view.is_withheld] == []


def test_the_memories_do_not_repeat_these_questions(memories: list[Memory]) -> None:
    asked = {_words(question) for question, _ in QUESTIONS}
    assert not asked & {_words(question) for memory in memories for question in _cuecard(memory)["questions"]}


def test_there_are_about_thirty_that_hold(memories: list[Memory], store: Store) -> None:
    assert 25 <= len(memories) <= 45
    assert [memory.id for memory in store.memories(status="all")] == [memory.id for memory in memories]


def test_each_says_which_questions_it_answers_and_what_shows_that_it_holds(memories: list[Memory]) -> None:
    for memory in memories:
        assert 2 <= len(_cuecard(memory)["questions"]) <= 5, memory.id
        assert _cuecard(memory)["evidence"], memory.id


def test_the_files_that_they_name_exist(memories: list[Memory]) -> None:
    named = [(memory.id, anchor) for memory in memories for anchor in _cuecard(memory).get("anchors", [])]
    named += [
        (memory.id, piece["ref"])
        for memory in memories
        for piece in _cuecard(memory)["evidence"]
        if piece["kind"] == "file"
    ]
    assert [(name, path) for name, path in named if not (ROOT / path).exists()] == []


def test_none_has_a_word_that_the_project_has_given_up(memories: list[Memory]) -> None:
    old = re.compile(r"\b(legs?|twins?|handover|bent|nearness|mended|anew)\b", re.IGNORECASE)
    assert [memory.id for memory in memories if old.search(json.dumps(memory.record))] == []


def test_no_id_was_cut_to_its_longest_length(memories: list[Memory]) -> None:
    assert [memory.id for memory in memories if len(memory.id) >= MAX_ID_CHARS] == []


def _words(question: str) -> str:
    return " ".join(re.findall(r"\w+", question.lower()))


def _cuecard(memory: Memory) -> dict[str, Any]:
    extension = memory.record["cuecard"]
    assert isinstance(extension, dict)
    return extension
