"""Memories that the user vouches for have places of their own: nothing unreviewed pushes them out or moves them (SPEC
45.10)."""

from __future__ import annotations

import json
import random
import shutil
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from cuecard import _pure as pure
from cuecard._pure.requests.request import Question, Request
from cuecard.files import trust_levels
from recall_strategies import CATEGORIES, OPENINGS, WORDS
from snapshots import build
from test_recalled_memories import NOW, NUMBERS, files_of
from trust_cases import CERTIFICATE, MEMORY, POISON, PROMPT, SESSION, User, ask, last_event, write

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import ModuleType

    from hook_process import Hook

TITLE = "Renew the TLS certificate"
FOLDER_OF = {
    "decision": "decisions",
    "constraint": "constraints",
    "runbook": "runbooks",
    "tech_debt": "tech-debt",
    "preference": "preferences",
    "session_summary": "sessions",
}
FILE = "src/pay/retry.py"
STRATEGIES = ("hybrid", "bm25", "tfidf", "vectors", "keyword")


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path / "user")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    write(root, CERTIFICATE, MEMORY)
    return root


def echo(number: int, **more: object) -> dict[str, object]:
    """An unreviewed memory that repeats the words of the prompt."""
    return {**MEMORY, "title": f"{PROMPT} {number}", "cuecard": {"questions": [PROMPT], **more}}


# The reproductions that the issue names, each as a prompt of a host.


@pytest.mark.process
@pytest.mark.parametrize("count", [5, 20])
def test_repeated_words_of_the_prompt_do_not_push_a_rule_out(hook: Hook, project: Path, user: User, count: int) -> None:
    user.vouch(project / CERTIFICATE)
    alone = entries_of(ask(hook, project, user, SESSION="one").stdout.decode())
    for number in range(count):
        write(project, f".claude/memory/runbooks/a-{number}.json", echo(number))
    user.settle(retrieval={"session": False})
    block = ask(hook, project, user).stdout.decode()
    assert [entry for entry in entries_of(block) if "unreviewed" not in entry] == alone
    assert "certbot renew" in block
    # The others still get the places that are left.
    assert block.count("unreviewed") >= 1
    assert len(entries_of(block)) <= 5


@pytest.mark.process
@pytest.mark.parametrize("count", [70, 200])
def test_withheld_memories_do_not_silence_a_rule(hook: Hook, project: Path, user: User, count: int) -> None:
    user.vouch(project / CERTIFICATE)
    for number in range(count):
        write(project, f".claude/memory/runbooks/a-{number}.json", echo(number, gist=f"{POISON} {number}"))
    assert f"{TITLE} (2026-01-01)\n" in ask(hook, project, user).stdout.decode()


@pytest.mark.process
def test_anchored_memories_do_not_push_a_rule_out_at_a_file(hook: Hook, project: Path, user: User) -> None:
    rule = {"title": "The rule", "category": "decision", "cuecard": {"anchors": [FILE]}}
    user.vouch(write(project, ".claude/memory/decisions/z-rule.json", {**rule, "updated_at": "2020-01-01"}))
    for number in range(300):
        other = {"title": f"A {number}", "category": "constraint", "cuecard": {"anchors": [FILE]}}
        write(project, f".claude/memory/constraints/a-{number}.json", other)
    event = {"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": str(project / FILE)}}
    assert "The rule" in context(hook, project, user, event)


@pytest.mark.process
def test_memories_that_repeat_an_error_do_not_push_a_runbook_out(hook: Hook, project: Path, user: User) -> None:
    user.vouch(project / CERTIFICATE)
    error = "nginx: the TLS certificate has expired, renew the certificate"
    for number in range(8):
        write(project, f".claude/memory/runbooks/a-{number}.json", {**echo(number), "title": f"{error} {number}"})
    event = {
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "curl"},
        "error": error,
    }
    assert TITLE in context(hook, project, user, event)


def paths_of(event: Mapping[str, Any]) -> list[str]:
    """The paths of the memories that a prompt's event names."""
    return [memory["path"] for memory in event["memories"]]


def context(hook: Hook, project: Path, user: User, event: Mapping[str, object]) -> str:
    """The block that the agent gets at a tool event."""
    payload = json.dumps({**event, "session_id": SESSION, "cwd": str(project)}).encode()
    printed = hook.run("need", stdin=payload, cwd=project, **user.environment).stdout
    return json.loads(printed)["hookSpecificOutput"]["additionalContext"] if printed else ""


