"""`cuecard log`, `stats`, `why` and `replay`: what they show of logged events; no log makes them fail."""

import json
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_process import run_on_terminal
from cuecard._pure.prompt.prompt_path import SHOWN
from cuecard.cli.run import run as cli
from cuecard.cli.terminal import bar
from cuecard.observe.event_verdict import OUTCOMES, SILENCES
from cuecard.store.log.events import KEPT_BACK, read_events, read_since
from logged_events import NATIVE_HOOK, PROMPT, RELEASE, TWINS, ask, event, ids, log_of, stamp, write_log
from small_project import SampleMemory, write_project

NOW = 1_795_000_000


# Reading


def test_both_files_are_read_the_older_first(project: Path) -> None:
    write_log(project, event(None, TWINS, at=1))
    log_of(project).rename(log_of(project).with_name("events.1.jsonl"))
    write_log(project, event("gate", at=2))
    read = read_events(str(project / ".claude/memory"))
    assert [one.micros["load"] for one in read.events] == [1, 2]
    assert [memory.id for memory in read.events[0].shown] == ["twins"]
    assert (read.damaged, read.foreign) == (0, 0)


def test_an_event_keeps_its_id_and_is_found_by_its_first_characters(project: Path) -> None:
    write_log(project, event(at=1), event(at=2), now=NOW)
    first, second = ids(project)
    log_of(project).rename(log_of(project).with_name("events.1.jsonl"))
    write_log(project, event(at=3), now=NOW)
    assert ids(project)[:2] == [first, second]
    assert first != second
    assert read_events(str(project / ".claude/memory")).find(second[:5].upper()).id == second


@pytest.mark.parametrize(
    "change",
    [
        {"time": "yesterday"},
        {"time": "2026-01-31"},
        {"time": "1926-01-31T00:00:00Z"},
        {"memories": None},
        {"memories": [{}]},
        {"setting": "loud"},
        {"tokens": True},
        {"tokens": -1},
        {"tokens": 1.5},
        {"tokens": 10**400},
        {"micros": {}},
        {"history": [1]},
        {"prompt": None},
        {"session": 7},
        {"v": "1"},
        {"v": 1.5},
    ],
    ids=str,
)
def test_what_is_no_event_is_counted_and_left_out(project: Path, change: dict[str, object]) -> None:
    line = json.loads(event(None, TWINS).to_line(stamp(NOW)))
    good, bad = json.dumps(line), json.dumps(line | change)
    log_of(project).write_text(f"{bad}\n{good}\n{bad[:-9]}\n\n{{{good}\n[]\n" + '{"v":2}\n{"v":99,"x":[]}\n')
    read = read_events(str(project / ".claude/memory"))
    assert (len(read.events), read.damaged, read.foreign) == (1, 4, 2)


def test_of_an_endless_file_the_end_is_read(project: Path) -> None:
    line = event(at=1).to_line(stamp(NOW)).encode()
    with log_of(project).open("wb") as file:
        file.truncate(200 << 20)
        file.seek(0, 2)
        file.write(b"\n" + line)
    read = read_events(str(project / ".claude/memory"))
    assert [one.micros["load"] for one in read.events] == [1]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("7d", NOW - 604_800), ("30m", NOW - 1800), ("12h", NOW - 43_200), ("2w", NOW - 1_209_600)],
)
def test_a_span_is_counted_from_now(text: str, seconds: int) -> None:
    assert read_since(text, NOW) == seconds
    assert read_since("2026-11-18T11:00:00Z", NOW) == NOW - 400


# What a person sees


def test_the_log_says_what_was_shown_and_why_nothing_was(project: Path) -> None:
    near = event("gate", at=1)
    near.memories = [("DECISION", TWINS.path, "gate", -1500, 900)]
    need = event(None, RELEASE, at=3)
    need.kind = "need"
    write_log(project, event(None, NATIVE_HOOK, TWINS, at=0), near, event("slash_command", at=2), need)
    ran = ask(project, "log")
    assert (ran.code, ran.stderr) == (0, "")
    named = [re.split(r" {2,}", line, maxsplit=5) for line in ran.stdout.splitlines()]
    assert [cells[1] for cells in named] == ids(project)
    assert [cells[3:] for cells in named] == [
        ["1.00 ms", "200 tokens", "native-hook (full), twins (gist)"],
        ["2.00 ms", "0 tokens", "silent: no memory was sure enough (the nearest, twins, 19% sure)"],
        ["3.00 ms", "0 tokens", "silent: the prompt was a slash command"],
        ["4.00 ms", "100 tokens", "need: release (full)"],
    ]


