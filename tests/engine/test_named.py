"""Between showing and silence, a line names memories that may concern a prompt (SPEC 28.5, 39.9)."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import cuecard
from command_process import run
from cuecard import _pure as pure
from cuecard._pure.requests.request import Question, Request
from cuecard.steer.actions import judge
from recall_strategies import WORDS
from snapshots import build
from test_recalled_memories import NOW, NUMBERS, files_of
from test_siblings import random_store
from trust_cases import POISON, User, ask, last_event, write

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from hook_process import Hook

PROMPT = "invoices in the old basket"
ANSWERED = "which invoices are old"
BASKET, INVOICES = ".claude/memory/decisions/basket.json", ".claude/memory/decisions/invoices.json"
LINE = (
    "may concern this: The old basket endpoint is still served for the app -> basket; "
    "Invoices are kept for ten years and never changed -> invoices"
)
MEMORIES: dict[str, dict[str, object]] = {
    INVOICES: {
        "title": "Invoices are kept for ten years and never changed",
        "category": "decision",
        "content": {"decision": "A correction is a new invoice that names the old one."},
    },
    BASKET: {
        "title": "The old basket endpoint is still served for the app",
        "category": "decision",
        "content": {"decision": "Version 3 of the app asks for it until May."},
    },
    ".claude/memory/runbooks/mail.json": {
        "title": "Send the newsletter",
        "category": "runbook",
        "content": {"steps": ["Ask for the text", "Run bin/send"]},
    },
}


@pytest.fixture
def user(tmp_path: Path) -> User:
    user = User(tmp_path / "user")
    user.settle(retrieval={"may_concern": True})
    return user


@pytest.fixture
def project(tmp_path: Path, user: User) -> Path:
    root = tmp_path / "project"
    for path, memory in MEMORIES.items():
        user.vouch(write(root, path, memory))
    return root


def lines(block: bytes) -> list[str]:
    """What stands between the first and the last line of a block."""
    return block.decode().splitlines()[1:-1]


def outcomes(user: User) -> dict[str, str]:
    memories = last_event(user)["memories"]
    assert isinstance(memories, list)
    return {memory["id"]: memory["outcome"] for memory in memories}


def test_the_titles_of_two_memories_that_nearly_pass_are_named(hook: Hook, project: Path, user: User) -> None:
    assert lines(ask(hook, project, user, PROMPT).stdout) == [LINE]
    assert outcomes(user) == {"basket": "named", "invoices": "named"}
    assert (last_event(user)["silence"], last_event(user)["tokens"]) == ("gate", 58)


def test_nothing_is_named_unless_the_user_asks_for_it(hook: Hook, project: Path, user: User) -> None:
    user.settle()
    assert ask(hook, project, user, PROMPT).stdout == b""
    assert outcomes(user) == {"basket": "gate", "invoices": "gate"}


def test_nothing_is_named_beside_a_memory_that_is_shown(hook: Hook, project: Path, user: User) -> None:
    assert "named" not in outcomes_after(hook, project, user, ANSWERED).values()


def outcomes_after(hook: Hook, project: Path, user: User, prompt: str) -> dict[str, str]:
    ask(hook, project, user, prompt)
    return outcomes(user)


def test_a_memory_is_named_once_in_a_session_and_still_shown_when_it_passes(
    hook: Hook, project: Path, user: User
) -> None:
    assert lines(ask(hook, project, user, PROMPT).stdout) == [LINE]
    assert ask(hook, project, user, PROMPT).stdout == b""
    assert outcomes(user) == {"basket": "gate", "invoices": "gate"}
    shown = ask(hook, project, user, ANSWERED).stdout
    assert lines(shown)[0].startswith("- [DECISION] Invoices are kept for ten years and never changed")
    # What was shown is not named afterwards.
    assert ask(hook, project, user, PROMPT).stdout == b""


def test_a_memory_that_was_shown_is_not_named(hook: Hook, project: Path, user: User) -> None:
    ask(hook, project, user, ANSWERED)
    assert lines(ask(hook, project, user, PROMPT).stdout) == [LINE.partition(";")[0]]


def test_a_host_that_keeps_nothing_is_told_each_time(hook: Hook, project: Path, user: User) -> None:
    for _ in range(2):
        assert LINE.encode() in ask(hook, project, user, PROMPT, "cursor").stdout.replace(b"\\u003e", b">")


def test_a_title_that_nobody_vouches_for_is_marked_and_comes_last(hook: Hook, project: Path, user: User) -> None:
    changed = {**MEMORIES[BASKET], "title": "The old basket is still served"}
    write(project, BASKET, changed)
    [line] = lines(ask(hook, project, user, PROMPT).stdout)
    assert line == (
        "may concern this: Invoices are kept for ten years and never changed -> invoices; "
        "The old basket is still served (unreviewed) -> basket"
    )


def test_strangers_never_take_the_place_of_vouched_titles(hook: Hook, project: Path, user: User) -> None:
    for number in range(8):
        stranger = {**MEMORIES[BASKET], "title": f"The old basket endpoint number {number} for invoices"}
        write(project, f".claude/memory/decisions/stranger-{number}.json", stranger)
    block = ask(hook, project, user, PROMPT).stdout
    if b"may concern this" in block:
        assert lines(block) == [LINE]
    else:
        assert b"unreviewed" in block


def test_a_withheld_memory_is_not_named_and_silences_nothing(hook: Hook, project: Path, user: User) -> None:
    poisoned = {**MEMORIES[BASKET], "title": "Invoices in the old basket", "content": {"decision": POISON}}
    write(project, ".claude/memory/decisions/poison.json", poisoned)
    ran = ask(hook, project, user, PROMPT)
    assert lines(ran.stdout) == [LINE]
    assert "poison" not in [name for name, outcome in outcomes(user).items() if outcome == "named"]


@pytest.mark.parametrize(
    "change",
    [{"cuecard": {"valid_until": "2026-01-31"}}, {"record_status": "retired"}, {"content": {"status": "rejected"}}],
)
def test_what_does_not_hold_is_not_named(hook: Hook, project: Path, user: User, change: dict[str, object]) -> None:
    user.vouch(write(project, BASKET, {**MEMORIES[BASKET], **change}))
    assert b"basket endpoint" not in ask(hook, project, user, PROMPT).stdout


def test_a_file_that_is_gone_is_not_named(hook: Hook, project: Path, user: User) -> None:
    ask(hook, project, user, "what is for lunch in the canteen today")
    (project / BASKET).unlink()
    assert b"basket" not in ask(hook, project, user, PROMPT).stdout


def test_a_memory_that_was_wrong_for_the_prompt_is_not_named(
    hook: Hook, project: Path, monkeypatch: pytest.MonkeyPatch, user: User
) -> None:
    for name, value in user.environment.items():
        monkeypatch.setenv(name, value)
    # The gate shows it for a similar prompt.
    user.settle(retrieval={"may_concern": True, "gate_shift": -1})
    assert b"basket" in ask(hook, project, user, PROMPT).stdout
    judge(cuecard.Store(project), "wrong", "basket")
    user.settle(retrieval={"may_concern": True})
    run_again = ask(hook, project, user, PROMPT, CUECARD_SESSION="x").stdout
    assert b"basket" not in run_again


def test_commands_say_what_was_named(hook: Hook, project: Path, user: User) -> None:
    ask(hook, project, user, PROMPT)

    def say(*arguments: str) -> str:
        return run(project.parent, project, *arguments, **user.environment).stdout

    assert LINE in say("recall", PROMPT, "--block")
    assert {one["outcome"] for one in json.loads(say("recall", PROMPT, "--json"))["injection"]["memories"]} == {"named"}
    assert "its title is named as one that may concern the prompt" in say("why", "basket", "--prompt", PROMPT)
    assert "its title was named as one that may concern the prompt" in say("why", "basket")
    assert "only titles: no memory was sure enough (basket, " in say("log")
    assert "titles that may concern the prompt: 1 line, 58 tokens on average" in say("stats", "--details")
    found = json.loads(say("stats", "--json"))
    assert (found["named"], found["named_tokens"], found["answered"], found["tokens_sum"]) == (1, 58, 0, 0)


def answer(backend: ModuleType, root: Path, prompt: str, shift: float) -> object:
    """What a backend finds for a prompt, and what it passes over, with the reasons."""
    snapshot = build(backend, files_of(root), NUMBERS)
    config = json.dumps({"retrieval": {"may_concern": True, "gate_shift": shift}}).encode()
    request = Request(prompt, 2, backend.read_settings(config, None), now=NOW)
    question = Question(request, "hybrid", "precise", "heeded")
    found = backend.recall_memories(snapshot, str(root), question)
    passed_over = [(memory.position, memory.logit, why) for memory, why in found[1]]
    return [memory.position for memory in found[0]], passed_over


def test_both_backends_name_the_same_memories(native: ModuleType, tmp_path: Path) -> None:
    with_names = 0
    for seed in range(80):
        chance, root = random.Random(seed), tmp_path / str(seed)
        random_store(chance, root)
        prompt = f"{' '.join(chance.choices(WORDS, k=chance.randint(1, 5)))} for the canteen"
        shift = chance.choice([0, 0.5, 1, 1.5, 2])
        found: Any = answer(pure, root, prompt, shift)
        assert json.dumps(answer(native, root, prompt, shift)) == json.dumps(found)
        with_names += any(why == "named" for _position, _logit, why in found[1])
    assert with_names >= 3