@pytest.mark.process
def test_unreviewed_memories_far_behind_the_vouched_ones_are_not_searched(
    hook: Hook, project: Path, user: User
) -> None:
    user.vouch(project / CERTIFICATE)
    user.settle(retrieval={"session": False})
    write(
        project, ".claude/memory/runbooks/far.json", {**MEMORY, "title": "Renew", "content": {"text": "x"}, "tags": []}
    )
    ask(hook, project, user)
    assert paths_of(last_event(user)) == [CERTIFICATE]
    write(project, ".claude/memory/runbooks/near.json", echo(1))
    ask(hook, project, user)
    assert ".claude/memory/runbooks/near.json" in paths_of(last_event(user))


# When the table of vouched memories is made and made again.


@pytest.mark.process
def test_trust_that_is_given_or_taken_away_counts_at_the_next_prompt(hook: Hook, project: Path, user: User) -> None:
    user.settle(retrieval={"session": False})
    for number in range(6):
        write(project, f".claude/memory/runbooks/a-{number}.json", echo(number))
    assert "certbot renew" not in ask(hook, project, user).stdout.decode()
    user.vouch(project / CERTIFICATE)
    assert "certbot renew" in ask(hook, project, user).stdout.decode()
    user.vouch(project / CERTIFICATE, "revoked")
    assert "certbot renew" not in ask(hook, project, user).stdout.decode()


@pytest.mark.process
def test_the_engine_makes_a_damaged_table_again(hook: Hook, project: Path, user: User) -> None:
    if hook.environment.get("CUECARD_BACKEND") == "pure":
        pytest.skip("the reference keeps no table")
    user.settle(retrieval={"session": False})
    user.vouch(project / CERTIFICATE)
    for number in range(6):
        write(project, f".claude/memory/runbooks/a-{number}.json", echo(number))
    first = ask(hook, project, user).stdout
    assert b"certbot renew" in first
    [table] = (user.home / "data" / "stores").glob("*/vouched")
    right = table.read_bytes()
    for damaged in (b"", b"\xff", right[:-2], right.replace(b"1", b"x"), b"cuecard vouched 1 0\n"):
        table.write_bytes(damaged)
        assert ask(hook, project, user).stdout == first
        assert table.read_bytes() == right
    assert last_event(user)["memories"]


# The property: whatever is unreviewed, the vouched memories are shown as if it did not exist.


