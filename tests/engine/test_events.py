"""The event log: which lines the two hooks write, into which file, and when they write none."""

import json
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from backends import executable
from cuecard._pure.prompt.event import MAX_EVENT_LOG_BYTES, STAGES, Event, append
from cuecard._pure.requests.results import JudgeRun
from cuecard.files.environment import Environment
from hook_process import Hook
from scratch_home import kept_of, write_user_settings
from small_project import write_project

AGREED = Path(__file__).parents[1] / "data" / "events.jsonl"
TIME = "2026-11-21T20:00:00Z"


def answered() -> Event:
    """The event that the unit tests of `rust/engine/src/session/event.rs` use, too."""
    event = Event("prompt", "claude-code")
    event.session = "0f1e2d3c"
    event.prompt = 'why is the hook "native"?\n \x1f훅은 왜'
    event.history, event.kept = ["1 s:hook=256;"], "1 s:hook=256;nativ=128"
    event.strategy, event.setting = "hybrid", "balanced"
    event.memories = [
        ("DECISION", ".claude/memory/decisions/native-hook.json", "full", 1530, 5120),
        ("DECISION", '.claude/memory/decisions/a "b".json', "gate", -204, 0),
    ]
    event.tokens, event.chars, event.documents = 212, 861, 613
    event.micros = dict(zip(STAGES, (210, 96, 44, 31, 402), strict=True))
    return event


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    """A store's folder without memories."""
    folder = tmp_path / ".claude" / "memory"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def environment(clean_environment: None) -> Environment:
    """The environment of a user who has set nothing."""
    return Environment()


def log_of(memory_dir: Path) -> Path:
    return kept_of(memory_dir) / "log" / "events.jsonl"


# The line


def test_events_become_the_agreed_lines() -> None:
    with_texts = answered()
    with_texts.keeps_texts = True
    silent = Event("need", "codex")
    silent.prompt, silent.keeps_texts, silent.skip_reason = "/compact", True, "slash_command"
    judged, unjudged = answered(), answered()
    judged.skip_reason = "judge"
    judged.embedder, judged.judgment = ("static", 'no memory has a "vector"'), JudgeRun(8, 2, 90_210, "")
    judged.sent = [("judge", "h:1", 2, 4100), ("prompt", "h:1", 1, 70)]
    unjudged.embedder, unjudged.judgment = ("ollama", ""), JudgeRun(3, 0, 5, "no answer")
    events = answered(), with_texts, silent, judged, unjudged
    lines = "".join([event.to_line(TIME) for event in events])
    assert lines == AGREED.read_text(encoding="utf-8")


def test_what_json_must_escape_comes_back() -> None:
    event = answered()
    event.keeps_texts = True
    # Without digits, and with fewer letters in a row: they could be a secret.
    event.prompt = (
        "".join(["-" if char in "0123456789kK" else char for char in map(chr, range(0x300))])
        + "\ud800 \U0001f600 \u2028"
    )
    read = json.loads(event.to_line(TIME))
    assert read["prompt"] == event.prompt.replace("\ud800", "�")
    assert read["prompt_chars"] == len(event.prompt)
    assert [memory["id"] for memory in read["memories"]] == ["native-hook", 'a "b"']


def test_an_event_is_bounded() -> None:
    event = answered()
    event.session, event.prompt = "é" * 101, "훅" * 20_001
    event.history = [str(number) * 20_001 for number in range(9)]
    event.keeps_texts = True
    event.memories = [("DECISION", "decisions/a.json", "line", None, 1)] * 13
    read = json.loads(event.to_line(TIME))
    assert (len(read["memories"]), read["memories"][0]["logit"]) == (12, None)
    assert (read["prompt"], read["prompt_chars"]) == ("훅" * 20_000, 20_001)
    assert (read["session"], read["history"]) == ("é" * 100, [str(number) * 20_000 for number in range(4, 9)])


# The file


