"""If the settings need a model, the executable delegates the prompt to Python; exactly one of the two answers."""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from backends import executable
from hook_process import Hook
from model_server import UNWAITED_SECONDS, ModelServer
from scratch_home import kept_of, write_user_settings

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="the interpreters of these tests are shell scripts"),
]

PROMPT = "why is the hook a native executable and no python script?"
# What a session keeps of it: the terms that memories of the project have.
KEPT = "prompt 0 s:executabl=256; s:hook=256; s:nativ=256; s:python=256; s:script=256;"
SESSION = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
JUDGE = {"retrieval": {"judge": {"enabled": True, "timeout_ms": 100, "url": "http://127.0.0.1:9"}}}
# A time limit for calls that must not fail, even on a slow machine.
PATIENT = {"retrieval": {"judge": {"enabled": True, "timeout_ms": 10_000, "url": "http://127.0.0.1:9"}}}
LATE = "the Python beside the hook has not answered in time; answering without a model"
FAILED = "the Python beside the hook has failed; answering without a model"


@pytest.fixture
def alone(tmp_path: Path) -> Hook:
    """The executable in a folder without a Python beside it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(executable(), folder / "cuecard-hook")
    return Hook((str(folder / "cuecard-hook"),), {}, tmp_path)


def put_python(hook: Hook, script: str, name: str = "python3") -> Path:
    """Put a fake interpreter beside the executable; it runs the lines of `script`. Return its folder."""
    folder = Path(hook.command[0]).resolve().parent
    file = folder / name
    file.write_text(f"#!/bin/sh\ncd '{folder}' || exit 9\n{script}\n")
    file.chmod(0o755)
    return folder


def configure(config: Mapping[str, object]) -> None:
    """Write the user's configuration."""
    write_user_settings(config)


def payload_of(project: Path, prompt: str = PROMPT, **other: object) -> bytes:
    return json.dumps({"prompt": prompt, "cwd": str(project), "session_id": SESSION, **other}).encode()


def ask(hook: Hook, project: Path, prompt: str = PROMPT, **environment: str) -> tuple[bytes, list[str]]:
    """The output of the hook, and the lines of its log."""
    ran = hook.run("prompt", "--host", "plain", stdin=payload_of(project, prompt), cwd=project, **environment)
    assert (ran.code, ran.stderr) == (0, b"")
    return ran.stdout, ran.log


def events_of(project: Path) -> list[dict[str, Any]]:
    log = kept_of(project / ".claude/memory") / "log/events.jsonl"
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []


def prompts_of(project: Path) -> list[str]:
    file = kept_of(project / ".claude/memory") / "sessions" / SESSION
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [line for line in lines if line.startswith("prompt ")]


def test_the_answer_of_the_python_beside_is_printed_and_it_alone_does_the_upkeep(alone: Hook, project: Path) -> None:
    configure(PATIENT)
    folder = put_python(
        alone, 'echo "$@" > arguments; echo "$CUECARD_HANDED_OVER" > variable; cat > payload; printf hi'
    )
    assert ask(alone, project) == (b"hi", [])
    assert (folder / "arguments").read_text() == "-I -m cuecard.hook prompt --host plain\n"
    assert (folder / "variable").read_text() == "1\n"
    assert (folder / "payload").read_bytes() == payload_of(project)
    assert events_of(project) == []
    assert prompts_of(project) == []
    assert not (project / ".claude/memory/.cuecard/snapshot").exists()


ASKED = "http://127.0.0.1:9"
NOT_ALLOWED = "the settings name an endpoint that you have not allowed; `cuecard doctor` says which"


