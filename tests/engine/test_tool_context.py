"""Memories that are shown without a prompt: before a tool reads or changes a file, and after a command has failed."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

import cuecard
from backends import executable, load_native
from hook_process import Hook
from scratch_home import kept_of
from touched_tools import (
    BACKOFF,
    FILE,
    ID,
    IDEMPOTENT,
    MEMORIES,
    NOT_HOLDING,
    RETRY,
    block_of,
    events,
    fail,
    session_file,
    settle,
    tell,
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


# Before a tool touches a file


@pytest.mark.parametrize("tool", ["Read", "Edit", "Write", "MultiEdit", "NotebookEdit"])
def test_what_is_anchored_to_a_file_is_shown_before_it_is_touched(hook: Hook, project: Path, tool: str) -> None:
    ran = touch(hook, project, tool=tool)
    assert (titles(ran), ran.log) == (RETRY, [])


def test_a_file_without_anchors_is_touched_in_silence(hook: Hook, project: Path) -> None:
    ran = touch(hook, project, "src/app.py")
    assert (ran.stdout, ran.log) == (b"", [])
    assert not session_file(project).exists()


COMPOSED = [
    pytest.param("café/pay.py", "café/", id="a folder in Latin letters"),
    pytest.param("웹/결제.py", "웹/", id="a folder in Hangul"),
    pytest.param("웹/결제.py", "웹/결제.py", id="a file"),
    pytest.param("café/ゴミ/a.ts", "café/**/*.ts", id="a pattern"),
]


@pytest.mark.parametrize("forms", [("NFD", "NFC"), ("NFC", "NFD"), ("NFD", "NFD")], ids="-".join)
@pytest.mark.parametrize(("path", "anchor"), COMPOSED)
def test_paths_are_compared_after_composition(
    hook: Hook, project: Path, path: str, anchor: str, forms: tuple[Literal["NFC", "NFD"], Literal["NFC", "NFD"]]
) -> None:
    memory = {"title": "Newer", "category": "constraint", "cuecard": {"anchors": [normalize(forms[1], anchor)]}}
    write(project, ".claude/memory/constraints/newer.json", memory)
    assert titles(touch(hook, project, normalize(forms[0], path), "Write")) == ["Newer"]
    assert titles(touch(hook, project, "cafe/pay.py", session_id="another")) == []


def test_a_project_is_found_in_the_other_form_of_its_path(hook: Hook, project: Path) -> None:
    root = project.rename(project.parent / normalize("NFC", "프로젝트"))
    other = project.parent / normalize("NFD", "프로젝트") / FILE
    assert titles(touch(hook, root, str(other))) == RETRY


def test_each_is_shown_once_in_a_session(hook: Hook, project: Path) -> None:
    assert titles(touch(hook, project)) == RETRY
    assert titles(touch(hook, project, tool="Edit")) == []
    assert titles(touch(hook, project, "src/pay/ledger.py")) == ["The ledger is append-only"]
    assert titles(touch(hook, project, session_id="another")) == RETRY


def test_what_a_prompt_has_shown_is_not_shown_again(hook: Hook, project: Path) -> None:
    settle(gate_setting="off", max_inject=1)
    sent = {"prompt": "Retries carry an idempotency key", "cwd": str(project), "session_id": ID}
    assert b"idempotency" in hook.run("prompt", stdin=json.dumps(sent).encode(), cwd=project).stdout
    assert titles(touch(hook, project)) == RETRY[1:]


def test_a_prompt_does_not_repeat_what_was_shown_then(hook: Hook, project: Path) -> None:
    settle(gate_setting="off", max_inject=1)
    assert titles(touch(hook, project)) == RETRY
    sent = {"prompt": "Retries carry an idempotency key", "cwd": str(project), "session_id": ID}
    assert b"idempotency" not in hook.run("prompt", stdin=json.dumps(sent).encode(), cwd=project).stdout


def test_after_a_compaction_it_is_shown_again(hook: Hook, project: Path) -> None:
    assert titles(touch(hook, project)) == RETRY
    sent = {"hook_event_name": "SessionStart", "source": "compact", "cwd": str(project), "session_id": ID}
    hook.run("session", stdin=json.dumps(sent).encode(), cwd=project)
    assert titles(touch(hook, project)) == RETRY


def test_a_subagent_sees_what_the_others_have_been_shown(hook: Hook, project: Path) -> None:
    assert titles(touch(hook, project)) == RETRY
    assert titles(touch(hook, project, agent_id="a1")) == RETRY
    assert titles(touch(hook, project, agent_id="a1")) == []
    assert sorted(file.name for file in session_file(project).parent.iterdir()) == [ID, f"{ID}-a1"]


@pytest.mark.parametrize("session", [None, "", "../x"])
def test_without_a_session_nothing_is_shown(hook: Hook, project: Path, session: object) -> None:
    assert touch(hook, project, session_id=session).stdout == b""
    assert fail(hook, project, session_id=session).stdout == b""


def test_three_are_shown_at_once_the_stricter_and_the_later_first(hook: Hook, project: Path) -> None:
    days = {"Amounts are integers": "02-01", "Currencies are named": "04-01", "Entries balance": "03-01"}
    for title, day in days.items():
        memory = {"title": title, "category": "constraint", "related_files": ["src/"], "updated_at": f"2026-{day}"}
        write(project, f".claude/memory/constraints/{title.split()[0].lower()}.json", memory)
    first = block_of(touch(hook, project), "PreToolUse")
    assert first.count("\n- [") == 3
    assert all(title in first for title in days)
    assert titles(touch(hook, project)) == RETRY
    [event] = events(project)[:1]
    assert [memory["id"] for memory in event["memories"]] == ["currencies", "entries", "amounts"]


def test_what_has_been_superseded_gives_way_to_what_superseded_it(hook: Hook, project: Path) -> None:
    newer = {"title": "Newer", "category": "decision", "cuecard": {"supersedes": ["backoff"]}}
    write(project, ".claude/memory/decisions/newer.json", newer)
    assert titles(touch(hook, project)) == [RETRY[0], "Newer"]


@pytest.mark.parametrize("memory", NOT_HOLDING, ids=repr)
def test_what_does_not_hold_is_not_shown_at_a_file(hook: Hook, project: Path, memory: Mapping[str, object]) -> None:
    write(project, BACKOFF, {**MEMORIES[BACKOFF], **memory})
    assert titles(touch(hook, project)) == RETRY[:1]


def test_what_will_end_is_shown_at_a_file_until_then(hook: Hook, project: Path) -> None:
    until = {"valid_from": "2001-01-01", "valid_until": "2999-01-01"}
    write(project, BACKOFF, {**MEMORIES[BACKOFF], "cuecard": until})
    assert titles(touch(hook, project)) == RETRY


def test_at_a_file_a_successor_that_holds_stands_for_what_is_over(hook: Hook, project: Path) -> None:
    write(project, BACKOFF, {**MEMORIES[BACKOFF], "content": {"status": "superseded"}})
    newer = {"title": "Newer", "category": "decision", "cuecard": {"supersedes": ["backoff"]}}
    write(project, ".claude/memory/decisions/newer.json", newer)
    assert titles(touch(hook, project)) == [RETRY[0], "Newer"]
    write(project, ".claude/memory/decisions/newer.json", {**newer, "content": {"status": "rejected"}})
    assert titles(touch(hook, project, session_id="another")) == RETRY[:1]


def test_a_memory_that_is_gone_is_not_shown(hook: Hook, project: Path) -> None:
    touch(hook, project, "src/app.py")
    folder = project / ".claude/memory/constraints"
    times = folder.stat().st_mtime_ns
    # The file is written in place, so that only its own time changes.
    write(project, IDEMPOTENT, {**MEMORIES[IDEMPOTENT], "record_status": "retired"})
    os.utime(folder, ns=(times, times))
    assert titles(touch(hook, project)) == RETRY[1:]


def test_a_path_may_be_relative_or_take_detours(hook: Hook, project: Path) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "./../pay/retry.py"}}
    assert titles(tell(hook, project, event | {"cwd": str(project / "src/app")})) == RETRY


def test_a_path_may_lead_through_links(hook: Hook, project: Path) -> None:
    (project.parent / "link").symlink_to(project)
    assert titles(touch(hook, project, str(project.parent / "link" / FILE))) == RETRY


def test_a_worktree_has_the_files_of_its_project(hook: Hook, project: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
        subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)

    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "start")
    for place in (project.parent / "worktree", project / ".claude/worktrees/one"):
        git("worktree", "add", "--quiet", str(place))
        shown = touch(hook, project, str(place / FILE), cwd=str(place), session_id=place.name)
        assert titles(shown) == RETRY


@pytest.mark.parametrize(
    "path", ["/elsewhere/src/pay/retry.py", "../project2/a.py", ".claude/settings.json", "", 7, "a\0b"]
)
def test_what_is_not_the_projects_work_is_left_alone(hook: Hook, project: Path, path: object) -> None:
    write(project, IDEMPOTENT, {**MEMORIES[IDEMPOTENT], "related_files": ["**"]})
    assert touch(hook, project, path).stdout == b""


# Switched off, and unusual events


@pytest.mark.parametrize(
    "settings", [{"enabled": False}, {"situation": {"need": False}}, {"session": False}, {"max_inject": 0}], ids=repr
)
def test_a_project_can_do_without(hook: Hook, project: Path, settings: Mapping[str, object]) -> None:
    settle(**settings)
    for ran in (touch(hook, project), fail(hook, project)):
        assert (ran.stdout, ran.log) == (b"", [])


@pytest.mark.parametrize("options", [("--output", "classic"), ("--strategy", "keyword_classic")])
def test_the_classic_forms_know_no_needs(hook: Hook, project: Path, options: tuple[str, ...]) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": str(project / FILE)}}
    sent = json.dumps({"session_id": ID, "cwd": str(project), **event}).encode()
    assert hook.run("tool-context", stdin=sent, cwd=project).stdout != b""
    other = json.dumps({"session_id": f"{ID}-2", "cwd": str(project), **event}).encode()
    assert hook.run("tool-context", *options, stdin=other, cwd=project).stdout == b""


@pytest.mark.parametrize(
    ("sent", "notes"),
    [
        (b"", ["the payload is empty"]),
        (b"[]", ["the payload is not a JSON object"]),
        (b"{}", ["the payload has no `tool_name`"]),
        (b'{"tool_name": "Read", "session_id": 1}', ["the payload's `session_id` is not a string"]),
        (b'{"tool_name": "Read", "hook_event_name": "PostToolUse"}', []),
        (b'{"tool_name": "Bash", "hook_event_name": "PreToolUse", "tool_input": {"command": "ls"}}', []),
    ],
)
def test_other_events_are_not_answered(hook: Hook, project: Path, sent: bytes, notes: list[str]) -> None:
    ran = hook.run("need", stdin=sent, cwd=project)
    assert (ran.code, ran.stdout, ran.stderr, ran.log) == (0, b"", b"", notes)


@pytest.mark.parametrize("name", ["tool-context", "need"])
def test_what_is_wrong_goes_to_the_log_of_the_project(hook: Hook, project: Path, name: str) -> None:
    hook.run(name, stdin=b"[]", cwd=project, CUECARD_LOG="")
    log = (kept_of(project / ".claude/memory") / "log/hook.log").read_text()
    assert log.split(" ", 1)[1] == "need: the payload is not a JSON object\n"


def test_the_old_name_of_the_hook_gives_the_same_answer(hook: Hook, project: Path) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": str(project / FILE)}}
    payloads = [json.dumps({"session_id": session, "cwd": str(project)} | event).encode() for session in (ID, ID[::-1])]
    answers = [
        hook.run(name, stdin=payload, cwd=project).stdout
        for name, payload in zip(("tool-context", "need"), payloads, strict=True)
    ]
    assert b"idempotency" in answers[0]
    assert answers[0] == answers[1]


def test_a_root_that_is_none_is_logged(hook: Hook, project: Path, tmp_path: Path) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": str(project / FILE)}}
    ran = tell(hook, project, event, CUECARD_ROOT=str(tmp_path / "gone"))
    assert (ran.stdout, ran.log) == (b"", ["`--root` or `CUECARD_ROOT` is not a project with `.claude/memory`"])


def test_a_session_that_cannot_be_written_does_not_keep_the_answer(hook: Hook, project: Path) -> None:
    session_file(project).mkdir(parents=True)
    ran = touch(hook, project)
    assert (titles(ran), ran.log) == (RETRY, ["the session's file cannot be written"])


def test_every_way_to_run_it_prints_the_same_bytes(project: Path, tmp_path: Path) -> None:
    load_native()
    python = (sys.executable, "-m", "cuecard.hook")
    ways: list[tuple[tuple[str, ...], dict[str, str]]] = [
        ((executable(),), {}),
        (python, {"CUECARD_BACKEND": "pure"}),
        (python, {"CUECARD_BACKEND": "native"}),
    ]
    answers = set()
    for number, (command, environment) in enumerate(ways):
        scratch = tmp_path / f"way{number}"
        scratch.mkdir()
        hook = Hook(command, environment, scratch)
        session = f"way{number}"
        shown = touch(hook, project, session_id=session).stdout, fail(hook, project, session_id=session).stdout
        answers.add((*shown, session_file(project, session).read_bytes()))
    [(of_file, of_failure, _)] = answers
    assert of_file
    assert of_failure


def test_the_python_hook_imports_almost_nothing(project: Path) -> None:
    event = {"session_id": ID, "cwd": str(project), "hook_event_name": "PreToolUse", "tool_name": "Read"}
    site = str(Path(cuecard.__path__[0]).parent)
    code = (
        "import os; os.environ['CUECARD_BACKEND'] = 'pure'\n"
        f"import sys; sys.path.insert(0, {site!r}); sys.argv = ['hook', 'need']\n"
        "from cuecard.hook import main; main()\n"
        "sys.stderr.write('\\n'.join(sorted(sys.modules)))"
    )

    def run(path: str) -> tuple[bytes, set[str]]:
        sent = json.dumps(event | {"tool_input": {"file_path": str(project / path)}})
        command = [sys.executable, "-I", "-S", "-c", code]
        done = subprocess.run(command, input=sent.encode(), capture_output=True, check=True)
        return done.stdout, {name.split(".")[0] for name in done.stderr.decode().split("\n")}

    # The first call also builds the snapshot, so it takes longer.
    run("src/app.py")
    for path, is_shown in (("src/app.py", False), (FILE, True)):
        stdout, imported = run(path)
        assert bool(stdout) == is_shown
        assert not imported & {
            "re",
            "json",
            "typing",
            "dataclasses",
            "pathlib",
            "logging",
            "argparse",
            "enum",
            "shutil",
        }
