"""Writes logs of events."""

import time
from pathlib import Path

from command_process import Ran, run
from cuecard._pure.prompt.event import STAGES, Event
from cuecard._pure.prompt.prompt_path import SHOWN
from cuecard.store.log.events import read_events
from scratch_home import kept_of
from small_project import MEMORIES, SampleMemory

NO_NETWORK, NATIVE_HOOK, TWINS, PLAIN_WORDS, RELEASE, _OLD = MEMORIES
PROMPT = "why is the hook a native executable?"


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


def ask(project: Path, *arguments: str, **variables: str) -> Ran:
    return run(project.parent, project, *arguments, **variables)


def ids(project: Path) -> list[str]:
    return [one.id for one in read_events(str(project / ".claude/memory")).events]
