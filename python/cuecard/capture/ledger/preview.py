"""Shows what the ledger of a session would contain and when its agent would be asked, from the transcript alone.

Nothing is written. A transcript does not say when the agent stopped. It is assumed that the agent stopped after a
message if a prompt, a compaction or the end of the transcript follows that message.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import BufferedReader
from pathlib import PurePath

from ...basics.json_reader import read_json_object
from ...errors import InputError
from .entries import Batch, NewEntries, read_batch
from .ledger_lines import (
    MAX_BYTES,
    Ask,
    Entry,
    Ledger,
    ask_line,
    is_substantial_prompt,
    read_ledger,
    shorten,
    write_line,
)
from .moments import COMPACTION, EARLIER, WORD, Moment, decide, wants_summary
from .redaction import redact_text
from .stop_event import READ_ONLY_MODES
from .transcript_lines import MAX_NEW_BYTES, NewLines, open_transcript
from .transcripts.read_record import read_record
from .transcripts.record import CALLED, COMPACTED, ENDED, INTERRUPTED, PROMPT, READ_ONLY, SAID, Item, text_of

# The events at which a part of the ledger is written.
AT_STOP, AT_COMPACTION, AT_END = "stop", "compaction", "end"


@dataclass(frozen=True)
class PreviewPart:
    """What one event would add to the ledger."""

    event: str
    """`stop`, `compaction` or `end`. `end` is the end of a transcript that does not end with an agent's message."""
    position: int
    """The position up to which the transcript is read at this event."""
    entries: list[Entry]
    cause: str = ""
    """Why the agent is asked; "" if it is not asked."""
    wants_summary: bool = False
    prompts: int = 0
    """The number of substantial prompts since the agent was last asked."""
    weight: int = 0
    """The weight of the entries since the agent was last asked."""
    is_read_only: bool = False
    """Whether the agent may not change anything, so that it is not asked."""


@dataclass
class SessionPreview:
    """The ledger that a session would have, and the events at which it would be written."""

    transcript: str
    parts: list[PreviewPart] = field(default_factory=list)
    data: bytes = b""
    """The lines of the ledger."""

    @property
    def session(self) -> str:
        """The name of the session: the name of the transcript's file without its ending."""
        return PurePath(self.transcript).stem

    @property
    def is_interactive(self) -> bool:
        """Whether a user could answer. A session that a program runs has no ledger."""
        return bool(self.parts)

    @property
    def ledger(self) -> Ledger:
        """The state that the lines of the ledger describe together."""
        return read_ledger(self.data)

    @property
    def stops(self) -> list[PreviewPart]:
        """The parts of the ledger that are written when the agent stops; only then can it be asked."""
        return [part for part in self.parts if part.event == AT_STOP]

    def append(self, line: bytes) -> None:
        """Append a line to the ledger's data, as it would be appended to the file."""
        is_full = len(self.data) + len(line) > MAX_BYTES
        self.data = (shorten(self.data) if is_full else self.data) + line

    def add_ask(self, ask: Ask) -> None:
        """Add a request to the agent, and its answer that nothing is worth keeping."""
        self.append(ask_line(ask, ""))
        self.append(write_line("done", "", {"id": ask.id, "how": "nothing"}))


def preview_sessions(transcripts: Sequence[str], every: int) -> list[SessionPreview]:
    """Preview the sessions of one project, in the order of `transcripts`.

    It is assumed that the agent always answers that nothing is worth keeping. `every` is the number of substantial
    prompts after which the agent is asked. Raises InputError for a file that is not a transcript.
    """
    previews: list[SessionPreview] = []
    for transcript in transcripts:
        previews.append(_Replay(transcript, previews, every).run())
    return previews


