"""A stop starts Python only where something is due, and nothing that was typed is lost (SPEC 30.5)."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from hook_process import Hook, find_executable

# `project` is a fixture.
from ledger_project import PROMPTS, SORRY, Project, Session
from scratch_home import kept_of
from test_ledger import project  # noqa: F401

pytestmark = pytest.mark.process
WISH = "remember this: tests never sleep"
LONG_AGO_SECONDS = 3 * 60 * 60


class TypedSession(Session):
    """A session whose prompts the hook sees before its stops."""

    def prompt(self, text: str) -> None:
        stdin = self.event("UserPromptSubmit", prompt=text)
        ran = self.project.hook.run("prompt", stdin=stdin, cwd=self.project.root, PATH=self.project.path)
        assert (ran.code, ran.stderr) == (0, b"")

    def turn(self, prompt: str, answer: str = "Done.", mode: str = "default") -> str:
        self.prompt(prompt)
        return super().turn(prompt, answer, mode)

    @property
    def ledger(self) -> Path:
        return self.project.ledgers / f"{self.name}.jsonl"

    @property
    def file(self) -> Path:
        return kept_of(self.project.memory_dir) / "sessions" / self.name

    def break_off(self) -> None:
        """Let the session end without any event: nothing was typed in it for hours."""
        then = time.time() - LONG_AGO_SECONDS
        os.utime(self.file, (then, then))
        left = self.file.parents[1] / "left"
        lines = [line.split(" ") for line in left.read_text().splitlines()]
        left.write_text("".join([f"{name} {count} {int(then)} {state}\n" for name, count, _, state in lines]))


def typed(project: Project, name: str) -> TypedSession:  # noqa: F811 - what it is
    return TypedSession(project, name)


def test_a_stop_with_nothing_due_writes_no_ledger(project: Project) -> None:  # noqa: F811
    session = typed(project, "s-1")
    assert [session.turn(prompt) for prompt in PROMPTS[:7]] == [""] * 7
    assert project.names() == []
    assert PROMPTS[0] not in session.file.read_text("utf-8")


def test_the_agent_is_asked_after_sixteen_prompts_with_all_that_was_typed(project: Project) -> None:  # noqa: F811
    session = typed(project, "s-1")
    requests = [session.turn(prompt) for prompt in PROMPTS]
    assert [bool(request) for request in requests] == [False] * 15 + [True, False, False]
    assert all(prompt in requests[15] for prompt in PROMPTS[:16])


def test_a_wish_asks_at_once_and_once(project: Project) -> None:  # noqa: F811
    session = typed(project, "s-1")
    session.turn(PROMPTS[0])
    assert "tests never sleep" in session.turn(WISH)
    assert session.stop(stop_hook_active=True, last_assistant_message="Nothing worth keeping.").stdout == b""
    assert session.lines()[-1]["how"] == "nothing"
    before = session.ledger.read_bytes()
    assert session.turn(PROMPTS[1]) == ""
    assert session.ledger.read_bytes() == before


def test_a_wish_in_a_folder_without_memories_is_heard_and_nothing_else_is_kept(project: Project) -> None:  # noqa: F811
    project.memory_dir.rmdir()
    session = typed(project, "s-1")
    assert [session.turn(prompt) for prompt in PROMPTS] == [""] * len(PROMPTS)
    assert not kept_of(project.memory_dir).exists()
    assert "has no memories yet" in session.turn("remember this: the parser never allocates")
    assert not project.memory_dir.exists()


def test_a_remote_that_cannot_be_recorded_stops_no_capture(project: Project) -> None:  # noqa: F811
    (kept_of(project.memory_dir) / "remote" / "full").mkdir(parents=True)
    assert WISH.partition(": ")[2] in typed(project, "s-1").turn(WISH)


def test_the_first_stop_behind_a_compaction_asks(project: Project) -> None:  # noqa: F811
    session = typed(project, "s-1")
    assert session.turn(PROMPTS[0]) == ""
    session.end("PreCompact")
    session.write({"type": "system", "subtype": "compact_boundary", "isMeta": False})
    assert "compacted" in session.turn("go on")
    assert session.turn("go on") == ""


def test_what_a_session_left_is_asked_about_in_a_later_one(project: Project) -> None:  # noqa: F811
    earlier = typed(project, "earlier")
    for prompt in PROMPTS[:3]:
        assert earlier.turn(prompt, SORRY) == ""
    earlier.end()
    reason = typed(project, "later").turn("what does the build script do here")
    assert all(prompt in reason for prompt in PROMPTS[:3])


def test_the_end_of_a_session_completes_its_ledger(project: Project) -> None:  # noqa: F811
    session = typed(project, "s-1")
    for prompt in PROMPTS[:2]:
        session.turn(prompt)
    session.end()
    assert [entry["text"] for entry in session.entries() if entry["k"] == "prompt"] == PROMPTS[:2]
    assert session.lines()[-1]["kind"] == "end"


def test_an_end_that_is_told_again_is_written_once(project: Project) -> None:  # noqa: F811
    session = typed(project, "s-1")
    session.turn(PROMPTS[0])
    for _ in range(3):
        session.end()
    assert [line["kind"] for line in session.lines()].count("end") == 1
    session.turn(PROMPTS[1])
    session.end()
    assert [line["kind"] for line in session.lines()].count("end") == 2


def test_a_session_that_broke_off_is_read_in_its_transcript(project: Project) -> None:  # noqa: F811
    earlier = typed(project, "earlier")
    for prompt in PROMPTS[:3]:
        earlier.turn(prompt, SORRY)
    assert typed(project, "other").turn("what does the build script do here") == ""
    earlier.break_off()
    reason = typed(project, "later").turn("what does the test script do here")
    assert all(prompt in reason for prompt in PROMPTS[:3])


def test_a_session_that_goes_on_is_not_asked_about(project: Project) -> None:  # noqa: F811
    earlier = typed(project, "earlier")
    for prompt in PROMPTS[:3]:
        earlier.turn(prompt, SORRY)
    earlier.end()
    earlier.turn(PROMPTS[3])
    assert typed(project, "later").turn("what does the build script do here") == ""


def test_a_stop_behind_an_upgrade_reads_what_an_older_version_has_kept(project: Project) -> None:  # noqa: F811
    session = typed(project, "s-1")
    # An older version wrote the ledger at each stop, and knew no facts.
    for prompt in PROMPTS[:15]:
        assert Session.turn(session, prompt) == ""
    assert sum(entry["k"] == "prompt" for entry in session.entries()) == 15
    session.file.parent.mkdir(exist_ok=True)
    session.file.write_text("cuecard session 2\nprompt 1 s:parser=256;\n")
    reason = session.turn(PROMPTS[15])
    assert all(prompt in reason for prompt in PROMPTS[:16])


def test_ledgers_of_an_older_version_are_found(project: Project) -> None:  # noqa: F811
    earlier = project.session("earlier")
    for prompt in PROMPTS[:3]:
        earlier.turn(prompt, SORRY)
    (kept_of(project.memory_dir) / "left").unlink(missing_ok=True)
    long_ago = time.time() - LONG_AGO_SECONDS
    os.utime(project.ledgers / "earlier.jsonl", (long_ago, long_ago))
    assert PROMPTS[0] in typed(project, "later").turn("what does the build script do here")


@pytest.mark.parametrize("settings", [{"capture": {"ledger": "off"}}, {"triage": {"enabled": False}}])
def test_where_capture_is_off_nothing_is_counted(project: Project, settings: dict[str, object]) -> None:  # noqa: F811
    project.configure(**settings)
    session = typed(project, "s-1")
    assert session.turn(WISH) == ""
    assert not session.file.exists() or "typed" not in session.file.read_text("utf-8")


def test_a_run_for_a_program_counts_nothing(project: Project) -> None:  # noqa: F811
    session = typed(project, "s-1")
    stdin = session.event("UserPromptSubmit", prompt=WISH)
    variables = {"PATH": project.path, "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    project.hook.run("prompt", stdin=stdin, cwd=project.root, **variables)
    assert not session.file.exists() or "typed" not in session.file.read_text("utf-8")


def test_skipped_prompts_leave_the_first_prompt_of_recall_the_first(project: Project) -> None:  # noqa: F811
    session = typed(project, "s-1")
    session.prompt("/help")
    assert session.file.read_text("utf-8").splitlines()[1].startswith("typed 0 0 0 n")
    assert session.turn(PROMPTS[0]) == ""
    assert project.names() == []


# With the executable and an interpreter beside it that records its starts


@pytest.fixture
def counted(tmp_path: Path) -> Project:
    """A project whose hook is the executable, with an interpreter beside it that records each start."""
    executable = find_executable()
    if executable is None:
        pytest.skip("there is no native executable")
    programs = tmp_path / "programs"
    programs.mkdir()
    program = Path(shutil.copy2(executable, programs))
    (programs / "cuecard").write_text("#!/bin/sh\n")
    (programs / "cuecard").chmod(0o755)
    write_interpreter(programs, f'exec {sys.executable} "$@"')
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    hook = Hook((str(program),), {}, scratch)
    return Project(hook, tmp_path / "project", f"{programs}{os.pathsep}{os.environ['PATH']}")


def write_interpreter(programs: Path, command: str) -> None:
    interpreter = programs / "python3"
    interpreter.write_text(f"#!/bin/sh\nprintf x >> {programs}/starts\n{command}\n")
    interpreter.chmod(0o755)


def starts(project: Project) -> int:  # noqa: F811 - what it is
    file = Path(project.path.split(os.pathsep)[0], "starts")
    return file.stat().st_size if file.exists() else 0


def test_few_stops_start_python(counted: Project) -> None:
    session = typed(counted, "s-1")
    started = []
    for prompt in PROMPTS:
        before = starts(counted)
        session.turn(prompt)
        started.append(starts(counted) - before)
    assert started == [0] * 7 + [1, 0] * 4 + [1, 1, 0]


def test_a_python_that_fails_is_not_started_again_until_something_new_is_due(counted: Project) -> None:
    programs = Path(counted.path.split(os.pathsep)[0])
    write_interpreter(programs, "exit 1")
    session = typed(counted, "s-1")
    session.prompt(WISH)
    session.say(WISH)
    ran = session.stop()
    assert (ran.stdout, ran.log) == (b"", ["the Python beside the hook has failed"])
    assert session.stop().log == []
    assert starts(counted) == 1
    write_interpreter(programs, f'exec {sys.executable} "$@"')
    assert "tests never sleep" in session.turn(WISH)


def test_without_python_nothing_is_asked_and_the_log_says_so_once(counted: Project) -> None:
    Path(counted.path.split(os.pathsep)[0], "python3").unlink()
    session = typed(counted, "s-1")
    logs = []
    for prompt in (WISH, PROMPTS[0], f"{WISH}!", PROMPTS[1]):
        session.prompt(prompt)
        session.say(prompt)
        ran = session.stop()
        assert ran.stdout == b""
        logs += ran.log
    assert logs == ["nothing is captured, because there is no Python beside the hook"]
    session.end()


def test_the_end_of_a_session_does_not_wait_for_python(counted: Project) -> None:
    session = typed(counted, "s-1")
    session.turn(PROMPTS[0])
    write_interpreter(Path(counted.path.split(os.pathsep)[0]), f'sleep 2\nexec {sys.executable} "$@"')
    before = time.monotonic()
    ran = counted.hook.run("session", stdin=session.event("SessionEnd"), cwd=counted.root, PATH=counted.path)
    assert (ran.stdout, time.monotonic() - before < 1.5) == (b"", True)
    counted.hook.wait_for_background()
    assert session.lines()[-1]["kind"] == "end"


def test_a_session_in_which_nothing_was_said_starts_no_python_at_its_end(counted: Project) -> None:
    session = typed(counted, "s-1")
    session.turn("thanks a lot for that")
    session.end()
    assert starts(counted) == 0
    assert json.dumps(counted.names()) == "[]"
