"""This project's own memories answer what newcomers ask, and are as good as the guide asks memories to be."""

import re
from pathlib import Path

import pytest

import cuecard
from cuecard import Memory, Store

ROOT = Path(__file__).parent.parent
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
def store() -> Store:
    """The store of this repository."""
    return cuecard.open(ROOT)


@pytest.fixture(scope="module")
def memories(store: Store) -> list[Memory]:
    """The active memories of this repository."""
    return list(store.memories())


@pytest.mark.parametrize(("question", "expected"), QUESTIONS)
def test_a_newcomer_gets_the_right_memory_first(store: Store, question: str, expected: str) -> None:
    hits = store.recall(question, gate="balanced")
    assert [hit.id for hit in hits[:1]] == [expected]