@pytest.mark.parametrize(
    ("options", "places"),
    [
        (["--limit", "2"], [3, 4]),
        (["--silent"], [1, 4]),
        (["--shown"], [0, 2, 3]),
        (["--session", "session-1"], [1, 4]),
        (["--since", "90m"], [3, 4]),
        (["--since", "2d", "--shown", "--limit", "1"], [3]),
    ],
    ids=str,
)
def test_the_log_is_narrowed(project: Path, options: list[str], places: list[int]) -> None:
    silences = [None, "gate", None, None, "short"]
    shown = [[TWINS] if silence is None else [] for silence in silences]
    write_log(project, *[event(silence, *shown[at], at=at) for at, silence in enumerate(silences)])
    ran = ask(project, "log", *options, "--json")
    assert [one["micros"]["load"] for one in ran.document["events"]] == places
    assert ask(project, "log", *options).stdout.count("\n") == len(places)


def test_an_event_is_shown_with_all_that_it_has(project: Path) -> None:
    made = event(None, NATIVE_HOOK, at=5)
    made.memories.append(("DECISION", TWINS.path, "duplicate", 1200, 900))
    made.history = ["1 s:hook=256;"]
    write_log(project, event(at=1), made)
    [_, name] = ids(project)
    ran = ask(project, "log", "--event", name[:5])
    for words in (PROMPT, "1 s:hook=256;", "hybrid, balanced", "100 tokens", "400 characters", "session-2", name):
        assert words in ran.stdout
    assert f"memory    shown: with its text  {NATIVE_HOOK.path}\n" in ran.stdout
    assert f"memory    not shown: another shown memory says nearly the same  {TWINS.path}\n" in ran.stdout
    assert "stage     total   6.00 ms\n" in ran.stdout
    document = ask(project, "log", "--event", name, "--json").document["event"]
    assert (document.pop("id"), {"v": 1} | document) == (name, json.loads(made.to_line(document["time"])))


def test_a_text_that_was_not_kept_is_not_shown(project: Path) -> None:
    write_log(project, event(None, TWINS, keeps_texts=False))
    ran = ask(project, "log", "--event", ids(project)[0])
    assert f"not kept; `cuecard config log.prompts true --user` keeps texts ({len(PROMPT)} characters)" in ran.stdout


@pytest.mark.parametrize("command", ["log", "stats", "replay"])
def test_without_events_it_is_said_how_to_get_them(project: Path, command: str) -> None:
    ran = ask(project, command)
    assert (ran.code, ran.stdout) == (0, "")
    assert ran.stderr.startswith("note: no event is logged yet\nhint: the hook logs each prompt that it is asked about")
    assert "`CUECARD_LOG=off` switches the log off" in ask(project, command, CUECARD_LOG="off").stderr
    (project / ".claude/memory/memory-config.json").write_text('{"log": {"events": false}}')
    assert "`log.events` in memory-config.json switches the log off" in ask(project, command).stderr


def test_damage_is_said(project: Path) -> None:
    write_log(project, event(None, TWINS))
    with log_of(project).open("a") as log:
        log.write('torn\n[]\n{"v":2}\n')
    for command in ("log", "stats", "replay"):
        ran = ask(project, command)
        assert ran.code == 0
        assert "warning: left out 2 lines of the event log that cannot be read\n" in ran.stderr
        assert "warning: left out 1 line that another version of cuecard logged\n" in ran.stderr
    document = ask(project, "log", "--json").document
    assert (document["damaged"], document["foreign"]) == (2, 1)


