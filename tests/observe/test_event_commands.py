"""`cuecard log`, `stats`, `why` and `replay`: what they show of logged events; no log makes them fail."""

import json
import re
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_process import Ran, run, run_on_terminal
from cuecard._pure.prompt.event import STAGES, Event
from cuecard._pure.prompt.prompt_path import SHOWN
from cuecard._pure.requests.request import KeptTerms
from cuecard._pure.settings.gate_model import BALANCED, lowest_shown
from cuecard.cli.run import run as cli
from cuecard.cli.terminal import bar
from cuecard.library.loaded_project import LoadedProject
from cuecard.library.recall import open_recall
from cuecard.library.trace import unsure
from cuecard.observe.event_verdict import OUTCOMES, SILENCES
from cuecard.store.log.events import KEPT_BACK, read_events, read_since
from scratch_home import kept_of
from small_project import MEMORIES, SampleMemory, write_project

NO_NETWORK, NATIVE_HOOK, TWINS, PLAIN_WORDS, RELEASE, _OLD = MEMORIES
PROMPT = "why is the hook a native executable?"
NOW = 1_795_000_000


def event(
    silence: str | None = None, *shown: SampleMemory, at: int = 0, prompt: str = PROMPT, keeps_texts: bool = True
) -> Event:
    """An event of the prompt hook. Events with different values of `at` give different lines."""
    made = Event("prompt", "claude-code")
    made.session, made.prompt, made.keeps_texts = f"session-{at % 3}", prompt, keeps_texts
    made.strategy, made.setting, made.skip_reason = "hybrid", "balanced", silence
    made.memories = [
        (memory.category.upper(), memory.path, tier, 2400 - 100 * place, 5000)
        for place, (memory, tier) in enumerate(zip(shown, SHOWN, strict=False))
    ]
    made.tokens, made.chars = 100 * len(shown), 400 * len(shown)
    made.documents = 5
    made.micros = dict(zip(STAGES, (at, at, at, at, 1000 * (at + 1)), strict=True))
    return made