def ask_for(project: Path, config: object) -> None:
    """Write the settings file of the repository."""
    (project / ".claude/memory/memory-config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("config", "place"),
    [
        ({"retrieval": {"judge": {"enabled": True}}}, "api.anthropic.com"),
        ({"embedding": {"provider": "openai"}}, "https://API.openai.com/v1"),
        ({"embedding": {"provider": "ollama"}}, "localhost:11434"),
        ({"embedding": {"provider": "ollama", "url": "http://127.0.0.1:9"}}, "127.0.0.1:9"),
        ({"embedding": {"provider": "ollama", "url": "https://localhost.evil.example"}}, "localhost.evil.example:443"),
    ],
)
def test_what_nobody_has_allowed_is_not_worth_a_start(
    alone: Hook, project: Path, tmp_path: Path, config: object, place: str
) -> None:
    plain, _log = ask(alone, project, PROMPT, CUECARD_LOG="off")
    shutil.rmtree(project / ".claude/memory/.cuecard")
    shutil.rmtree(kept_of(project / ".claude/memory"))
    ask_for(project, config)
    put_python(alone, "cat > /dev/null; printf hi")
    assert ask(alone, project) == (plain, [NOT_ALLOWED])
    assert ask(alone, project, CUECARD_ALLOW_HOSTS=f"a.example, {place}") == (b"hi", [])
    assert ask(alone, project, CUECARD_ALLOW_HOSTS="a.example,localhost,127.0.0.1:99")[1] == [NOT_ALLOWED]
    hosts = tmp_path / "config" / "cuecard" / "allowed-hosts"
    hosts.parent.mkdir(parents=True)
    hosts.write_text("# nobody\na.example\n")
    folder = str(tmp_path / "config")
    assert ask(alone, project, "and why no python script?", XDG_CONFIG_HOME=folder)[1] == [NOT_ALLOWED]
    hosts.write_text(f"a.example\n{place}  # the team's\n")
    assert ask(alone, project, XDG_CONFIG_HOME=folder) == (b"hi", [])


@pytest.mark.parametrize(
    ("line", "is_asked"),
    [
        ("http://127.0.0.1:9 judge", True),
        ("http://127.0.0.1:9\tjudge llama3.2  # mine", True),
        ("127.0.0.1:9", True),
        ("http://127.0.0.1:9 embedding", False),
        ("http://127.0.0.1:9 judges", False),
        ("https://127.0.0.1:9 judge", False),
        ("http://127.0.0.1 judge", False),
    ],
)
def test_a_consent_is_for_place_and_purpose(
    alone: Hook, project: Path, tmp_path: Path, line: str, is_asked: bool
) -> None:
    ask_for(project, {"retrieval": {"judge": {"enabled": True, "url": f"{ASKED}/v1/x?y"}}})
    put_python(alone, "cat > /dev/null; printf hi")
    hosts = tmp_path / "config" / "cuecard" / "allowed-hosts"
    hosts.parent.mkdir(parents=True)
    hosts.write_text(f"{line}\n")
    answer, log = ask(alone, project, XDG_CONFIG_HOME=str(tmp_path / "config"))
    assert ((answer, log) == (b"hi", [])) == is_asked
    assert (log == [NOT_ALLOWED]) != is_asked


def test_the_place_of_the_own_embedder_is_not_open_to_the_judge_of_a_repository(alone: Hook, project: Path) -> None:
    configure({"embedding": {"provider": "ollama", "url": ASKED}})
    ask_for(project, {"retrieval": {"judge": {"enabled": True, "url": ASKED}}, "embedding": {"provider": "static"}})
    put_python(alone, "cat > /dev/null; printf hi")
    assert ask(alone, project)[1] == [NOT_ALLOWED]


def test_one_endpoint_that_is_allowed_is_enough(alone: Hook, project: Path) -> None:
    ask_for(project, {"embedding": {"provider": "ollama"}, "retrieval": {"judge": {"enabled": True}}})
    put_python(alone, "cat > /dev/null; printf hi")
    assert ask(alone, project, CUECARD_ALLOW_HOSTS="localhost:11434") == (b"hi", [])


def test_an_endpoint_that_has_failed_a_short_time_ago_is_not_worth_a_start(alone: Hook, project: Path) -> None:
    configure(PATIENT)
    put_python(alone, "cat > /dev/null; printf hi")
    note = Path(os.environ["CUECARD_HOME"], "endpoints")
    note.write_text(f"http://127.0.0.1:8 {int(time.time())}\n{ASKED} {int(time.time()) - 301}\n{ASKED} later\n")
    assert ask(alone, project) == (b"hi", [])
    note.write_text(f"{ASKED} {int(time.time())}\n")
    assert b"native executable" in ask(alone, project)[0]


def test_its_silence_is_an_answer_too(alone: Hook, project: Path) -> None:
    configure(PATIENT)
    put_python(alone, "cat > /dev/null")
    assert ask(alone, project) == (b"", [])


