"""What an agent gets after a command has failed."""

from pathlib import Path

import pytest

from hook_process import Hook
from touched_tools import (
    CERTIFICATE,
    EXPIRED,
    FILE,
    ID,
    MEMORIES,
    NOT_HOLDING,
    RETRY,
    block_of,
    events,
    fail,
    session_file,
    settle,
    titles,
    touch,
    write,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a few memories."""
    root = tmp_path / "project"
    for path, memory in MEMORIES.items():
        write(root, path, memory)
    return root


RENEW = ["Renew an expired TLS certificate"]


# After a command has failed


def test_what_helps_is_shown_after_a_failure(hook: Hook, project: Path) -> None:
    ran = fail(hook, project)
    assert (titles(ran, "PostToolUseFailure"), ran.log) == (RENEW, [])
    assert titles(fail(hook, project), "PostToolUseFailure") == []
    assert titles(fail(hook, project, session_id="another"), "PostToolUseFailure") == RENEW


def test_a_failure_that_nothing_helps_with_is_passed_over(hook: Hook, project: Path) -> None:
    for error in ("Exit code 1", "Exit code 2\nTypeError: undefined is not a function", ""):
        ran = fail(hook, project, error)
        assert (ran.stdout, ran.log) == (b"", [])
    assert not session_file(project).exists()


def test_the_command_counts_too(hook: Hook, project: Path) -> None:
    settle(gate_setting="eager")
    shown = fail(hook, project, "Exit code 1", "renew the expired tls certificate")
    assert titles(shown, "PostToolUseFailure") == RENEW


def test_what_somebody_has_stopped_did_not_fail(hook: Hook, project: Path) -> None:
    assert fail(hook, project, is_interrupt=True).stdout == b""


def test_the_end_of_what_is_said_counts(hook: Hook, project: Path) -> None:
    noise = "compiling\n" * 400
    assert titles(fail(hook, project, EXPIRED + noise), "PostToolUseFailure") == []
    assert titles(fail(hook, project, noise + EXPIRED), "PostToolUseFailure") == RENEW


def test_two_are_shown_at_most(hook: Hook, project: Path) -> None:
    settle(gate_setting="off")
    for number in range(5):
        title = "Renew certificate of " + ["mail", "the wiki", "staging", "the shop", "git"][number]
        memory = {**MEMORIES[CERTIFICATE], "title": title, "content": {"steps": [f"certbot renew {number}"]}}
        write(project, f".claude/memory/runbooks/renew-{number}.json", memory)
    block = block_of(fail(hook, project), "PostToolUseFailure")
    assert block.count("\n- [") == 2


@pytest.mark.parametrize("strategy", ["bm25", "keyword"])
def test_failures_are_for_hybrid_recall(hook: Hook, project: Path, strategy: str) -> None:
    settle(match_strategy=strategy)
    assert fail(hook, project).stdout == b""
    assert titles(touch(hook, project)) == RETRY


# What the event log has


def test_every_decision_is_logged(hook: Hook, project: Path) -> None:
    settle(max_inject=5)
    touch(hook, project, "src/app.py")
    assert events(project) == []
    touch(hook, project)
    touch(hook, project)
    fail(hook, project)
    fail(hook, project)
    fail(hook, project, "Exit code 2\nTypeError: undefined is not a function")
    found = [(event["silence"], event["setting"], event["strategy"]) for event in events(project)]
    assert found[:2] == [(None, None, "hybrid"), ("session", None, "hybrid")]
    assert [silence for silence, _setting, _strategy in found[2:]][:2] == [None, "session"]
    assert found[4][0] in ("gate", "no_match")
    first, again, helped, *_ = events(project)
    assert (first["host"], first["session"], first["prompt_chars"]) == ("claude-code", ID, len(FILE))
    assert [(memory["id"], memory["logit"]) for memory in first["memories"]] == [
        ("idempotent", None),
        ("backoff", None),
    ]
    assert {memory["outcome"] for memory in first["memories"]} <= {"full", "gist", "line"}
    assert [memory["outcome"] for memory in again["memories"]] == ["session"] * 2
    assert first["tokens"] > 0
    assert (helped["setting"], helped["memories"][0]["id"]) == ("balanced", "certificate")


@pytest.mark.parametrize("memory", NOT_HOLDING, ids=repr)
def test_what_does_not_hold_is_not_shown_after_a_failure(
    hook: Hook, project: Path, memory: dict[str, dict[str, object]]
) -> None:
    content = {**MEMORIES[CERTIFICATE]["content"], **memory.get("content", {})}  # type: ignore[dict-item]
    write(project, CERTIFICATE, {**MEMORIES[CERTIFICATE], **memory, "content": content})
    # Words about the past change nothing here, because an error message is not a question.
    error = f"{EXPIRED}, which certificate did we use before"
    for session, said in (("one", EXPIRED), ("two", error)):
        assert titles(fail(hook, project, said, session_id=session), "PostToolUseFailure") == []
    [outcomes] = {tuple(each["outcome"] for each in event["memories"][:1]) for event in events(project)}
    assert outcomes in (("over",), ("ahead",))


def test_after_a_failure_what_does_not_hold_takes_no_place(hook: Hook, project: Path) -> None:
    settle(gate_setting="off")
    ended = {"content": {"status": "deprecated", "steps": ["certbot renew"]}}
    for name in ("mail", "wiki", "shop"):
        title = f"Renew an expired TLS certificate of the {name}"
        write(project, f".claude/memory/runbooks/{name}.json", {**MEMORIES[CERTIFICATE], **ended, "title": title})
    assert RENEW[0] in titles(fail(hook, project), "PostToolUseFailure")


def test_after_a_failure_a_successor_that_holds_stands_for_what_is_over(hook: Hook, project: Path) -> None:
    content = {**MEMORIES[CERTIFICATE]["content"], "status": "superseded"}  # type: ignore[dict-item]
    write(project, CERTIFICATE, {**MEMORIES[CERTIFICATE], "content": content})
    newer = {**MEMORIES[CERTIFICATE], "title": "Newer", "tags": ["acme"], "cuecard": {"supersedes": ["certificate"]}}
    write(project, ".claude/memory/runbooks/acme.json", newer)
    assert titles(fail(hook, project), "PostToolUseFailure") == ["Newer"]
    write(project, ".claude/memory/runbooks/acme.json", {**newer, "content": content})
    assert titles(fail(hook, project, session_id="another"), "PostToolUseFailure") == []


def test_a_superseded_runbook_gives_way_too(hook: Hook, project: Path) -> None:
    newer = {**MEMORIES[CERTIFICATE], "title": "Newer", "tags": ["acme"], "cuecard": {"supersedes": ["certificate"]}}
    write(project, ".claude/memory/runbooks/acme.json", newer)
    block = block_of(fail(hook, project), "PostToolUseFailure")
    assert "Renew an expired TLS certificate" not in block
    assert "Newer" in block
