"""Keeps the signs that an agent has used what its session was shown (docs/reference/verdicts.md, "Signs of use")."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ..._backend import concrete_anchors, engine, texts_of_memory
from ...errors import CuecardError
from ...files.trust_levels import UNREVIEWED
from ...store.log.events import LoggedEvent, LoggedMemory, read_events
from ...store.log.learning import UNSEEN, USED
from ...store.log.verdict_log import Verdict, say_all
from ...store.records.memory import Memory
from ...store.scopes.shown_memory import read_shown
from ...store.trust.agent_view import levels_of_files
from .ledger_lines import Ledger
from .signs_of_use import STRENGTHS, Act, ShownText, find_signs
from .stop_event import StopEvent
from .transcript_lines import NewLines, read_new_lines
from .transcripts.read_record import read_record
from .transcripts.record import ENDED, PROMPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.root import Project

# Signs are looked for of at most this many of the memories that a session was shown last.
MAX_SHOWN = 64
WITHHELD_AT_RANDOM = "holdout"

_Logged = tuple[LoggedEvent, LoggedMemory]


def note_signs(memory_dir: str, event: StopEvent, lines: NewLines, acts: Sequence[Act]) -> None:
    """Keep the signs of use in the new lines of a session's transcript. Raises CuecardError, OSError."""
    logged = what_was_logged(memory_dir, event.session) if acts else {}
    if not logged:
        return
    project = str(Path(memory_dir).parents[1]), memory_dir
    shown: dict[ShownText, tuple[_Logged, Memory]] = {}
    for found in logged.values():
        memory = _read(project, found[1])
        if memory:
            shown[_shown(found, memory)] = found, memory
    folders = os.path.realpath(project[0]), os.path.realpath(event.cwd or project[0])
    signs = find_signs(list(shown), acts, folders, _reader_of_before(event, lines))
    say_all(memory_dir, [_verdict(*shown[one], sign) for one, sign in signs])


def what_was_logged(memory_dir: str, session: str) -> dict[tuple[str, str], _Logged]:
    """What a session was shown, or would have been shown without the random choice: each memory when it was first.

    A memory that was withheld at random counts as shown from the moment when it was shown after all.
    """
    first: dict[tuple[str, str], _Logged] = {}
    for event in read_events(memory_dir, session).events:
        if not event.is_decision or event.session != session:
            continue
        for memory in event.memories:
            before = first.get((memory.scope, memory.path))
            is_first = memory.is_shown or (before is None and memory.outcome == WITHHELD_AT_RANDOM)
            if is_first and not (before and before[1].is_shown):
                first[memory.scope, memory.path] = event, memory
    return dict(list(first.items())[-MAX_SHOWN:])


def _read(project: "Project", logged: LoggedMemory) -> Memory | None:
    """The memory's file; None if it is gone, or if nobody vouches for it.

    A stranger could otherwise choose anchors that any work touches.
    """
    try:
        memory = read_shown(project, logged.scope, logged.category.lower(), logged.path)
    except CuecardError:
        return None
    return memory if levels_of_files(project[1], [memory.data]) != [UNREVIEWED] else None


def _shown(logged: _Logged, memory: Memory) -> ShownText:
    event, _memory = logged
    return ShownText(
        id=memory.id,
        path=memory.path,
        title=memory.title,
        text="\n".join(texts_of_memory(memory.data, memory.id)),
        anchors=tuple(concrete_anchors(memory.data)),
        seconds=event.seconds,
        is_for_file=event.is_of_file_or_act,
        is_for_failure=event.kind == "need" and not event.is_of_file_or_act,
    )


def _verdict(logged: _Logged, memory: Memory, sign: str) -> Verdict:
    event, as_logged = logged
    return Verdict(
        id="",
        at="",
        kind=USED if as_logged.is_shown else UNSEEN,
        path=memory.path,
        trust_hash=engine.trust_hash(memory.data) or "",
        session=event.session or "",
        prompt=event.prompt_hash,
        setting=event.setting or "",
        strength=STRENGTHS[sign],
        sign=sign,
        scope=as_logged.scope,
    )


def _reader_of_before(event: StopEvent, lines: NewLines) -> Callable[[], list[str] | None]:
    """A function that returns what was typed and read before the new lines; None if the transcript is not kept."""

    def read() -> list[str] | None:
        if lines.start == lines.base:
            return []
        if event.lines is not None:
            return None
        whole = read_new_lines(event.transcript, event.transcript_name, Ledger())
        earlier = [line for at, line in whole.lines if at + lines.base < lines.start]
        return [item.text for line in earlier for item in read_record(line) if item.kind in (PROMPT, ENDED)]

    return read