class _Replay:
    """Reads a transcript line by line, as if the session ran again."""

    def __init__(self, transcript: str, earlier: Sequence[SessionPreview], every: int) -> None:
        self._preview = SessionPreview(transcript)
        self._earlier = list(earlier)
        self._every = every
        self._new: list[tuple[int, bytes]] = []
        self._last = ""
        self._is_planning = False
        self._keys: set[str] = set()

    def run(self) -> SessionPreview:
        """Read the transcript to its end. Raises InputError."""
        preview, end = self._preview, 0
        is_understood = False
        for at, line in _read_lines(preview.transcript):
            items = read_record(line)
            is_understood = is_understood or any(item.kind in (PROMPT, SAID) for item in items)
            self._end_part(at, items)
            self._new.append((at, line))
            self._note(line, items)
            end = at + len(line) + 1
        if not is_understood:
            raise InputError(
                f"`{preview.transcript}` is not a transcript: no line of it has a message of a user or an agent",
                "name a JSONL file of Claude Code, Codex, Gemini CLI or Copilot CLI",
                field="TRANSCRIPT",
                expected="a transcript",
                found="other text",
            )
        self._add(AT_STOP if self._last == SAID else AT_END, end)
        preview.append(write_line("end", "", {}))
        return preview

    def _end_part(self, at: int, items: Sequence[Item]) -> None:
        """Write the lines read so far to the ledger if a compaction or the next turn begins with these items."""
        is_compacted = any(item.kind == COMPACTED for item in items)
        if self._last == SAID and (is_compacted or any(map(self._begins_turn, items))):
            self._add(AT_STOP, at)
        elif is_compacted and self._new and self._last != COMPACTED:
            self._add(AT_COMPACTION, at)

    def _begins_turn(self, item: Item) -> bool:
        """Whether an item belongs to the next turn. Codex writes its mode before the prompt, so a mode counts too."""
        return item.kind == READ_ONLY or (item.kind == PROMPT and not item.is_set and item.key not in self._keys)

    def _note(self, line: bytes, items: Sequence[Item]) -> None:
        """Remember the kind of the last item, the keys of prompts, and whether the agent is in a read-only mode."""
        for item in items:
            if item.kind in (PROMPT, SAID, CALLED, ENDED, INTERRUPTED, COMPACTED):
                self._last = item.kind
            if item.kind == PROMPT and item.key:
                self._keys.add(item.key)
        if b'"permissionMode"' in line:
            mode = _mode_of(line)
            self._is_planning = mode in READ_ONLY_MODES if mode else self._is_planning

    def _add(self, event: str, end: int) -> None:
        """Add the new entries to the ledger, and decide whether the agent is asked."""
        preview, ledger = self._preview, self._preview.ledger
        lines = NewLines(_youngest(self._new), 0, ledger.position, end, is_restart=False)
        found = read_batch(Batch(ledger, preview.session, lines.lines, end, redact_text))
        self._last = ""
        if found.is_not_interactive:
            # If a user resumes the session later, these lines go to the same ledger.
            return
        self._new = []
        earlier = [each.ledger for each in self._earlier]
        moment = Moment(ledger.with_new(found.entries, end, 0), preview.session, lines.start, earlier, self._every)
        is_read_only = self._is_planning or found.is_read_only is True
        may_ask = event == AT_STOP and not is_read_only
        cause = decide(moment) if may_ask else ""
        has_looked = may_ask and cause not in (WORD, COMPACTION)
        part = {"host": "", "transcript": preview.transcript, **lines.place, "is_stop": has_looked}
        preview.append(write_line("part", "", {**part, "entries": found.entries}))
        preview.parts.append(_part(event, moment, found, cause, is_read_only))
        if cause:
            self._ask(cause, moment)

    def _ask(self, cause: str, moment: Moment) -> None:
        """Add a request to the agent to this ledger and, if it is about earlier sessions, to their ledgers."""
        ask = Ask(f"ask-{len(self._preview.parts)}", cause, self._preview.session, 0, 0)
        for each in self._earlier if cause != WORD else ():
            each.add_ask(replace(ask, end=each.ledger.position))
        if cause != EARLIER:
            ask = replace(ask, start=moment.ledger.asked(moment.session), end=moment.ledger.position)
        self._preview.add_ask(ask)


def _part(event: str, moment: Moment, found: NewEntries, cause: str, is_read_only: bool) -> PreviewPart:
    entries = moment.own
    return PreviewPart(
        event,
        moment.ledger.position,
        found.entries,
        cause,
        bool(cause) and wants_summary(cause, moment),
        prompts=sum(map(is_substantial_prompt, entries)),
        weight=moment.weigh(entries),
        is_read_only=is_read_only,
    )


def _read_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The complete lines of a transcript, each with its byte offset. Raises InputError."""
    try:
        with open_transcript(path) as raw, BufferedReader(raw) as file:
            at = 0
            for line in file:
                if line.endswith(b"\n") and line != b"\n":
                    yield at, line[:-1]
                at += len(line)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"`{path}` cannot be read: {reason}",
            "name the file with a session's transcript",
            field="TRANSCRIPT",
            expected="a transcript",
            found=reason,
        ) from None


def _youngest(lines: Sequence[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """The last lines, up to the `MAX_NEW_BYTES` that the hook reads at once."""
    size, kept = 0, list[tuple[int, bytes]]()
    for at, line in reversed(lines):
        size += len(line) + 1
        if size > MAX_NEW_BYTES:
            break
        kept.append((at, line))
    return kept[::-1]


def _mode_of(line: bytes) -> str:
    """The permission mode that a line of Claude Code names; "" if it names none."""
    return text_of(read_json_object(line), "permissionMode")