def test_the_log_is_private_and_not_in_the_project(environment: Environment, memory_dir: Path) -> None:
    for _ in range(2):
        append(environment, str(memory_dir), answered())
    log = log_of(memory_dir)
    assert [json.loads(line)["v"] for line in log.read_bytes().splitlines()] == [1, 1]
    assert not (memory_dir / ".cuecard").exists()
    if os.name == "posix":
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_log_over_4_mib_is_set_aside(environment: Environment, memory_dir: Path) -> None:
    append(environment, str(memory_dir), answered())
    log = log_of(memory_dir)
    os.truncate(log, MAX_EVENT_LOG_BYTES)
    append(environment, str(memory_dir), answered())
    assert not log.with_name("events.1.jsonl").exists()
    append(environment, str(memory_dir), answered())
    assert log.read_bytes().count(b"\n") == 1
    assert log.with_name("events.1.jsonl").stat().st_size > MAX_EVENT_LOG_BYTES


def test_an_event_is_not_written_where_the_log_is_off(
    environment: Environment, memory_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUECARD_LOG", "off")
    append(Environment(), str(memory_dir), answered())
    assert not (memory_dir / ".cuecard").exists()


@pytest.mark.skipif(os.name != "posix", reason="creating pipes and links needs a privilege")
@pytest.mark.parametrize("kind", ["pipe", "link", "folder", "nothing to write into"])
def test_what_is_no_file_of_ours_is_left_alone(
    environment: Environment, memory_dir: Path, tmp_path: Path, kind: str
) -> None:
    log, target = log_of(memory_dir), tmp_path / "target"
    target.write_bytes(b"")
    if kind == "nothing to write into":
        (memory_dir / ".cuecard").write_bytes(b"")
    else:
        log.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(log)
    elif kind == "link":
        log.symlink_to(target)
    elif kind == "folder":
        log.mkdir()
    append(environment, str(memory_dir), answered())
    assert target.read_bytes() == b""


def test_lines_of_several_writers_do_not_mix(environment: Environment, memory_dir: Path) -> None:
    def write() -> None:
        for _ in range(50):
            append(environment, str(memory_dir), answered())

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    lines = log_of(memory_dir).read_bytes().splitlines()
    assert len(lines) == 200
    assert {len(json.loads(line)) for line in lines} == {15}


# What the hook writes


PROMPT = "why is the hook a native executable and no python script?"
ID = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
SHOWN = ("full", "gist", "title", "line")


def ask(hook: Hook, project: Path, prompt: str = PROMPT, session: str | None = ID, **environment: str) -> bytes:
    sent = json.dumps({"prompt": prompt, "cwd": str(project), "session_id": session}).encode()
    ran = hook.run("prompt", "--host", "plain", stdin=sent, cwd=project, **environment)
    assert (ran.code, ran.stderr) == (0, b"")
    return ran.stdout


def configure(project: Path, **settings: object) -> None:
    (project / ".claude/memory/memory-config.json").write_text(json.dumps(settings))


def events_of(project: Path) -> list[dict[str, Any]]:
    """All logged events of a project, oldest first."""
    log = log_of(project / ".claude" / "memory")
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []


def outcomes(event: dict[str, Any]) -> dict[str, str]:
    """The outcome of each memory in an event, by the id of the memory."""
    return {memory["id"]: memory["outcome"] for memory in event["memories"]}


def test_an_answer_is_logged_with_what_it_shows(hook: Hook, project: Path) -> None:
    block = ask(hook, project).decode()
    (event,) = events_of(project)
    assert (event["event"], event["host"], event["session"]) == ("prompt", "plain", ID)
    assert (event["strategy"], event["setting"], event["silence"]) == ("hybrid", "balanced", None)
    assert outcomes(event)["native-hook"] in SHOWN
    assert event["memories"][0]["category"] == "DECISION"
    assert (event["prompt_chars"], event["chars"]) == (len(PROMPT), len(block))
    # The number of all memories in the snapshot; it includes the retired memory.
    assert event["documents"] == 6
    assert event["tokens"] > 10
    assert "prompt" not in event
    assert "history" not in event
    assert PROMPT not in log_of(project / ".claude/memory").read_text("utf-8")
    micros = event["micros"]
    assert 0 < micros["total"] < 10_000_000
    assert sum(micros[stage] for stage in STAGES[:-1]) <= micros["total"]


def test_texts_are_kept_where_that_is_asked_for(hook: Hook, project: Path) -> None:
    write_user_settings({"log": {"prompts": True}})
    ask(hook, project)
    ask(hook, project, "the hook never opens the network, does it?")
    first, second = events_of(project)
    assert (first["prompt"], first["history"]) == (PROMPT, [])
    (before,) = second["history"]
    assert "nativ=256" in before
    assert PROMPT not in before


def test_a_secret_is_in_no_text_of_an_event_and_in_no_hash(hook: Hook, project: Path) -> None:
    write_user_settings({"log": {"prompts": True}})
    for secret in ("ghp" + "_aB3dE5fG7hI9jK1mN2pQ4rS6tU8vW0xY1zA3", "ghp" + "_zZ3dE5fG7hI9jK1mN2pQ4rS6tU8vW0xY1zB9"):
        ask(hook, project, f"the hook uses {secret} to push", session=secret[4:9])
    first, second = events_of(project)
    assert "prompt" not in first
    assert "hook=" in first["kept"]
    assert first["kept"] == second["kept"]
    assert first["prompt_hash"] == second["prompt_hash"]


def test_what_a_session_has_been_shown_is_logged_as_that(hook: Hook, project: Path) -> None:
    assert ask(hook, project)
    assert not ask(hook, project)
    first, second = events_of(project)
    assert second["silence"] == "session"
    assert outcomes(second)["native-hook"] == "session"
    assert first["prompt_hash"] == second["prompt_hash"]


@pytest.mark.parametrize(
    ("prompt", "silence"),
    [
        ("thanks", "short"),
        ("/compact now please", "slash_command"),
        ("<task-notification>native hook executable done</task-notification>", "machine_made"),
        ("thank you very much, that is great!", "courtesy"),
        ("zxqvy kwrrt bnmpl", "no_match"),
    ],
)
def test_a_silence_is_logged_with_its_reason(hook: Hook, project: Path, prompt: str, silence: str) -> None:
    assert not ask(hook, project, prompt)
    (event,) = events_of(project)
    assert event["silence"] in (silence, "gate" if silence == "no_match" else silence)
    assert not any(outcome in SHOWN for outcome in outcomes(event).values())


def test_recall_that_is_switched_off_is_logged_as_that(hook: Hook, project: Path) -> None:
    configure(project, retrieval={"enabled": False})
    assert not ask(hook, project)
    assert [event["silence"] for event in events_of(project)] == ["disabled"]


@pytest.mark.parametrize("switch", ["settings", "environment"])
@pytest.mark.parametrize("prompt", [PROMPT, "/compact now please", "thanks"])
def test_nothing_is_logged_where_that_is_switched_off(hook: Hook, project: Path, switch: str, prompt: str) -> None:
    if switch == "settings":
        configure(project, log={"events": False})
    ask(hook, project, prompt, **({"CUECARD_LOG": "off"} if switch == "environment" else {}))
    assert events_of(project) == []


@pytest.mark.parametrize("prompt", [PROMPT, "how do we release a wheel?", "the network", "thanks", "/compact"])
def test_both_hooks_log_the_same(hooks: tuple[Hook, Hook], tmp_path: Path, prompt: str) -> None:
    logged = []
    for number, hook in enumerate(hooks):
        project = write_project(tmp_path / str(number))
        write_user_settings({"log": {"prompts": True}})
        ask(hook, project, prompt)
        ask(hook, project, prompt)
        events = events_of(project)
        assert len(events) == 2
        logged.append([{name: event[name] for name in event if name not in ("time", "micros")} for event in events])
        assert [list(event) for event in events] == [list(events[0])] * 2
    assert logged[0] == logged[1]


@pytest.fixture
def hooks(tmp_path: Path) -> tuple[Hook, Hook]:
    """The executable, and the Python hook with the pure backend."""
    made = []
    for name, command, environment in (
        ("native", (executable(),), {}),
        ("pure", (sys.executable, "-m", "cuecard.hook"), {"CUECARD_BACKEND": "pure"}),
    ):
        scratch = tmp_path / name
        scratch.mkdir()
        made.append(Hook(command, environment, scratch))
    return made[0], made[1]