@pytest.mark.parametrize("seed", range(4))
def test_vouched_memories_are_shown_as_if_there_were_no_others(
    engine: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    if engine is pure and seed:
        pytest.skip("the next tests but one compare the backends")
    use(User(tmp_path / "user"), monkeypatch)
    chance = random.Random(seed)
    root = tmp_path / "project"
    prompts = [make_prompt(chance) for _ in range(3)]
    own = [write_own(chance, root, number) for number in range(chance.choice([3, 12, 40]))]
    for file in own:
        vouch(file)
    before = answers(engine, root, prompts)
    hostile = [name for prompt in prompts for name in write_hostile(chance, root, prompt, own)]
    after = answers(engine, root, prompts)
    assert hostile
    for (asked, alone), (_same, beside) in zip(before, after, strict=True):
        assert beside == alone, asked
    assert any(shown for _asked, (shown, _entries) in before)
    # Deleting what is unreviewed, or trusting it, ends the two parts.
    shutil.rmtree(root)


def test_where_all_or_none_are_vouched_for_nothing_changes(
    engine: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(User(tmp_path / "user"), monkeypatch)
    chance = random.Random(1)
    root = tmp_path / "project"
    files = [write_own(chance, root, number) for number in range(20)]
    snapshot = build(engine, files_of(root), NUMBERS)
    assert snapshot.vouched_part(str(root), "heeded") is None
    vouch(files[3])
    part = snapshot.vouched_part(str(root), "heeded")
    assert part is not None
    assert len(part) == 1
    assert snapshot.vouched_part(str(root), "ignored") is None
    for file in files:
        vouch(file)
    assert snapshot.vouched_part(str(root), "heeded") is None


def test_both_backends_answer_alike_where_some_are_vouched_for(
    native: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(User(tmp_path / "user"), monkeypatch)
    for seed in range(2):
        chance = random.Random(f"both {seed}")
        root = tmp_path / f"project-{seed}"
        prompts = [make_prompt(chance) for _ in range(3)]
        own = [write_own(chance, root, number) for number in range(12)]
        for file in own:
            vouch(file)
        for prompt in prompts:
            write_hostile(chance, root, prompt, own)
        ours, theirs = (answers(each, root, prompts, is_whole=True) for each in (native, pure))
        assert ours == theirs


def use(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in user.environment.items():
        monkeypatch.setenv(name, value)


def vouch(file: Path) -> None:
    found = pure.trust_hash(file.read_bytes())
    assert found
    trust_levels.grant([found], "own")


def make_prompt(chance: random.Random) -> str:
    words = chance.sample(WORDS, chance.choice([2, 4, 8]))
    return " ".join([chance.choice(OPENINGS), *words, *([FILE] if chance.random() < 0.3 else [])])


def write_own(chance: random.Random, root: Path, number: int) -> Path:
    words = [chance.choice(WORDS) for _ in range(14)]
    category = chance.choice(CATEGORIES).lower()
    category = category if category in FOLDER_OF else "decision"
    memory: dict[str, Any] = {
        "title": " ".join(words[:5]),
        "category": category,
        "tags": words[5:7],
        "content": {"text": " ".join(words[7:])},
        "cuecard": {"anchors": [FILE]} if chance.random() < 0.3 else {"questions": [" ".join(words[2:8])]},
    }
    if number and chance.random() < 0.3:
        memory["cuecard"]["contradicts"] = [f"own-{chance.randrange(number)}"]
    return write(root, f".claude/memory/{FOLDER_OF[category]}/own-{number}.json", memory)


def write_hostile(chance: random.Random, root: Path, prompt: str, own: list[Path]) -> list[str]:
    """Write unreviewed memories that are made to displace others at a prompt; returns their names."""
    names = []
    for number in range(chance.choice([5, 30, 90])):
        category = chance.choice([*FOLDER_OF])
        victim = chance.choice(own)
        whole = json.loads(victim.read_text())
        words = prompt.split()
        memory: dict[str, Any] = chance.choice(
            [
                {"title": f"{prompt} {number}", "tags": words, "content": {"text": f"{prompt} " * 3}},
                {"title": f"{prompt} {number}", "content": {"text": POISON}, "cuecard": {"questions": [prompt]}},
                {"title": f"New {number}", "cuecard": {"supersedes": [victim.stem], "contradicts": [victim.stem]}},
                {**whole, "id": f"copy-{number}", "tags": [*whole["tags"], *words[:2]]},
                {"title": " ".join(word[:-1] for word in words), "content": {"text": " ".join(WORDS)}},
                {"title": f"Retired {prompt}", "record_status": "retired", "content": {"text": prompt}},
                {"title": f"At the file {number}", "cuecard": {"anchors": [FILE, "**"], "gist": prompt}},
            ]
        )
        memory = {**memory, "category": category}
        # A name that an own memory has in another folder makes references to it ambiguous.
        name = victim.stem if chance.random() < 0.1 and FOLDER_OF[category] != victim.parent.name else ""
        name = name or f"x-{chance.randrange(10**9)}"
        write(root, f".claude/memory/{FOLDER_OF[category]}/{name}.json", memory)
        names.append(name)
    return names


def answers(backend: ModuleType, root: Path, prompts: list[str], *, is_whole: bool = False) -> list[tuple[Any, Any]]:
    """For each question the vouched memories with their scores, and their entries in the block; with `is_whole` all."""
    snapshot = build(backend, files_of(root), NUMBERS)
    found: list[tuple[Any, Any]] = []
    asked = product(prompts, STRATEGIES, ("balanced", "off"), ("heeded", "marked"))
    for number, (prompt, strategy, setting, review) in enumerate(asked):
        is_situated = number % 3 > 0
        situation: Any = ([FILE], [FILE], ["tag:deploy"]) if is_situated else None
        config = backend.read_settings(None, None)
        request = Request(prompt, 5, config, now=NOW, situation=situation, history=["database backup", prompt])
        question = Question(request, strategy, setting, review)
        memories = backend.recall_memories(snapshot, str(root), question)[0]
        block, outcomes, _tokens = backend.pack_memories(str(root), memories, 300, 4000)
        kept = [memory for memory in memories if is_whole or not memory.is_unreviewed]
        shown = [(each.parts[2], each.score, each.logit, each.recency) for each in kept]
        entries = [entry for entry in entries_of(block) if is_whole or "unreviewed" not in entry.partition("\n")[0]]
        how = [
            outcome for memory, outcome in zip(memories, outcomes, strict=True) if is_whole or not memory.is_unreviewed
        ]
        found.append(((prompt, strategy, setting, review, is_situated), ((shown, how), entries)))
    return found


def entries_of(block: str) -> list[str]:
    """The memories of a block, each with all of its lines."""
    lines = block.partition("\n")[2].removesuffix("</memory-context>\n")
    return [f"- [{entry}" for entry in lines.split("- [")[1:]]