def test_one_that_fails_is_not_believed(alone: Hook, project: Path) -> None:
    plain, _log = ask(alone, project, PROMPT, CUECARD_LOG="off")
    assert plain
    shutil.rmtree(kept_of(project / ".claude/memory"))
    shutil.rmtree(project / ".claude/memory/.cuecard")
    configure(PATIENT)
    put_python(alone, "cat > /dev/null; printf half; exit 1")
    assert ask(alone, project) == (plain, [FAILED])
    assert [event["silence"] for event in events_of(project)] == [None]
    assert prompts_of(project) == [KEPT]


def test_one_that_dies_without_reading_is_no_failure_of_ours(alone: Hook, project: Path) -> None:
    configure(PATIENT)
    put_python(alone, "kill -9 $$")
    stdout, log = ask(alone, project, f"{PROMPT} {'x ' * 200_000}")
    assert b"native executable" in stdout
    assert log == [FAILED]


@pytest.mark.parametrize("script", ["exec sleep 30", "printf half; exec sleep 30", "exec 1>&-; exec sleep 30"])
def test_one_that_is_late_is_ended_and_the_own_answer_is_there_in_time(alone: Hook, project: Path, script: str) -> None:
    configure(JUDGE)
    folder = put_python(alone, f"echo $$ > pid; {script}")
    stdout, log = ask(alone, project)
    assert b"native executable" in stdout
    assert log == [LATE]
    assert len(events_of(project)) == 1
    pid = int((folder / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_it_answers_before_the_host_loses_patience_whatever_the_settings_say(alone: Hook, project: Path) -> None:
    judge = PATIENT["retrieval"]["judge"]
    configure({"retrieval": {"judge": judge}, "embedding": {"provider": "openai", "timeout_ms": 10_000}})
    put_python(alone, "exec sleep 30")
    start = time.monotonic()
    stdout, log = ask(alone, project)
    # Hosts stop a hook after 5 seconds, so a wait of 20 seconds in the settings is cut.
    assert time.monotonic() - start < UNWAITED_SECONDS
    assert b"native executable" in stdout
    assert log == [LATE]


def test_without_a_python_beside_it_answers_itself(alone: Hook, project: Path) -> None:
    configure(JUDGE)
    stdout, log = ask(alone, project)
    assert b"native executable" in stdout
    assert log == ["the model of the settings cannot be asked: there is no Python beside the hook"]
    assert len(events_of(project)) == 1


def test_a_file_that_cannot_be_started_is_noted(alone: Hook, project: Path) -> None:
    configure(JUDGE)
    (put_python(alone, "") / "python3").chmod(0o644)
    stdout, log = ask(alone, project)
    assert b"native executable" in stdout
    assert log == ["the Python beside the hook cannot be started"]


def test_it_is_the_python_beside_the_executable_itself_and_not_beside_a_link(
    alone: Hook, project: Path, tmp_path: Path
) -> None:
    configure(PATIENT)
    put_python(alone, "cat > /dev/null; printf right", "python")
    linked = tmp_path / "elsewhere"
    linked.mkdir()
    (linked / "cuecard-hook").symlink_to(alone.command[0])
    shutil.copy(Path(alone.command[0]).parent / "python", linked / "python3")
    (linked / "python3").write_text("#!/bin/sh\nprintf wrong\n")
    assert ask(Hook((str(linked / "cuecard-hook"),), {}, tmp_path), project)[0] == b"right"


@pytest.mark.parametrize(
    "config",
    [
        None,
        {},
        {"retrieval": {"judge": {"enabled": False}}},
        {"retrieval": {"judge": {"enabled": "yes"}}},
        {"embedding": {"provider": "static"}},
        {"embedding": {"provider": "minilm", "path": "/nowhere"}},
        {"embedding": {"url": "http://localhost:1"}},
        PATIENT["retrieval"],
        {"retrieval": PATIENT["retrieval"] | {"enabled": False}},
        {"retrieval": PATIENT["retrieval"] | {"match_strategy": "keyword"}},
        {"retrieval": PATIENT["retrieval"] | {"match_strategy": "keyword_classic"}},
    ],
)
def test_settings_that_ask_no_endpoint_start_no_python(
    alone: Hook, project: Path, config: dict[str, object] | None
) -> None:
    if config is not None:
        configure(config)
    folder = put_python(alone, "touch started; cat > /dev/null")
    ask(alone, project)
    assert not (folder / "started").exists()


@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_an_embedding_endpoint_is_asked_by_the_python_too(alone: Hook, project: Path, provider: str) -> None:
    configure({"embedding": {"provider": provider, "timeout_ms": 10_000}})
    put_python(alone, "cat > /dev/null; printf hi")
    assert ask(alone, project, CUECARD_ALLOW_HOSTS="api.openai.com")[0] == b"hi"


def test_what_is_not_answered_and_what_is_no_prompt_starts_no_python(alone: Hook, project: Path) -> None:
    configure(PATIENT)
    folder = put_python(alone, "touch started; cat > /dev/null")
    for prompt in ("thanks", "/compact now", "<task-notification>x</task-notification>"):
        ask(alone, project, prompt)
    for command in ("guard", "validate", "session", "need"):
        alone.run(command, stdin=payload_of(project), cwd=project)
    alone.run("prompt", stdin=b"no JSON", cwd=project)
    assert not (folder / "started").exists()


def test_a_delegated_prompt_is_not_delegated_again(alone: Hook, project: Path) -> None:
    configure(PATIENT)
    folder = put_python(alone, "touch started; cat > /dev/null")
    assert b"native executable" in ask(alone, project, CUECARD_HANDED_OVER="1")[0]
    assert not (folder / "started").exists()


@pytest.mark.parametrize("script", ["cat > /dev/null; printf hi", "exit 1"])
def test_the_one_that_answers_shows_the_notice_of_the_session(alone: Hook, project: Path, script: str) -> None:
    configure(PATIENT)
    put_python(alone, script)
    notice = kept_of(project / ".claude/memory") / "notice"
    notice.parent.mkdir(parents=True, exist_ok=True)
    notice.write_text("created decisions/a\n")
    ran = alone.run("prompt", "--host", "claude-code", stdin=payload_of(project), cwd=project)
    is_delegated = ran.stdout == b"hi"
    assert is_delegated == ("hi" in script)
    assert (b"created decisions/a" in ran.stdout) != is_delegated
    # If the prompt was delegated, the notice is left for the Python process.
    assert notice.exists() == is_delegated


def test_a_large_payload_arrives_whole(alone: Hook, project: Path) -> None:
    configure(PATIENT)
    folder = put_python(alone, "cat > payload; wc -c < payload")
    sent = payload_of(project, f"{PROMPT} {'x ' * 400_000}")
    assert len(sent) > 800_000
    ran = alone.run("prompt", stdin=sent, cwd=project)
    assert ran.stdout.strip() == str(len(sent)).encode()
    assert (folder / "payload").read_bytes() == sent


# With the installed Python


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def real(tmp_path: Path) -> Hook:
    """The installed executable, beside a Python that has cuecard."""
    found = Path(executable()).resolve()
    if not any((found.parent / name).exists() for name in ("python3", "python")):
        pytest.skip("there is no Python beside the executable")
    return Hook((str(found),), {"ANTHROPIC_API_KEY": "sk-secret"}, tmp_path)


@pytest.mark.parametrize("fault", ["", "500", "garbage", "slow", "dripping"])
def test_exactly_one_of_the_two_keeps_the_books(real: Hook, project: Path, endpoint: ModelServer, fault: str) -> None:
    plain, _log = ask(real, project)
    shutil.rmtree(kept_of(project / ".claude/memory"))
    shutil.rmtree(project / ".claude/memory/.cuecard")
    endpoint.fault = fault
    timeout_ms = 300 if fault in ("slow", "dripping") else 10_000
    judge = {"enabled": True, "timeout_ms": timeout_ms, "url": endpoint.url}
    configure({"retrieval": {"judge": judge}})
    judged, log = ask(real, project)
    assert judged.count(b"<memory-context") == 1
    if fault:
        assert judged == plain
        assert len(log) == 1
        assert "sk-secret" not in log[0]
    assert len(events_of(project)) == 1
    assert prompts_of(project) == [KEPT]


def test_the_python_hook_fails_with_a_status_only_for_the_executable(python_hook: Hook, project: Path) -> None:
    for variables, code in (({}, 0), ({"CUECARD_HANDED_OVER": "1"}, 1)):
        ran = python_hook.run("prompt", stdin=payload_of(project), cwd=project, CUECARD_BACKEND="none", **variables)
        assert (ran.code, ran.stdout) == (code, b"")
        assert "defect in cuecard: BackendError" in ran.log[0]
    for stdin in (payload_of(project), payload_of(project, "thanks"), b"no JSON", b""):
        assert python_hook.run("prompt", stdin=stdin, cwd=project, CUECARD_HANDED_OVER="1").code == 0