def stamp(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def log_of(project: Path) -> Path:
    folder = kept_of(project / ".claude/memory") / "log"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "events.jsonl"


def write_log(project: Path, *events: Event, now: int | None = None) -> None:
    """Write a log whose events are one hour apart; the last event is at `now`, by default the present time."""
    last = int(time.time()) if now is None else now
    times = [last - 3600 * (len(events) - 1 - place) for place in range(len(events))]
    lines = [made.to_line(stamp(seconds)) for made, seconds in zip(events, times, strict=True)]
    log_of(project).write_text("".join(lines), encoding="utf-8", newline="")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the memories of `small_project`."""
    return write_project(tmp_path / "project")


def ask(project: Path, *arguments: str, **variables: str) -> Ran:
    return run(project.parent, project, *arguments, **variables)


def ids(project: Path) -> list[str]:
    return [one.id for one in read_events(str(project / ".claude/memory")).events]


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


# Why


def test_why_at_an_event_names_the_stage_that_lost_the_memory(project: Path) -> None:
    made = event(None, NATIVE_HOOK, TWINS, at=1)
    made.memories.append(("RUNBOOK", RELEASE.path, "gate", -1500, 900))
    made.memories.append(("CONSTRAINT", NO_NETWORK.path, "session", 1500, 900))
    write_log(project, made)
    usual = LoadedProject((str(project), str(project / ".claude/memory"))).config().recall.gate_shift + BALANCED
    best = max(logit for *_named, logit, _score in made.memories if logit is not None)
    least = lowest_shown(usual, best, has_questions=False)
    assert least != usual
    assert [verdict(project, one) for one in (NATIVE_HOOK, TWINS, RELEASE, NO_NETWORK, PLAIN_WORDS)] == [
        "shown with its text: place 1 of 2",
        "shown with its gist: place 2 of 2",
        f"not shown: {unsure(-1500, least, usual, 'balanced')}",
        "not shown: the session had already been shown it, unchanged",
        "not shown: it was not among the 4 best",
    ]


def verdict(project: Path, memory: SampleMemory, *options: str) -> str:
    document = ask(project, "why", memory.name, *options, "--json").document
    lines = ask(project, "why", memory.name, *options).stdout.splitlines()
    assert lines[0] == document["verdict"]
    return str(document["verdict"])


@pytest.mark.parametrize(
    ("silence", "words"),
    [("short", "the prompt was too short"), ("no_match", "no memory matched"), ("error", "something went wrong")],
)
def test_why_at_a_silent_event_gives_its_reason(project: Path, silence: str, words: str) -> None:
    write_log(project, event(None, TWINS, at=1), event(silence, at=2))
    assert verdict(project, TWINS).startswith(f"not shown: {words}")
    assert verdict(project, TWINS, "--event", ids(project)[0]) == "shown with its text: place 1 of 1"


def test_why_knows_that_a_memory_was_made_later(project: Path) -> None:
    young = SampleMemory("decision", "young", "A young decision")
    record = young.record | {"created_at": stamp(int(time.time()))}
    (project / young.path).write_text(json.dumps(record), encoding="utf-8")
    write_log(project, event(None, TWINS, at=1), event("gate", at=2))
    first, _last = ids(project)
    assert verdict(project, young, "--event", first) == "not shown: it was made later"


def test_why_traces_the_text_that_an_event_has(project: Path) -> None:
    made = event(None, NATIVE_HOOK)
    made.history, made.setting = ["1 s:hook=256;"], "precise"
    write_log(project, made)
    document = ask(project, "why", "native-hook", "--json").document
    trace = open_recall(project).trace(PROMPT, "native-hook", [KeptTerms("1 s:hook=256;")], setting="precise")
    assert (document["prompt"], document["trace"]) == (PROMPT, trace.as_dict())
    ran = ask(project, "why", "native-hook")
    assert f"the same prompt now, with the memories and settings as they are:\n\n{trace.verdict}\n" in ran.stdout


def test_why_without_a_text_has_no_stages_but_those_of_a_prompt_that_is_given(project: Path) -> None:
    write_log(project, event(None, NATIVE_HOOK, keeps_texts=False))
    ran = ask(project, "why", "native-hook")
    assert (ran.code, "term  256" in ran.stdout) == (0, False)
    assert ran.stderr.startswith("note: the event has no text to trace\nhint: `--prompt TEXT` shows every stage")
    ran = ask(project, "why", "native-hook", "--event", ids(project)[0], "--prompt", PROMPT)
    assert ran.stdout.startswith("shown with its text: place 1 of 1\n")
    assert "term  256" in ran.stdout


def test_why_at_an_act_of_a_tool_asks_no_prompt_again(project: Path) -> None:
    made = event(None, NO_NETWORK, prompt="src/app.py")
    made.kind, made.setting, made.forbids = "need", None, ["import: re\x1b[31mquests"]
    write_log(project, made)
    ran = ask(project, "why", NO_NETWORK.name)
    verdict = "shown with its text: place 1 of 1, because it forbids `import: re[31mquests`"
    assert ran.stdout.startswith(f"{verdict}\n")
    assert (ran.code, "the same prompt now" in ran.stdout, ran.stderr) == (0, False, "")
    assert ask(project, "why", NO_NETWORK.name, "--json").document["trace"] is None


def test_why_of_what_is_not_there_is_an_error(project: Path) -> None:
    ran = ask(project, "why", "twins")
    assert (ran.code, ran.stdout) == (2, "")
    assert ran.stderr == (
        "error: no event is logged yet\nhint: ask about a prompt: `cuecard why MEMORY --prompt TEXT`\n"
    )
    write_log(project, event(None, TWINS))
    for options in (["twins", "--event", "nothing"], ["twins", "--event", ""]):
        assert ask(project, "why", *options).code == 2
    assert ask(project, "why", "twinz").stderr.endswith("hint: did you mean `twins`?\n")


# Replay


def test_replay_shows_what_comes_in_and_goes_out(project: Path) -> None:
    [shown] = open_recall(project).inject(PROMPT).memories
    assert (shown.hit.path, shown.outcome in SHOWN) == (NATIVE_HOOK.path, True)
    same, session = event(None, NATIVE_HOOK, at=0), event("session", at=3)
    session.memories = [("DECISION", NATIVE_HOOK.path, "session", 2000, 5000)]
    same.memories = [("DECISION", NATIVE_HOOK.path, shown.outcome, 2000, 5000)]
    tier = event(None, at=5)
    tier.memories = [("DECISION", NATIVE_HOOK.path, "line", 2000, 5000)]
    other = event(None, TWINS, at=1)
    write_log(project, same, event(None, TWINS, keeps_texts=False), other, event("gate", at=2), session, tier)
    ran = ask(project, "replay")
    assert ran.stdout.splitlines() == [
        "asked again  5 prompts, 3 with another answer",
        "answered     4 before, 5 now",
        "memories     4 before, 5 now: 2 in, 1 out, 1 in another tier",
        f"{ids(project)[2]}  {PROMPT}",
        f"  + native-hook  [DECISION]  {shown.outcome}",
        "  - twins  [DECISION]  full",
        f"{ids(project)[3]}  {PROMPT}",
        f"  + native-hook  [DECISION]  {shown.outcome}",
        f"{ids(project)[5]}  {PROMPT}",
        f"  ~ native-hook  [DECISION]  line -> {shown.outcome}",
    ]
    assert ran.stderr == (
        "note: 1 of 6 prompts cannot be asked again: the texts were not kept\n"
        "hint: `cuecard config log.prompts true --user` keeps the texts of prompts\n"
    )
    document = ask(project, "replay", "--events", "2", "--json").document
    assert (document["prompts"], document["changes"]) == (2, {"in": 0, "out": 0, "tier": 1})


def test_a_short_prompt_that_goes_on_is_replayed_as_the_hook_answers_it(project: Path) -> None:
    made = event("session", prompt="continue")
    made.memories = [("DECISION", NATIVE_HOOK.path, "session", 2000, 5000)]
    made.history = ["0 s:execut=256; s:hook=256; s:nativ=256;"]
    write_log(project, made, event("short", prompt="continue", at=1))
    assert ask(project, "replay", "--json").document["changes"] == {"in": 0, "out": 0, "tier": 0}
    document = ask(project, "why", "native-hook", "--event", ids(project)[0], "--json").document
    assert document["trace"]["verdict"].startswith("shown ")


def test_replay_tries_settings(project: Path, tmp_path: Path) -> None:
    write_log(project, event("gate"))
    settings = tmp_path / "new.json"
    settings.write_text('{"retrieval": {"enabled": false}}')
    assert ask(project, "replay", "--config", str(settings), "--json").document["changes"]["in"] == 0
    settings.write_text('{"retrieval": {"gate_setting": "off", "max_inject": 2, "nonsense": 1}}')
    assert ask(project, "replay", "--config", str(settings), "--json").document["changes"]["in"] == 2
    assert ask(project, "replay", "--setting", "off", "--json").document["changes"]["in"] > 1
    settings.write_text('{"retrieval": {"max_inject": "many"}}')
    assert "new.json: " in ask(project, "replay", "--config", str(settings)).stderr
    assert ask(project, "replay", "--config", "missing.json").code == 2
    assert ask(project, "replay", "--setting", "loud").code == 2


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
