"""The hook as real processes: it never makes its host fail, and every way to run it prints the same bytes."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import cuecard
from asked_hook import BLOCK, LINE, PROMPT, RECORD, ask, assert_answered, assert_silent, payload
from cuecard.files.payload_input import Nesting
from hook_process import Hook, read_log
from scratch_home import kept_of

ANSWER = {"hookEventName": "UserPromptSubmit", "additionalContext": BLOCK.rstrip("\n")}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one memory."""
    root = tmp_path / "project"
    decisions = root / ".claude" / "memory" / "decisions"
    decisions.mkdir(parents=True)
    (decisions / "jwt.json").write_text(json.dumps(RECORD))
    (root / ".claude" / "memory" / "index.md").write_text(f"# Memory Index\n\n{LINE}\n")
    return root


# What the host sends


@pytest.mark.parametrize(
    ("sent", "note"),
    [
        pytest.param(b"", "the payload is empty", id="nothing"),
        pytest.param(b" \n\t ", "the payload is empty", id="blanks"),
        pytest.param(b"a" * (8 << 20), "the payload is not JSON", id="8 MiB"),
        pytest.param(b"a" * ((8 << 20) + 1), "the payload is over 8 MiB", id="over 8 MiB"),
        pytest.param(bytes(range(256)) * 16, "the payload is not JSON", id="binary"),
        pytest.param(b"[" * 200_000, "the payload is not JSON", id="deep lists"),
        pytest.param(b'{"a":' * 100_000, "the payload is not JSON", id="deep objects"),
        pytest.param(b"[]", "the payload is not a JSON object", id="a list"),
        pytest.param(b'"hello"', "the payload is not a JSON object", id="a string"),
        pytest.param(b"{}", "the payload has no `prompt`", id="no prompt"),
        pytest.param(b'{"prompt": null}', "the payload has no `prompt`", id="prompt null"),
    ],
)
def test_a_payload_that_is_none_is_logged_and_not_answered(hook: Hook, project: Path, sent: bytes, note: str) -> None:
    assert_silent(ask(hook, sent, cwd=project), note)


@pytest.mark.parametrize("value", [1, 1.5, True, [], {}, [PROMPT]], ids=repr)
@pytest.mark.parametrize(
    "field", ["prompt", "user_prompt", "cwd", "session_id", "transcript_path", "hook_event_name", "permission_mode"]
)
def test_a_field_of_the_wrong_type_is_logged_and_not_answered(
    hook: Hook, project: Path, field: str, value: object
) -> None:
    ran = ask(hook, payload(project, **{field: value}), cwd=project)
    # A prompt may be a list of parts. Without a part of the type `text` it is empty.
    notes = () if field == "prompt" and isinstance(value, list) else (f"the payload's `{field}` is not a string",)
    assert_silent(ran, *notes)


def test_a_prompt_is_answered_from_its_project(hook: Hook, project: Path) -> None:
    assert_answered(ask(hook, payload(project)))


def test_the_plain_host_gets_the_bare_block(hook: Hook, project: Path) -> None:
    ran = ask(hook, payload(project), arguments=("prompt", "--host", "plain"))
    assert ran.stdout.decode() == BLOCK


def test_user_prompt_serves_where_there_is_no_prompt(hook: Hook, project: Path) -> None:
    assert_answered(ask(hook, payload(project, prompt=None, user_prompt=PROMPT)))


def test_lone_surrogates_do_not_keep_a_prompt_from_its_answer(hook: Hook, project: Path) -> None:
    sent = payload(project).replace(PROMPT.encode(), rb"\ud800 auth token \udfff")
    assert_answered(ask(hook, sent))


def test_a_greeting_is_not_answered_and_not_logged(hook: Hook, project: Path) -> None:
    assert_silent(ask(hook, payload(project, prompt="  thanks!  ")))


def test_a_host_that_keeps_the_pipe_open_is_answered(hook: Hook, project: Path) -> None:
    with hook.start("prompt", cwd=project) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(payload(project))
        process.stdin.flush()
        # The pipe stays open. A hook that waits for its end would reach the test's time limit.
        assert json.loads(process.stdout.readline()) == {"hookSpecificOutput": ANSWER}
        assert process.wait(timeout=30) == 0


def test_a_payload_that_never_ends_is_given_up(hook: Hook, project: Path) -> None:
    with hook.start("prompt", cwd=project) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"prompt": "why is the hook"}}')
        process.stdin.flush()
        # The pipe stays open until the hook has ended.
        assert process.wait(timeout=60) == 0
        assert process.stdout is not None
        assert process.stdout.read() == b""
    assert read_log(hook.log_file()) == ["the payload is incomplete after two seconds"]


@pytest.mark.parametrize("size", [4096, 4097, 100_000])
def test_no_system_has_a_longer_working_directory(hook: Hook, project: Path, size: int) -> None:
    cwd = f"{project}/".ljust(size, "/")
    ran = ask(hook, payload(project, cwd=cwd))
    if size > 4096:
        assert_silent(ran, "the payload's `cwd` is too long")
    else:
        assert_answered(ran)


