"""Measure when the Stop hook asks the agent for memories, and which text it gives the agent, in recorded sessions.

    python tools/measure_capture.py [--pure] [--every N] [--chains] [--real FOLDER...] [--list]

For each session of `tests/data/capture`, the hook is called at every prompt and stop: the installed executable, or with
`--pure` the pure backend in this process. Then follows a later session of the same project, which continues the session
or is a short one. The figures are: how often a stop read the transcript, for which the executable starts Python; how
often the agent was asked, for each cause, counting all; the share of the durable statements that the
agent was given in the same session, and by the end of the later session; and the share of the given text that is not
needed.

`--real` takes folders with Markdown histories of agents (`.specstory/history`). These have no labels, so only stops and
requests are counted; all sessions are those of one project. `--chains` cuts the judged sessions into short ones of two
prompts, ten of them in a project. `--list` prints every request.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "support")]

from capture_sessions import (  # noqa: E402
    CaptureSession,
    CaptureTurn,
    DurableStatement,
    read_session_projects,
    read_sessions,
    write_transcript,
)
from cuecard._pure.prompt.after_answer import keep  # noqa: E402
from cuecard._pure.prompt.prompt_path import answer as answer_prompt  # noqa: E402
from cuecard._pure.situation.session_file import note_event as note_session  # noqa: E402
from cuecard._pure.situation.stop_decision import decide_event, decide_stop  # noqa: E402
from cuecard._pure.text.substance import is_substantial  # noqa: E402
from cuecard._pure.text.token_estimate import estimate_tokens  # noqa: E402
from cuecard.capture.ledger import stop  # noqa: E402
from cuecard.capture.ledger.quotes import find_quotes, own_words  # noqa: E402
from cuecard.capture.ledger.stop import answer, note_event  # noqa: E402
from cuecard.files.environment import Environment  # noqa: E402
from cuecard.models.prompt_models import PromptModels  # noqa: E402
from cuecard.retrieval.near import find_near  # noqa: E402
from session_histories import read_histories  # noqa: E402

MANY = 8
# How many short sessions a project of `--chains` has, and in which order they are.
CHAIN, SEED = 10, 7
STARTS = "starts"
FRAME = re.compile("<capture-ledger>\n.*?\n(.*?)</capture-ledger>", re.DOTALL)
LATER = (
    CaptureTurn("what does the build script do with the version file", "It writes the version into it."),
    CaptureTurn("thanks", "You're welcome."),
)
Hook = Callable[[str, str, dict[str, Any], dict[str, str]], str]


@dataclass
class Handed:
    """One request to the agent: its turn, its text, and its cause."""

    turn: int
    cause: str
    text: str
    """The entries in the request to the agent."""
    tokens: int
    """The estimated tokens of the whole request."""


@dataclass
class Figures:
    """The counts over the measured sessions."""

    sessions: int = 0
    stops: int = 0
    events: int = 0
    """How many stops the hook was called for, with those at which the agent answers a request."""
    starts: int = 0
    """How many of them read the transcript."""
    compactions: int = 0
    asks: "Counter[str]" = field(default_factory=Counter)
    first_asks: int = 0
    """How many sessions were held up at their first stop."""
    tokens: int = 0
    """The estimated tokens of all requests."""
    early_asks: int = 0
    """How many requests had the cause "many prompts" in sessions with less than eight substantial prompts."""
    labels: int = 0
    by_later: int = 0
    long_labels: int = 0
    in_same: int = 0
    handed_chars: int = 0
    needed_chars: int = 0
    missed: list[str] = field(default_factory=list)

    def note_starts(self, run: "SessionRun") -> None:
        """Add how many stops of a session read the transcript."""
        self.events, self.starts = self.events + run.events, self.starts + run.starts

    def lines(self) -> Iterator[str]:
        """The figures as lines of text."""
        causes = ", ".join([f"{cause} {self.asks[cause]}" for cause in ("prompts", "word", "compaction", "earlier")])
        rate = (self.asks["prompts"] + self.asks["word"]) / max(1, self.stops)
        yield f"{self.sessions} sessions, {self.stops} stops, {self.compactions} compactions; asks: {causes}"
        yield f"transcript read at {self.starts} of {self.events} stops ({self.starts / max(1, self.events):.1%})"
        yield f"asks because of prompts or a word: {rate:.1%} of the stops"
        asks, share = sum(self.asks.values()), sum(self.asks.values()) / max(1, self.stops)
        yield f"all asks: {asks} ({share:.1%} of the stops), of {self.tokens // max(1, asks)} tokens"
        yield f"held up at their first stop: {self._share(self.first_asks, self.sessions)} of the sessions"
        yield f"asks because of prompts in sessions with less than {MANY} substantial ones: {self.early_asks}"
        if self.labels:
            yield f"handed over by the end of the first later session: {self._share(self.by_later, self.labels)}"
            same = self._share(self.in_same, self.long_labels)
            yield f"handed over in the same session, where it has {MANY} or more: {same}"
        if self.handed_chars and self.labels:
            excess = 1 - self.needed_chars / self.handed_chars
            yield f"excess: {excess:.0%} of {self.handed_chars} characters handed over are not in a durable statement"

    @staticmethod
    def _share(part: int, whole: int) -> str:
        return f"{part} of {whole} ({part / max(1, whole):.0%})"


class SessionRun:
    """Sends the events of sessions to the hook, in a project of its own."""

    def __init__(self, hook: Hook, folder: Path) -> None:
        self._hook = hook
        self._folder = folder
        self._project = folder / "project"
        (self._project / ".claude" / "memory").mkdir(parents=True)
        self._cwd = str(self._project)
        # A file that grows whenever a transcript is read.
        self._starts = folder / STARTS
        self.events = self.starts = 0

    def run(self, session: CaptureSession) -> list[Handed]:
        """Send all events of a session; returns the requests to the agent."""
        transcript = write_transcript(session, read_session_projects()[session.project], self._cwd)
        lines = [json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in transcript.records]
        file = self._folder / "chats" / f"{session.id}.jsonl"
        file.parent.mkdir(exist_ok=True)
        handed: list[Handed] = []
        done = 0
        for number, turn in enumerate(session.turns):
            event = {"session_id": session.id, "transcript_path": str(file), "cwd": self._cwd}
            if turn.compaction:
                self._call("session", session, {**event, "hook_event_name": "PreCompact"})
                continue
            event["permission_mode"] = "plan" if session.mode == "plan" else "default"
            end = transcript.answer_lines[number] + 1
            with file.open("ab") as opened:
                opened.write(b"".join(lines[done:end]))
            done = end
            said = "prompt_response" if session.host == "gemini-cli" else "last_assistant_message"
            stop = {**event, "hook_event_name": "Stop", "stop_hook_active": False, said: turn.agent}
            if session.host == "gemini-cli" and session.mode != "print":
                # Gemini CLI writes prompts that are typed in a terminal into this file.
                said_so_far = [each.prompt for each in session.turns[: number + 1] if each.prompt]
                typed = [{"sessionId": session.id, "type": "user", "message": said} for said in said_so_far]
                file.parent.with_name("logs.json").write_text(json.dumps(typed), "utf-8")
            if turn.prompt:
                name = "BeforeAgent" if session.host == "gemini-cli" else "UserPromptSubmit"
                self._call(
                    "prompt", session, {**event, "hook_event_name": name, "prompt": f"{turn.wrapped}{turn.prompt}"}
                )
            printed = self._call("stop", session, stop)
            if printed:
                handed.append(self._read(number, session, json.loads(printed)["reason"]))
                answered = {**stop, "stop_hook_active": True, said: "Nothing worth keeping."}
                assert not self._call("stop", session, answered), session.id
        self._call("session", session, {**event, "hook_event_name": "SessionEnd"})
        return handed

    def _call(self, event: str, session: CaptureSession, payload: dict[str, Any]) -> str:
        is_claude = session.host == "claude-code"
        entrypoint = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli" if session.mode == "print" else "cli"} if is_claude else {}
        self.events += event == "stop"
        before = self._starts.stat().st_size if self._starts.exists() else 0
        printed = self._hook(event, session.host.removesuffix("-cli"), payload, entrypoint)
        if event == "stop":
            self.starts += self._starts.exists() and self._starts.stat().st_size > before
        elif event == "session" and self._starts.exists():
            _wait_for_quiet(self._folder)
        return printed

    def _read(self, turn: int, session: CaptureSession, reason: str) -> Handed:
        found = FRAME.search(reason)
        staged = list((self._folder / "data").glob(f"stores/*/staging/{session.id}/triage.json"))
        cause = json.loads(staged[0].read_text("utf-8"))["cause"]
        assert len(reason) <= 10_000
        return Handed(turn, cause, found[1] if found else "", estimate_tokens(reason))


def main() -> int:
    """Measure and print the figures."""
    arguments = _parser().parse_args()
    with tempfile.TemporaryDirectory() as name:
        hook = pure_hook(Path(name)) if arguments.pure else _native_hook(Path(name))
        if arguments.chains:
            figures = measure_chains(hook, Path(name), is_listed=arguments.list)
        elif arguments.real:
            figures = _measure_real([Path(folder) for folder in arguments.real], hook, Path(name), arguments.list)
        else:
            figures = measure_judged(hook, Path(name), is_listed=arguments.list, every=arguments.every)
    for line in figures.lines():
        print(line)
    for missed in figures.missed if arguments.list else []:
        print(f"missed: {missed}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pure", action="store_true", help="use the reference in this process")
    parser.add_argument("--chains", action="store_true", help="measure projects of short sessions")
    parser.add_argument("--real", nargs="+", metavar="FOLDER", help="measure histories of real sessions")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="measure every Nth of the judged sessions")
    parser.add_argument("--list", action="store_true", help="list every request to the agent")
    return parser


def measure_judged(hook: Hook, folder: Path, *, is_listed: bool, every: int = 1) -> Figures:
    """Measure each judged session, or every second one and so on, with a later one of its project."""
    figures = Figures()
    sessions = read_sessions()
    continued = {session.continues: session for session in sessions if session.continues}
    for session in [each for each in sessions if not each.continues][::every]:
        later = continued.get(session.id) or replace(
            session, id=f"{session.id}-later", turns=LATER, labels=(), mode="default", host="claude-code"
        )
        run = SessionRun(hook, _fresh(folder))
        own = run.run(session)
        figures.note_starts(run)
        run.events = run.starts = 0
        after = run.run(later)
        _count(figures, session, own, is_listed=is_listed)
        _count_labels(figures, session, own, after)
        if later.id in {each.id for each in sessions}:
            figures.note_starts(run)
            _count(figures, later, after, is_listed=is_listed)
            last = replace(later, id=f"{later.id}-later", turns=LATER, labels=(), host="claude-code", mode="default")
            _count_labels(figures, later, after, run.run(last))
        else:
            _count(figures, later, after, is_listed=is_listed)
    return figures


def _count(figures: Figures, session: CaptureSession, handed: list[Handed], *, is_listed: bool = False) -> None:
    substantial = sum(is_substantial(own_words(turn.prompt, find_quotes(turn.prompt))) for turn in session.turns)
    figures.sessions += 1
    figures.stops += sum(bool(turn.prompt) for turn in session.turns)
    figures.compactions += sum(bool(turn.compaction) for turn in session.turns)
    figures.asks.update(each.cause for each in handed)
    figures.tokens += sum(each.tokens for each in handed)
    first = next((number for number, turn in enumerate(session.turns) if turn.prompt), 0)
    figures.first_asks += any(each.turn == first for each in handed)
    figures.early_asks += sum(each.cause == "prompts" for each in handed) if substantial < MANY else 0
    for each in handed if is_listed else []:
        print(f"{session.id} turn {each.turn}: {each.cause}")


def _count_labels(figures: Figures, session: CaptureSession, own: list[Handed], after: list[Handed]) -> None:
    substantial = sum(is_substantial(own_words(turn.prompt, find_quotes(turn.prompt))) for turn in session.turns)
    for label in session.labels:
        is_own = any(_has(handed, label) for handed in own)
        is_handed = is_own or any(_has(handed, label) for handed in after)
        figures.labels += 1
        figures.by_later += is_handed
        if substantial >= MANY:
            figures.long_labels += 1
            figures.in_same += is_own
        if not is_handed:
            figures.missed.append(f"{session.id} ({session.mode}): {label.text}")
    for handed in [*own, *after]:
        figures.handed_chars += len(handed.text)
        figures.needed_chars += sum(len(label.text) for label in session.labels if _has(handed, label))


def _has(handed: Handed, label: DurableStatement) -> bool:
    return _plain(label.text) in _plain(handed.text)


def _plain(text: str) -> str:
    for entity, char in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("`", "'")):
        text = text.replace(entity, char)
    return " ".join(text.split())


def measure_chains(hook: Hook, folder: Path, *, is_listed: bool) -> Figures:
    """Measure projects of short sessions."""
    figures = Figures()
    short = [part for session in read_sessions() if session.mode == "default" for part in cut(session)]
    Random(SEED).shuffle(short)
    for begin in range(0, len(short), CHAIN):
        run = SessionRun(hook, _fresh(folder))
        chain = short[begin : begin + CHAIN]
        handed = [run.run(session) for session in chain]
        for place, session in enumerate(chain):
            _count(figures, session, handed[place], is_listed=is_listed)
            _count_labels(
                figures, session, handed[place], [each for later in handed[place + 1 : place + 2] for each in later]
            )
        figures.note_starts(run)
    return figures


def cut(session: CaptureSession) -> Iterator[CaptureSession]:
    """Short sessions of two prompts each, with the labels of these."""
    turns = [number for number, turn in enumerate(session.turns) if turn.prompt]
    for begin in range(0, len(turns), 2):
        kept = turns[begin : begin + 2]
        labels = tuple(replace(label, turn=kept.index(label.turn)) for label in session.labels if label.turn in kept)
        parts = tuple(session.turns[number] for number in kept)
        yield replace(session, id=f"{session.id}-{begin}", host="claude-code", turns=parts, labels=labels, continues="")


def _measure_real(histories: list[Path], hook: Hook, folder: Path, is_listed: bool) -> Figures:
    figures = Figures()
    run = SessionRun(hook, _fresh(folder))
    for session in read_histories(histories):
        run.events = run.starts = 0
        _count(figures, session, run.run(session), is_listed=is_listed)
        figures.note_starts(run)
    return figures


def _fresh(folder: Path) -> Path:
    """Empty a folder, so that the next session has a new project and a new user; returns the folder."""
    for entry in folder.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    (folder / "data").mkdir()
    return folder


def _environment(folder: Path) -> dict[str, str]:
    return {"CUECARD_HOME": str(folder / "data"), "HOME": str(folder), "CUECARD_LOG": str(folder / "data" / "own.log")}


def _native_hook(folder: Path) -> Hook:
    programs = folder.with_name(f"{folder.name}-programs")
    programs.mkdir()
    program = Path(shutil.copy2(Path(sys.executable).parent / "cuecard-hook", programs))
    # The executable starts the interpreter beside it. This one counts its starts.
    interpreter = programs / "python3"
    interpreter.write_text(f'#!/bin/sh\nprintf x >> {folder / STARTS}\nexec {sys.executable} "$@"\n')
    interpreter.chmod(0o755)

    def call(event: str, host: str, payload: dict[str, Any], more: dict[str, str]) -> str:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        variables = {**_environment(folder), "PATH": path, **more}
        command = [str(program), event, "--host", host]
        done = subprocess.run(
            command, input=json.dumps(payload).encode(), env=variables, capture_output=True, check=True
        )
        return done.stdout.decode()

    return call


def _wait_for_quiet(folder: Path) -> None:
    """Wait until the process that completes a ledger in the background has ended."""
    while any(str(folder).encode() in _environment_of(process) for process in Path("/proc").glob("[0-9]*")):
        time.sleep(0.02)


def _environment_of(process: Path) -> bytes:
    try:
        return process.joinpath("environ").read_bytes() if process.name != str(os.getpid()) else b""
    except OSError:
        return b""


def _open_models(memory_dir: str, cwd: str | None, prompt: str, _transcript: str | None) -> PromptModels:
    return PromptModels(memory_dir, cwd, prompt, "hook")


def pure_hook(folder: Path) -> Hook:
    """The pure backend in this process, as the hook of a host."""
    # No agent writes more into these transcripts, so there is nothing to wait for.
    stop.PAUSES = ()

    def call(event: str, host: str, payload: dict[str, Any], more: dict[str, str]) -> str:
        for name in [name for name in os.environ if name.startswith(("CUECARD_", "CLAUDE"))]:
            del os.environ[name]
        os.environ.update(
            {**_environment(folder), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **more}
        )
        data, environment = json.dumps(payload).encode(), Environment()
        if event == "prompt":
            found = answer_prompt(data, host, environment, _open_models)
            keep(found, environment, "prompt")
            return ""
        if event == "session" and payload["hook_event_name"] == "PreCompact":
            note_session(str(Path(payload["cwd"], ".claude", "memory")), payload["session_id"], "prompts")
        decision = (decide_stop if event == "stop" else decide_event)(data, host, environment)
        if decision.file and (event == "session" or not decision.is_due):
            decision.file.write()
        if not decision.is_due:
            return ""
        if event == "session":
            note_event(data, host, environment)
            return ""
        with (folder / STARTS).open("ab") as file:
            file.write(b"x")
        return answer(data, host, environment, find_near).stdout.decode()

    return call


if __name__ == "__main__":
    sys.exit(main())
