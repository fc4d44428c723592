"""The others of a subject stand in a block beside a memory that passes the gate (SPEC 28.4)."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import cuecard
from command_process import run
from cuecard import _pure as pure
from cuecard._pure.requests.request import Question, Request
from recall_strategies import WORDS
from snapshots import build
from test_recalled_memories import NOW, NUMBERS, files_of
from trust_cases import User, ask, last_event, write

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from hook_process import Hook

PROMPT = "which answers does should_retry retry, is a timeout retried?"
ATTEMPTS = "There are four attempts in all: The first request is one of the four."
PAUSES = "The pause doubles from 200 ms up to 30 s: Jitter of a tenth is added."


def decision(title: str, text: str, component: str = "should_retry") -> dict[str, object]:
    own = {"applies_to": [{"component": component}]}
    return {"title": title, "category": "decision", "content": {"decision": text}, "cuecard": own}


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path / "user")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, memory in {
        "lead": decision("should_retry: only 5xx answers and timeouts are retried", "A 429 counts as a 5xx answer."),
        "attempts": decision("There are four attempts in all", "The first request is one of the four."),
        "pauses": decision("The pause doubles from 200 ms up to 30 s", "Jitter of a tenth is added."),
    }.items():
        write(root, f".claude/memory/decisions/{name}.json", memory)
    return root


def vouch(user: User, project: Path, *names: str) -> None:
    for name in names:
        user.vouch(project / f".claude/memory/decisions/{name}.json")


@pytest.mark.process
def test_all_that_was_decided_is_in_the_block(hook: Hook, project: Path, user: User) -> None:
    vouch(user, project, "lead", "attempts", "pauses")
    block = ask(hook, project, user, PROMPT).stdout.decode()
    lines = [line for line in block.split("\n") if line.startswith("- ")]
    assert [line.partition("] ")[2].partition(" ->")[0] for line in lines[1:]] == [ATTEMPTS, PAUSES]
    assert lines[0].startswith("- [DECISION] should_retry")


@pytest.mark.process
def test_an_unreviewed_memory_never_joins_the_subject_of_a_vouched_one(hook: Hook, project: Path, user: User) -> None:
    vouch(user, project, "lead", "attempts")
    block = ask(hook, project, user, PROMPT).stdout.decode()
    assert ATTEMPTS in block
    assert "pause" not in block


@pytest.mark.process
def test_unreviewed_memories_form_a_subject_of_their_own(hook: Hook, project: Path, user: User) -> None:
    vouch(user, project, "pauses")
    block = ask(hook, project, user, PROMPT).stdout.decode()
    assert "pause" not in block
    assert block.count("unreviewed") == 2


@pytest.mark.process
def test_a_sibling_is_shown_once_in_a_session_and_logged_as_such(hook: Hook, project: Path, user: User) -> None:
    vouch(user, project, "lead", "attempts", "pauses")
    assert ATTEMPTS in ask(hook, project, user, PROMPT).stdout.decode()
    memories = last_event(user)["memories"]
    assert isinstance(memories, list)
    assert [memory["outcome"] for memory in memories] == ["full", "sibling", "sibling"]
    assert ask(hook, project, user, PROMPT).stdout == b""


def test_siblings_take_no_places_of_other_memories(project: Path) -> None:
    store = cuecard.Store(str(project))
    other = decision("should_retry logs every retried timeout", "One line with the answer.", "logs")
    write(project, ".claude/memory/decisions/logs.json", other)
    shown = {memory.hit.path.rpartition("/")[2]: memory.outcome for memory in store.inject(PROMPT, limit=2).memories}
    assert {"lead.json", "logs.json"} <= shown.keys()


def test_why_says_that_a_memory_is_shown_for_its_subject(tmp_path: Path) -> None:
    memories = {
        "numbers": decision("Exports are written in the order of their numbers", "The file lists invoices.", "export"),
        "amounts": decision("Amounts have two digits and a comma", "Other programs expect it.", "export"),
        "total": decision("The file ends with a total", "The total is the sum of all amounts.", "export"),
    }
    for name, memory in memories.items():
        write(tmp_path, f".claude/memory/decisions/{name}.json", memory)
    prompt = "they got a file with a point instead of the comma, one is missing, and it has no number. please repair it"
    told = {}
    for name in memories:
        ran = run(tmp_path, tmp_path, "why", name, "--prompt", prompt, "--json")
        told[name] = ran.document["trace"]
    leads = [name for name, trace in told.items() if trace["subject_logit"] is not None]
    assert len(leads) == 1
    trace = told[leads[0]]
    assert trace["logit"] < trace["least"] <= trace["subject_logit"]
    assert trace["verdict"].endswith(", for its subject")
    lines = run(tmp_path, tmp_path, "why", leads[0], "--prompt", prompt).stdout.splitlines()
    gate = [line for line in lines if line.startswith("gate")]
    assert f"{trace['subject_probability']:.0%} of its subject, judged as one memory" in gate[0]
    assert f"sum; {trace['subject_logit']:+} for its subject" in gate[-1]


def random_store(chance: random.Random, root: Path) -> None:
    """Memories of few words, components, sources and states, so that many of them share a subject."""
    for number in range(chance.randint(4, 24)):
        own: dict[str, Any] = {}
        if chance.random() < 0.7:
            own["applies_to"] = [{"component": chance.choice(["pay", "Pay", "queue"])} for _ in range(2)]
        if chance.random() < 0.3:
            own["derived_from"] = [str(chance.randint(0, 24)), f"decisions/{chance.randint(0, 24)}"]
        if chance.random() < 0.2:
            own["supersedes"] = [str(chance.randint(0, 24))]
        if chance.random() < 0.2:
            own["valid_until"] = "2026-01-01"
        memory = {
            "title": " ".join(chance.choices(WORDS, k=4)),
            "record_status": chance.choice(["active", "active", "active", "retired"]),
            "content": {"decision": " ".join(chance.choices(WORDS, k=chance.choice([3, 8, 200])))},
            "category": "decision",
            "cuecard": own,
        }
        folder = chance.choice(["decisions", "decisions", "constraints", "sessions"])
        write(root, f".claude/memory/{folder}/{number}.json", memory)


def answer(backend: ModuleType, root: Path, prompt: str) -> object:
    """What a backend finds for a prompt, how each memory stands in the block, and the block."""
    snapshot = build(backend, files_of(root), NUMBERS)
    request = Request(prompt, 2, backend.read_settings(None, None), now=NOW)
    found = backend.recall_memories(snapshot, str(root), Question(request, "hybrid", "eager", "ignored"))
    beside = [(memory.position, memory.logit, memory.beside) for memory in found[0]]
    passed_over = [(memory.position, why) for memory, why in found[1]]
    return beside, passed_over, backend.pack_memories(str(root), found[0], 700, 6000)


def test_both_backends_find_the_same_siblings(native: ModuleType, tmp_path: Path) -> None:
    with_siblings = 0
    for seed in range(40):
        chance, root = random.Random(seed), tmp_path / str(seed)
        random_store(chance, root)
        prompt = f"why {' '.join(chance.choices(WORDS, k=6))}?"
        found: Any = answer(pure, root, prompt)
        assert json.dumps(answer(native, root, prompt)) == json.dumps(found)
        with_siblings += any(beside and not beside[2] for _position, _logit, beside in found[0])
    assert with_siblings >= 10
