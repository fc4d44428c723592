"""Between showing and silence, a line names memories that may concern a prompt (SPEC 28.5, 39.9)."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import cuecard
from command_process import run
from cuecard import _pure as pure
from cuecard._backend import LOGIT_UNIT, gate_threshold
from cuecard._pure.engine.named import NAMED_BELOW
from cuecard._pure.requests.request import Question, Request
from cuecard.actions.person_actions import judge
from cuecard.files.environment import Environment
from cuecard.hosts.shown_files import refresh
from judge_cases import KEY, VARIABLE, config_of
from recall_strategies import WORDS
from snapshots import build
from test_recalled_memories import NOW, NUMBERS, files_of
from test_siblings import random_store
from trust_cases import POISON, User, ask, last_event, write

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from hook_process import Hook
    from model_server import ModelServer

PROMPT = "invoices in the old basket"
ANSWERED = "which invoices are old"
STRANGER = ".claude/memory/decisions/stranger.json"
# Nobody vouches for it, and the gate is sure of it for the prompt.
SURE = {
    "title": "Invoices in the old basket",
    "category": "decision",
    "content": {"decision": "Both of them stay in use."},
}
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


def logits(user: User) -> dict[str, int]:
    memories = last_event(user)["memories"]
    assert isinstance(memories, list)
    return {memory["id"]: memory["logit"] for memory in memories}


def least(shift: float) -> float:
    """The lowest logit that the gate shows with a shift of its limit."""
    threshold = gate_threshold("balanced")
    assert threshold is not None
    return threshold + shift * LOGIT_UNIT


def test_the_titles_of_two_memories_that_nearly_pass_are_named(hook: Hook, project: Path, user: User) -> None:
    assert lines(ask(hook, project, user, PROMPT).stdout) == [LINE]
    assert outcomes(user) == {"basket": "named", "invoices": "named"}
    assert (last_event(user)["silence"], last_event(user)["tokens"]) == ("gate", 58)


def test_nothing_is_named_unless_the_user_asks_for_it(hook: Hook, project: Path, user: User) -> None:
    user.settle()
    assert ask(hook, project, user, PROMPT).stdout == b""
    assert outcomes(user) == {"basket": "gate", "invoices": "gate"}


def test_nothing_is_named_beside_a_memory_that_is_shown(hook: Hook, project: Path, user: User) -> None:
    user.settle(retrieval={"may_concern": True, "gate_shift": 0.5})
    block = ask(hook, project, user, "invoices kept for years in the old basket of the app").stdout
    assert lines(block)[0].startswith("- [DECISION] The old basket endpoint")
    # The other one would be near enough to be named.
    assert logits(user)["invoices"] >= least(0.5) - NAMED_BELOW
    assert outcomes(user) == {"basket": "gist", "invoices": "gate"}


def test_nothing_vouched_is_named_beside_a_stranger_that_is_shown(hook: Hook, project: Path, user: User) -> None:
    write(project, STRANGER, SURE)
    assert b"(2026-01-01, unreviewed)" in ask(hook, project, user, PROMPT).stdout
    assert outcomes(user) == {"stranger": "gist", "basket": "gate", "invoices": "gate"}


def test_a_memory_is_named_once_in_a_session_and_still_shown_when_it_passes(
    hook: Hook, project: Path, user: User
) -> None:
    assert lines(ask(hook, project, user, PROMPT).stdout) == [LINE]
    assert ask(hook, project, user, PROMPT).stdout == b""
    assert outcomes(user) == {"basket": "gate", "invoices": "gate"}
    shown = ask(hook, project, user, ANSWERED).stdout
    assert lines(shown)[0].startswith("- [DECISION] Invoices are kept for ten years and never changed")


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
        title = f"The old basket number {number} is still served for the app"
        stranger = {**MEMORIES[BASKET], "title": title, "content": {"decision": "x"}}
        write(project, f".claude/memory/decisions/stranger-{number}.json", stranger)
    assert lines(ask(hook, project, user, PROMPT).stdout) == [LINE]


def test_strangers_that_are_near_do_not_take_the_place_of_vouched_titles(hook: Hook, project: Path, user: User) -> None:
    user.settle(retrieval={"may_concern": True, "gate_shift": -1.75})
    for number in range(3):
        anchored = {"title": f"Parts of the shop {number}", "category": "decision", "content": {"decision": "x"}}
        path = f".claude/memory/decisions/shop-{number}.json"
        write(project, path, {**anchored, "cuecard": {"anchors": ["src/shop/basket.py"]}})
    assert named_for(hook, project, user, f"{PROMPT} of src/shop/basket.py") == ["basket", "invoices"]
    near = max(logit for name, logit in logits(user).items() if name.startswith("shop"))
    assert near >= least(-1.75) - NAMED_BELOW


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
    become(user, monkeypatch)
    # The gate shows it for a similar prompt.
    user.settle(retrieval={"may_concern": True, "gate_shift": -1})
    assert b"basket" in ask(hook, project, user, PROMPT).stdout
    judge(cuecard.Store(project), "wrong", "basket")
    user.settle(retrieval={"may_concern": True})
    assert lines(ask_later(hook, project, user)) == [f"may concern this: {LINE.rpartition('; ')[2]}"]


def become(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process work for a user."""
    for name, value in user.environment.items():
        monkeypatch.setenv(name, value)