def test_a_host_that_hangs_up_is_no_failure(hook: Hook, project: Path) -> None:
    with hook.start("prompt", cwd=project) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stdin is not None
        process.stdin.write(payload(project))
        process.stdin.close()
        assert process.wait(timeout=30) == 0


# Arguments and environment


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        ((), "unknown arguments ``"),
        (("guard", "--host"), "unknown arguments `guard --host`"),
        (("Guard",), "unknown arguments `Guard`"),
        (("prompt", "--host"), "unknown arguments `prompt --host`"),
        (("prompt", "--host", "emacs"), "unknown host `emacs`"),
    ],
)
def test_arguments_that_are_not_ours_are_logged(
    hook: Hook, project: Path, arguments: tuple[str, ...], note: str
) -> None:
    assert_silent(ask(hook, payload(project), arguments=arguments), note)


EVENTS = (
    "prompt",
    "guard",
    "validate",
    "session",
    "tool-context",
    "need",
    "stop",
    "approve",
    "permit",
    "status-line",
    "magic",
)


@pytest.mark.parametrize("event", EVENTS)
def test_where_it_is_disabled_no_event_is_answered_and_nothing_is_written(
    hook: Hook, project: Path, event: str
) -> None:
    transcript = project / "s-1.jsonl"
    transcript.write_text('{"type": "user", "message": {"content": "From now on we always use pnpm."}}\n')
    sent = {
        "session_id": "s-1",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "echo > .claude/memory/index.md", "file_path": str(project / "a.rs")},
        "transcript_path": str(transcript),
        "last_assistant_message": "We decided to use pnpm because npm breaks the lockfile.",
        "source": "clear",
    }
    before = set(hook.scratch.rglob("*"))
    ran = hook.run(event, stdin=payload(project, **sent), cwd=project, CUECARD_DISABLE="1")
    assert (ran.code, ran.stdout, ran.stderr, ran.log) == (0, b"", b"", [])
    after = set(hook.scratch.rglob("*"))
    assert after - before <= {hook.scratch / "home"}


def test_an_empty_variable_does_not_disable_it_and_it_tells_its_version_anyway(hook: Hook, project: Path) -> None:
    assert_answered(ask(hook, payload(project), environment={"CUECARD_DISABLE": ""}))
    for option in ("--version", "--help"):
        assert hook.run(option, stdin=b"", cwd=project, CUECARD_DISABLE="1").stdout


def test_cuecard_root_goes_before_the_working_directory(hook: Hook, project: Path, tmp_path: Path) -> None:
    for root in (project, project / ".claude" / "memory"):
        assert_answered(ask(hook, payload(tmp_path), environment={"CUECARD_ROOT": str(root)}))
    ran = ask(hook, payload(project), environment={"CUECARD_ROOT": str(tmp_path / "nowhere")})
    assert_silent(ran, "`--root` or `CUECARD_ROOT` is not a project with `.claude/memory`")


def test_an_unknown_strategy_or_output_is_logged_and_ignored(hook: Hook, project: Path) -> None:
    ran = ask(hook, payload(project), environment={"CUECARD_STRATEGY": "magic", "CUECARD_OUTPUT": "braille"})
    assert_answered(
        ran,
        "`CUECARD_STRATEGY` is not a known strategy; using `hybrid`",
        "`CUECARD_OUTPUT` is not `classic`; ignoring it",
    )


def test_a_log_that_cannot_be_written_does_not_matter(hook: Hook, project: Path, tmp_path: Path) -> None:
    data = Path(os.environ["CUECARD_HOME"])
    (data / "folder.log").mkdir(exist_ok=True)
    for log in ("/dev/full", str(data / "folder.log"), str(data / "folder.log/x/y.log/z.log"), "off"):
        ran = ask(hook, payload(project), environment={"CUECARD_LOG": log, "CUECARD_STRATEGY": "magic"})
        assert_answered(ran)


def test_the_log_of_a_store_is_private_to_the_user_and_not_in_the_store(hook: Hook, project: Path) -> None:
    ask(hook, b"", cwd=project, environment={"CUECARD_LOG": ""})
    kept = kept_of(project / ".claude" / "memory")
    assert (kept / "path").read_text() == f"{project / '.claude' / 'memory'}\n"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (kept, kept / "log")] == [0o700, 0o700]
    assert stat.S_IMODE((kept / "log" / "hook.log").stat().st_mode) == 0o600
    assert not (project / ".claude" / "memory" / ".cuecard").exists()
    stamp, note = (kept / "log" / "hook.log").read_text().split(" ", 1)
    assert note == "prompt: the payload is empty\n"
    assert len(stamp) == len("2026-11-21T00:00:00Z")