@pytest.mark.parametrize("columns", [40, 60, 100])
@pytest.mark.parametrize("command", [["log"], ["stats"], ["why", "twins"], ["replay"], ["log", "--event", ""]], ids=str)
def test_a_terminal_shows_it_in_its_width(project: Path, command: list[str], columns: int) -> None:
    write_log(project, event(None, NATIVE_HOOK, TWINS, at=1), event("gate", at=2), event(None, RELEASE, at=3))
    command = [word or ids(project)[0] for word in command]
    ran = run_on_terminal(project.parent, project, *command, columns=columns)
    assert ran.code == 0
    lines = [line for line in ran.stdout.splitlines() if not line.startswith(("note: ", "the same prompt now"))]
    assert lines
    assert all(len(line) <= columns for line in lines)
    if command[0] == "log":
        assert ids(project)[0] in ran.stdout


def test_nothing_logged_steers_a_terminal(project: Path) -> None:
    evil = "\x1b[31mevil\x9b2J\u202e[bold]x[/bold]\x07"
    made = event(None, TWINS, prompt=evil)
    made.session = made.host = evil.replace("\x1b", "").replace("\x07", "")
    made.memories.append((evil, f"decisions/{evil}.json", "full", 1, 1))
    made.history = [evil]
    write_log(project, event(at=1), made)
    name = ids(project)[1]
    for command in (["log"], ["log", "--event", name], ["stats"], ["why", "twins"], ["replay"]):
        for ran in (ask(project, *command), run_on_terminal(project.parent, project, *command)):
            assert ran.code == 0
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", ran.stdout + ran.stderr)