def ask_later(hook: Hook, project: Path, user: User) -> bytes:
    """What the hook prints for the prompt in another session."""
    payload = json.dumps({"prompt": PROMPT, "cwd": str(project), "session_id": "later"}).encode()
    ran = hook.run("prompt", "--host", "plain", stdin=payload, cwd=project, **user.environment)
    assert (ran.code, ran.stderr, ran.log) == (0, b"", [])
    return ran.stdout


def test_a_memory_that_the_host_shows_itself_is_not_named(
    hook: Hook, project: Path, monkeypatch: pytest.MonkeyPatch, user: User
) -> None:
    let_the_host_show(hook, project, monkeypatch, user, "Version 3 of the app asks for it until May.")
    block = json.loads(ask(hook, project, user, PROMPT, "claude-code").stdout)["hookSpecificOutput"]
    assert f"may concern this: {LINE.rpartition('; ')[2]}\n" in block["additionalContext"]
    assert outcomes(user) == {"basket": "gate", "invoices": "named"}


def let_the_host_show(hook: Hook, project: Path, monkeypatch: pytest.MonkeyPatch, user: User, statement: str) -> None:
    """Write a statement into the file of a project that Claude Code shows its agent by itself."""
    home = hook.scratch / "home"
    home.mkdir(exist_ok=True)
    become(user, monkeypatch)
    monkeypatch.setenv("HOME", str(home))
    # The account of a test has another home folder.
    monkeypatch.setattr("cuecard.hosts.shown_files.account_home", lambda: str(home))
    (project / "CLAUDE.md").write_text(f"- {statement}\n")
    refresh("claude-code", str(project), Environment())


@pytest.mark.parametrize("reason", ["hosted", "verdict"])
def test_nothing_is_named_where_a_memory_that_passes_stays_out_for_another_reason(
    hook: Hook, project: Path, monkeypatch: pytest.MonkeyPatch, user: User, reason: str
) -> None:
    write(project, STRANGER, SURE)
    if reason == "hosted":
        let_the_host_show(hook, project, monkeypatch, user, "Both of them stay in use.")
        block = ask(hook, project, user, PROMPT, "claude-code").stdout
    else:
        become(user, monkeypatch)
        ask(hook, project, user, PROMPT)
        judge(cuecard.Store(project), "wrong", "stranger")
        block = ask_later(hook, project, user)
    assert b"may concern this" not in block
    assert last_event(user)["silence"] == reason
    assert outcomes(user) == {"stranger": reason, "basket": "gate", "invoices": "gate"}


def test_nothing_is_named_after_a_judge(hook: Hook, project: Path, server: ModelServer, user: User) -> None:
    settings = config_of(server.url)["retrieval"]
    user.settle(variables=True, retrieval={"may_concern": True, **settings})
    server.keep = lambda _titles: []
    variables = {VARIABLE: KEY, "CUECARD_ALLOW_HOSTS": server.url}
    assert ask(hook, project, user, PROMPT, **variables).stdout == b""
    assert len(server.requests) == 1
    assert outcomes(user) == {"basket": "gate", "invoices": "gate"}


def test_a_memory_whose_place_another_one_has_taken_is_not_named(hook: Hook, project: Path, user: User) -> None:
    prompt = "old invoices basket"
    cart = {"title": "Carts replace it", "category": "decision", "content": {"decision": "Everything is in a cart."}}
    path = ".claude/memory/decisions/cart.json"
    user.vouch(write(project, path, cart))
    assert named_for(hook, project, user, prompt) == ["basket", "invoices"]
    user.vouch(write(project, path, {**cart, "cuecard": {"supersedes": ["basket"]}}))
    assert named_for(hook, project, user, prompt) == ["invoices"]


def named_for(hook: Hook, project: Path, user: User, prompt: str) -> list[str]:
    """The memories that a host which keeps nothing is told for a prompt."""
    ask(hook, project, user, prompt, "cursor")
    return sorted(name for name, outcome in outcomes(user).items() if outcome == "named")


@pytest.mark.parametrize(("anchor", "is_named"), [("src/shop/basket.py", True), ("src/**", False)])
def test_anchors_of_a_stranger_that_name_many_files_name_no_title(
    hook: Hook, project: Path, user: User, anchor: str, is_named: bool
) -> None:
    user.settle(retrieval={"may_concern": True, "gate_shift": -0.25})
    title = "The old basket is served for the app"
    stranger = {**SURE, "title": title, "content": {"decision": "x"}, "cuecard": {"anchors": [anchor]}}
    write(project, STRANGER, stranger)
    block = ask(hook, project, user, f"{PROMPT} of src/shop/basket.py").stdout
    assert block.decode().count(f"may concern this: {title} (unreviewed) -> stranger\n") == is_named
    assert (outcomes(user)["stranger"] == "named", bool(block)) == (is_named, is_named)


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
    for seed in range(40):
        chance, root = random.Random(seed), tmp_path / str(seed)
        random_store(chance, root)
        prompt = f"{' '.join(chance.choices(WORDS, k=chance.randint(1, 5)))} for the canteen"
        shift = chance.choice([0, 0.5, 1, 1.5, 2])
        found: Any = answer(pure, root, prompt, shift)
        assert json.dumps(answer(native, root, prompt, shift)) == json.dumps(found)
        with_names += any(why == "named" for _position, _logit, why in found[1])
    assert with_names >= 3