@pytest.mark.skipif(os.name != "posix", reason="creating links needs a privilege")
def test_a_link_in_the_store_does_not_make_another_file_the_log(hook: Hook, project: Path, tmp_path: Path) -> None:
    target = tmp_path / "profile"
    for folder in (project / ".claude/memory/.cuecard/log", kept_of(project / ".claude/memory") / "log"):
        folder.mkdir(parents=True)
        (folder / "hook.log").symlink_to(target)
    for before in (None, b"mine\n"):
        if before:
            target.write_bytes(before)
        ask(hook, b"", cwd=project, environment={"CUECARD_LOG": ""})
        assert (target.read_bytes() if target.exists() else None) == before


def test_without_a_store_the_log_lies_in_the_users_state_folder(hook: Hook, tmp_path: Path) -> None:
    ask(hook, b"", cwd=tmp_path, environment={"CUECARD_LOG": "", "XDG_STATE_HOME": str(tmp_path / "state")})
    assert "the payload is empty" in (tmp_path / "state" / "cuecard" / "hook.log").read_text()


def test_a_log_over_1_mib_is_set_aside(hook: Hook, project: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    log = data / "own.log"
    log.write_bytes(b"x" * ((1 << 20) + 1))
    ask(hook, b"", cwd=project, environment={"CUECARD_HOME": str(data), "CUECARD_LOG": str(log)})
    assert (data / "own.log.1").stat().st_size == (1 << 20) + 1
    assert log.read_text().endswith("the payload is empty\n")


# The project's folder


def test_the_nearest_project_upwards_answers(hook: Hook, project: Path) -> None:
    below = project / "src" / "deep"
    below.mkdir(parents=True)
    assert_answered(ask(hook, payload(below)))
    assert_answered(ask(hook, payload(below / ".." / "." / "gone" / "..")))
    assert_silent(ask(hook, payload(below / ".." / ".." / "..")))


def test_the_search_ends_at_the_repository(hook: Hook, project: Path) -> None:
    repository = project / "vendored"
    (repository / ".git").mkdir(parents=True)
    assert_silent(ask(hook, payload(repository)))


def test_a_home_that_the_project_names_in_itself_does_not_end_the_search(hook: Hook, project: Path) -> None:
    home = project / "home" / "me"
    home.mkdir(parents=True)
    assert_answered(ask(hook, payload(home), environment={"HOME": str(home)}))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_worktree_shares_the_memories_of_its_main_checkout(hook: Hook, project: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
        subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)

    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "start")
    git("worktree", "add", "--quiet", str(project.parent / "worktree"))
    assert_answered(ask(hook, payload(project.parent / "worktree")))


def test_without_a_project_there_is_nothing_to_say(hook: Hook, tmp_path: Path) -> None:
    assert_silent(ask(hook, payload(tmp_path)))
    assert_silent(ask(hook, payload(tmp_path / "gone")))


# What the Python hook costs


def test_the_python_hook_imports_almost_nothing(project: Path) -> None:
    allowed = {"abc", "codecs", "encodings", "genericpath", "io", "ntpath", "os", "posixpath", "stat", "time"}
    # Modules that are built into most interpreters; for checksums, mapped files and square roots of integers.
    allowed |= {"binascii", "math", "mmap", "_sha2", "_sha256"}
    site = str(Path(cuecard.__path__[0]).parent)
    code = (
        f"import sys; sys.path.insert(0, {site!r}); sys.argv = ['hook', 'prompt']\n"
        "from cuecard.hook import main; main()\n"
        "sys.stderr.write('\\n'.join(sorted(sys.modules)))"
    )

    def run() -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-I", "-S", "-c", f"import os; os.environ['CUECARD_BACKEND'] = 'pure'\n{code}"],
            input=payload(project),
            capture_output=True,
            check=True,
        )

    # The first prompt also builds the snapshot, which takes longer.
    run()
    done = run()
    assert json.loads(done.stdout) == {"hookSpecificOutput": ANSWER}
    frozen = set(sys.builtin_module_names) | {"_collections_abc", "_frozen_importlib", "_frozen_importlib_external"}
    imported = {name.split(".")[0] for name in done.stderr.decode().split("\n")} - frozen
    assert imported - allowed <= {"__main__", "cuecard", "zipimport", "_json", "site", "importlib", "linecache"}
    assert not imported & {"re", "json", "typing", "dataclasses", "pathlib", "logging", "argparse", "enum"}


def test_the_nesting_of_a_payload_is_that_of_its_text_whatever_pieces_it_comes_in() -> None:
    text = rb' {"a\"}": [{"b": "}]\\"}, "{"], "c": 1} '
    for size in range(1, len(text) + 1):
        nesting, closed = Nesting(), list[bool]()
        for place in range(0, len(text), size):
            nesting.follow(text[place : place + size])
            closed.append(nesting.is_closed)
        assert closed[-1]
        assert size > 1 or sum(closed) == 3