@pytest.mark.parametrize(
    ("encoding", "drawn"),
    [("utf-8", ["", "▏", "█▌", "███"]), ("ascii", ["", "", "##", "###"]), (None, ["", "", "##", "###"])],
)
def test_a_bar_is_drawn_with_what_the_terminal_has(
    monkeypatch: pytest.MonkeyPatch, encoding: str | None, drawn: list[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(encoding=encoding))
    assert [bar(share, 3) for share in (0, 0.04, 0.5, 1)] == drawn


def test_everything_that_an_event_can_say_has_plain_words() -> None:
    source = (Path(__file__).parents[2] / "rust/engine/src/session/event.rs").read_text(encoding="utf-8")
    silences, outcomes = (
        set(re.findall(r'=> "(\w+)"', source.split(f"impl {name} {{")[1].split("\n}\n")[0]))
        for name in ("SkipReason", "Outcome")
    )
    # Only Python asks the judge, so only Python knows the value `judge`.
    assert silences | {"judge"} == set(SILENCES)
    assert outcomes | {"judge"} == set(OUTCOMES) == {*SHOWN, *KEPT_BACK}


# Statistics


def test_statistics_print_a_few_of_the_memories_that_are_never_shown(tmp_path: Path) -> None:
    many = [SampleMemory("decision", f"d{number}", f"Decision number {number}") for number in range(30)]
    project = write_project(tmp_path / "many", *many)
    write_log(project, event("gate", at=0))
    lines = [line for line in ask(project, "stats", "--details").stdout.splitlines() if line.startswith("never shown")]
    assert lines[0] == "never shown: 30 of 30 active memories"
    assert (len(lines), lines[-1].split()) == (10, ["never", "shown", "22", "more,", "which", "`--json`", "lists"])
    assert len(ask(project, "stats", "--json").document["never_shown"]) == 30


def test_statistics_count_what_was_logged(project: Path) -> None:
    need = event(None, RELEASE, at=9)
    need.kind, need.host = "need", "codex"
    made = [event(None, NATIVE_HOOK, TWINS, at=0), event(None, NATIVE_HOOK, at=1), event("gate", at=2)]
    made += [event("short", at=3), event("gate", at=4), event("session", at=5), need]
    write_log(project, *made)
    found = ask(project, "stats", "--json").document
    assert (found["prompts"], found["asking"], found["answered"], found["needs"]) == (6, 5, 2, 1)
    assert found["silences"] == {"gate": 2, "session": 1, "short": 1}
    assert found["hosts"] == {"claude-code": 6, "codex": 1}
    assert found["sessions"] == 3
    assert found["tiers"] == {"full": 3, "gist": 1, "title": 0, "line": 0, "sibling": 0}
    assert (round(found["tokens_mean"]), found["tokens_p95"], found["tokens_sum"]) == (133, 200, 400)
    assert [(use["id"], use["count"]) for use in found["shown_most"]] == [
        ("native-hook", 2),
        ("twins", 1),
        ("release", 1),
    ]
    assert found["active"] == 5
    assert [one["id"] for one in found["never_shown"]] == ["no-network", "plain-words"]
    assert all(one["age_days"] > 2000 for one in found["never_shown"])
    assert found["latency"]["total"] == {"p50": 3000, "p95": 6000, "p99": 6000}
    lines = ask(project, "stats", "--details").stdout.splitlines()
    assert lines[1] == "answered 2: 33% of all, 40% of the 5 that ask for something"
    assert "why silent       2   50%  no memory was sure enough" in lines
    assert f"shown most       2  {NATIVE_HOOK.path}" in lines


def test_statistics_are_of_the_time_that_is_asked_for(project: Path) -> None:
    write_log(project, *[event("gate", at=number) for number in range(5)])
    assert ask(project, "stats", "--since", "150m", "--json").document["prompts"] == 3
    ran = ask(project, "stats", "--since", "2099-01-01")
    assert (ran.code, ran.stdout) == (0, "")
    assert ran.stderr == "note: no event since `2099-01-01`\nhint: a longer `--since` may have some\n"
    assert ask(project, "stats", "--since", "soon").code == 2


# Arbitrary logs


VALUES: st.SearchStrategy[object] = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.text(max_size=9)
    | st.floats()
    | st.builds(lambda: [{}])
)
NAMES = (
    "v",
    "time",
    "session",
    "silence",
    "setting",
    "strategy",
    "memories",
    "tokens",
    "micros",
    "prompt",
    "prompt_chars",
)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A line of the log with some changed members, or bytes that are no event."""
    if draw(st.booleans()):
        return draw(st.binary(max_size=60) | st.sampled_from([b'{"v":1}', b"[" * 5000, b'{"v":NaN}', b"1" * 5000]))
    line: dict[str, Any] = json.loads(event(None, TWINS, RELEASE).to_line(stamp(NOW)))
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=2)):
        line[name] = draw(VALUES)
    if isinstance(line["memories"], list) and draw(st.booleans()):
        owner = line["memories"][0]
        owner[draw(st.sampled_from(["id", "path", "outcome", "logit", "score"]))] = draw(VALUES)
    return json.dumps(line).encode()


# Each example runs ten commands, so the test has few examples.
@settings(max_examples=20)
@given(st.lists(lines(), max_size=5), st.booleans())
def test_no_bytes_make_a_command_fail(
    tmp_path_factory: pytest.TempPathFactory, logged: list[bytes], is_last: bool
) -> None:
    project = write_project(tmp_path_factory.mktemp("any") / "project")
    good = [event(None, TWINS).to_line(stamp(NOW)).encode().rstrip(b"\n")] * is_last
    log_of(project).write_bytes(b"\n".join([*logged, *good]))
    for command in (["log"], ["log", "--json"], ["stats", "--since", "2020-01-01"], ["why", "twins"], ["replay"]):
        for stream in (StringIO(), Terminal()):
            with redirect_stdout(stream), redirect_stderr(StringIO()) as errors:
                code = cli([*command, "--root", str(project)])
            assert code == 0 or (command[0] == "why" and "no event is logged yet" in errors.getvalue())


class Terminal(StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_long_names_leave_the_columns_of_the_log_their_place(tmp_path: Path) -> None:
    long = [SampleMemory("decision", f"{'a-very-long-name-' * 5}{number}", "Long") for number in range(3)]
    project = write_project(tmp_path / "long", *long)
    write_log(project, event(None, *long, at=1))
    for columns in (80, 120):
        ran = run_on_terminal(project.parent, project, "log", columns=columns)
        [line] = [line for line in ran.stdout.splitlines() if "a-very-long" in line]
        assert re.search(r"a-very-long\S*…\S+ \w+", line)
        assert line.rstrip().endswith(" ms")
        assert len(line) <= columns
