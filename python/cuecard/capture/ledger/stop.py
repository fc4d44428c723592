"""Handles the end of an agent's turn: extends the ledger, and may ask the agent for memories.

Rules: docs/reference/ledger.md.

Before a compaction, and when a session ends, only the ledger is extended.
"""

import json
import os
import shlex
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ..._backend import (
    IDLE_SECONDS,
    CaptureSettings,
    find_transcript,
    open_session,
    session_file_name,
    tell_left,
)
from ...basics.host_table import STOP_ANSWERS
from ...basics.timestamp import utc_stamp
from ...errors import CuecardError
from ...files.environment import Environment
from ...files.root import Project, find_future_project, find_project
from ...files.user_folder import open_project_folder
from ...store.scopes.moved_project import note_remote
from ..capture_settings import read_capture_settings
from ..program import find_word
from ..staging import Staging
from ..work_store import store_of_work, why_no_own_store
from .claims import Earlier, claim, count_left, find_earlier, settle
from .entries import Batch, NewEntries, read_batch
from .entry_text import SessionEntries, render_whole
from .facts import Facts, note_read, read_facts, settle_facts
from .ledger_file import LedgerFile
from .ledger_lines import GIVEN_BACK, Ask, Ledger, ask_line, is_substantial_prompt, own_words_of, write_line
from .moments import COMPACTION, EARLIER, WORD, Moment, decide, next_look, wants_summary
from .note_signs import note_signs
from .redaction import redact_text
from .request import CaptureRequest
from .staged import WHOLE, Staged
from .stop_event import StopEvent, read_stop_event
from .substance import says_nothing_to_save
from .transcript_lines import NewLines, read_new_lines, take_new_lines
from .typed_lists import read_typed, was_typed
from .unread_sessions import find_unread
from .weights import speaks_of_user

# The pauses in seconds before the transcript is read again while it lacks the agent's last message.
PAUSES: tuple[float, ...] = (0.02, 0.04, 0.08, 0.16)
# Related memories are searched for with this many of the last prompts, and this many characters of each.
MAX_QUERIES, MAX_QUERY_CHARS = 12, 1000
# The length of a day at the beginning of a time.
DAY_CHARS = 10
FindNear = Callable[[Project, Sequence[str], list[str]], str]
COMPACTIONS, ENDS, STOP = ("PreCompact", "PreCompress"), ("SessionEnd",), "Stop"


@dataclass
class StopAnswer:
    """The text to print, and the notes for the log."""

    stdout: bytes = b""
    memory_dir: str = ""
    notes: list[str] = field(default_factory=list)
    is_plugin: bool = False
    """Whether the caller has to answer by the rules of the claude-memory plugin."""


def answer(payload: bytes, host: str, environment: Environment, find_near: FindNear) -> StopAnswer:
    """Answer a stop event. The answer usually has no text to print.

    `find_near` finds the memories of a project that prompts need, as a block.
    """
    verdict = StopAnswer()
    try:
        reason = _run(payload, host, environment, find_near, verdict)
    except CuecardError as error:
        verdict.notes.append(error.what)
    except OSError as error:
        verdict.notes.append(f"the ledger cannot be written: {error.strerror or error}")
    else:
        if reason:
            form = STOP_ANSWERS.get(host) or next(iter(STOP_ANSWERS.values()))
            verdict.stdout = form.replace("REASON", json.dumps(reason, ensure_ascii=False)).encode() + b"\n"
    return verdict


def note_event(payload: bytes, host: str, environment: Environment) -> None:
    """Extend the ledger of a session before a compaction and at its end. Raises CuecardError, OSError."""
    event = _read_event(payload, host, environment)
    if event.name not in COMPACTIONS + ENDS:
        return
    project = find_project(os.path.abspath(event.cwd or "."), environment.root, environment.home)
    if project is None or session_file_name(event.session) is None or environment.is_not_interactive:
        return
    if not read_capture_settings(project[1], []).is_on:
        return
    if not event.transcript:
        # Copilot CLI names no transcript at the end of a session.
        noted = open_session(project[1], event.session)
        if noted and noted.typed and noted.typed.transcript:
            event = replace(event, transcript=noted.typed.transcript)
    _complete(project[1], event, host)
    if event.name in ENDS:
        note_read(project[1], event.session)


def _complete(memory_dir: str, event: StopEvent, host: str) -> None:
    """Extend the ledger of a session, and record its end if the event is one. Raises OSError, CuecardError."""
    if not was_typed(event):
        return
    file = LedgerFile(memory_dir, event.session)
    if not event.transcript:
        if event.name in ENDS and not file.is_new and not file.ledger.is_ended:
            file.append(write_line("end", utc_stamp(), {}))
        return
    new = _read_new(event, host, file.ledger)
    if new is not None:
        lines, found = new
        if not _is_watched(found, host, file):
            return
        _append_part(file, event, host, lines, found, is_stop=False)
        _note_signs(memory_dir, event, lines, found)
    if event.name in ENDS and not file.is_new and not file.ledger.is_ended:
        file.append(write_line("end", utc_stamp(), {}))
    tell_left(memory_dir, event.session, count_left(file.ledger), has_ended=event.name in ENDS)


def _complete_unread(memory_dir: str, session: str, notes: list[str]) -> None:
    """Read the transcripts of earlier sessions that broke off, so that what was typed there is in their ledgers."""
    for unread in find_unread(memory_dir, session):
        event = StopEvent("", unread.session, unread.transcript, False, False, "", ENDS[0])
        try:
            _complete(memory_dir, replace(event, typed=read_typed(event, unread.host)), unread.host)
        except (CuecardError, OSError) as error:
            notes.append(f"the transcript of an earlier session cannot be read: {error}")
        note_read(memory_dir, unread.session)


def _is_known(event: StopEvent) -> bool:
    return session_file_name(event.session) is not None and event.transcript != ""


def _read_event(payload: bytes, host: str, environment: Environment) -> StopEvent:
    event = read_stop_event(payload)
    if not event.transcript:
        event = replace(event, transcript=find_transcript(host, event.session, environment.home))
    return replace(event, typed=read_typed(event, host))


def _is_watched(found: NewEntries, host: str, file: LedgerFile) -> bool:
    """Whether a user may read what the agent answers, according to the transcript.

    A transcript of Copilot CLI must say this explicitly before its session gets a ledger.
    """
    is_unknown = host == "copilot" and file.is_new and not found.is_audience_known
    return not found.is_not_interactive and not is_unknown


def _run(payload: bytes, host: str, environment: Environment, find_near: FindNear, verdict: StopAnswer) -> str:
    event = _read_event(payload, host, environment)
    cwd = os.path.abspath(event.cwd or ".")
    project = find_project(cwd, environment.root, environment.home)
    future = project or find_future_project(cwd, environment.root, environment.home)
    verdict.memory_dir = project[1] if project else ""
    settings = read_capture_settings(future[1], verdict.notes)
    if settings.is_plugin:
        verdict.is_plugin = True
        return ""
    if not (settings.is_on and _is_known(event)) or environment.is_not_interactive:
        return ""
    if project is None and future[0] in (environment.home, os.path.dirname(future[0])):
        return ""
    stop = _Stop(event, host, project, future[1], settings, find_near)
    facts = None
    noted = read_facts(future[1], event.session)
    try:
        reason = stop.run(verdict.notes) if was_typed(event) else ""
        facts = stop.facts(is_asked=reason != "")
    finally:
        if noted:
            settle_facts(future[1], event.session, noted, facts)
    if project:
        verdict.notes += _note_remote(project)
    return reason


def _note_remote(project: Project) -> list[str]:
    """Record the remote of a project; returns why that failed, if it did."""
    try:
        note_remote(project)
    except OSError as error:
        return [f"the remote of the repository cannot be recorded: {error.strerror or error}"]
    return []


def _read_new(event: StopEvent, host: str, ledger: Ledger) -> tuple[NewLines, NewEntries] | None:
    """The new lines of a session's transcript, and their entries; None if there is no transcript.

    Some hosts write the transcript while they call the hook. So if the agent's last message is missing, the transcript
    is read again for up to 0.3 seconds. Copilot CLI does not report the agent's last message; there, the lines must end
    with the call of the hooks.
    """
    is_unreported = host == "copilot" and event.name == STOP
    new = _read_once(event, ledger)
    for seconds in PAUSES:
        # The file of Copilot CLI does not exist yet at the first stop of a session.
        is_behind = (new[1].is_behind or (is_unreported and not new[1].is_at_stop)) if new else is_unreported
        if not is_behind:
            break
        time.sleep(seconds)
        new = _read_once(event, ledger)
    return new


def _read_once(event: StopEvent, ledger: Ledger) -> tuple[NewLines, NewEntries] | None:
    try:
        if event.lines is not None:
            lines = take_new_lines(event.lines, event.start, event.transcript_name, ledger)
        else:
            lines = read_new_lines(event.transcript, event.transcript_name, ledger)
    except FileNotFoundError:
        return None
    batch = Batch(
        ledger, event.session, lines.lines, lines.end, redact_text, event.last_said, lines.is_restart, event.typed
    )
    return lines, read_batch(batch)


def _append_part(
    file: LedgerFile, event: StopEvent, host: str, lines: NewLines, found: NewEntries, *, is_stop: bool
) -> None:
    """Append the new entries and the new position to the ledger. Nothing is written if there are no new lines."""
    if not lines.lines and not found.entries:
        return
    part = {"host": host, "transcript": event.transcript_name, **lines.place, "is_stop": is_stop}
    folders = [os.path.join(event.cwd, folder) for folder in found.edited]
    edited = {"edited": folders} if folders else {}
    file.append(write_line("part", _time_of(event), {**part, **edited, "entries": found.entries}))


def _note_signs(memory_dir: str, event: StopEvent, lines: NewLines, found: NewEntries) -> list[str]:
    """Keep the signs of use in the new lines; returns why that failed, if it did."""
    try:
        note_signs(memory_dir, event, lines, found.acts)
    except (CuecardError, OSError) as error:
        return [f"signs of use cannot be kept: {error}"]
    return []


def _time_of(event: StopEvent) -> str:
    """When the new entries were written: now, or when the transcript of a session that broke off was written last."""
    with suppress(OSError):
        modified = os.stat(event.transcript).st_mtime
        if event.lines is None and modified < time.time() - IDLE_SECONDS:
            return utc_stamp(modified)
    return utc_stamp()


class _Stop:
    def __init__(
        self,
        event: StopEvent,
        host: str,
        project: Project | None,
        memory_dir: str,
        settings: CaptureSettings,
        find_near: FindNear,
    ) -> None:
        self._event = event
        self._host = host
        # None if the project has no memories yet.
        self._project = project
        self._memory_dir = memory_dir
        # The project whose store gets the memories.
        self._work = project
        self._settings = settings
        self._find_near = find_near
        # The command to which the agent sends the drafts.
        self._program = ""
        # The session's ledger after the stop; None if it was not read.
        self._ledger: Ledger | None = None
        # What earlier sessions have left that the agent was not asked about.
        self._left: list[Ledger] = []

    def facts(self, *, is_asked: bool) -> Facts:
        """What the session's file keeps of the ledger, so that the next stop knows whether anything is due.

        `is_asked` says whether the agent is asked at this stop, so that the next one has its answer. The next one must
        also look where enough waits and this agent was not asked.
        """
        ledger, session = self._ledger, self._event.session
        if ledger is None:
            return Facts()
        moment = Moment(ledger, session, ledger.position, self._left, self._settings.every)
        entries = moment.own
        return Facts(
            count=sum(map(is_substantial_prompt, entries)),
            due_at=next_look(moment),
            left=count_left(ledger),
            is_asked=is_asked or moment.has_waiting,
            is_compacted=any(entry["k"] == "compaction" for entry in entries),
        )

    def run(self, notes: list[str]) -> str:
        event = self._event
        file = LedgerFile(self._memory_dir, event.session)
        try:
            return self._run(file, notes)
        finally:
            # Without memories, a ledger says only that the user has asked for them.
            self._ledger = file.ledger if self._project else None

    def _run(self, file: LedgerFile, notes: list[str]) -> str:
        event = self._event
        if self._project is None and not file.is_new:
            # The user has asked for a first memory before, and no memory was made: do not ask the agent again.
            return ""
        new = _read_new(event, self._host, file.ledger)
        if new is None or not _is_watched(new[1], self._host, file):
            return ""
        lines, found = new
        today = utc_stamp()[:DAY_CHARS]
        entries = [{**entry, "day": today} for entry in found.entries]
        ledger = file.ledger.with_new(entries, lines.end, lines.base)
        may_ask = self._may_ask(found)
        earlier = []
        if may_ask and self._project:
            if not ledger.has_looked:
                _complete_unread(self._memory_dir, event.session, notes)
            earlier = find_earlier(self._memory_dir, event.session)
        ledgers = [each.ledger for each in earlier]
        moment = Moment(ledger, event.session, lines.start, ledgers, self._settings.every)
        cause = decide(moment) if may_ask else ""
        self._left = [] if cause else ledgers
        if cause:
            self._program = find_word(self._host)
            may_ask = self._program != ""
            cause = cause if may_ask else ""
        if self._project is None and cause != WORD:
            return ""
        has_looked = may_ask and cause not in (WORD, COMPACTION)
        _append_part(file, event, self._host, lines, found, is_stop=has_looked)
        notes += _note_signs(self._memory_dir, event, lines, found)
        self._note_answer(file, event.last_said or found.last_said)
        return self._ask(cause, moment, file, earlier, notes) if cause else ""

    def _may_ask(self, found: NewEntries) -> bool:
        """Whether an agent may be asked at this stop."""
        event = self._event
        if event.is_continued or event.is_planning or found.is_read_only or not find_word(self._host, is_tried=False):
            return False
        if self._project is None:
            # The first memory is made only if the user asks for it; `run` checks that.
            return True
        if not os.access(self._memory_dir, os.W_OK):
            return False
        folder = open_project_folder(self._memory_dir, make=True)
        if folder is None:
            return False
        with folder:
            return os.access(folder.path, os.W_OK)

    def _note_answer(self, file: LedgerFile, last_said: str) -> None:
        """Complete the open requests if the agent says that nothing is worth saving; else give claimed ledgers back."""
        says_nothing = says_nothing_to_save(last_said)
        for ask in file.ledger.pending(self._event.session):
            if says_nothing:
                settle(self._memory_dir, ask.id, "nothing")
                Staging(self._memory_dir, self._event.session).clear()
                file.read_again()
            else:
                settle(self._memory_dir, ask.id, "")
                if ask.cause == EARLIER:
                    file.append(write_line("done", utc_stamp(), {"id": ask.id, "how": GIVEN_BACK}))

    def _ask(self, cause: str, moment: Moment, file: LedgerFile, earlier: list[Earlier], notes: list[str]) -> str:
        """Claim the entries and return the request to the agent; "" if another process claimed the entries first."""
        ask = Ask(os.urandom(8).hex(), cause, self._event.session, 0, 0)
        parts: list[tuple[str, Ask]] = []
        sessions: list[SessionEntries] = []
        edited: list[str] = []
        if cause != EARLIER:
            ask = replace(ask, start=moment.ledger.asked(moment.session), end=moment.ledger.position)
            file.append(ask_line(ask, utc_stamp()))
            file.read_again()
            if not any(counted.id == ask.id for counted in file.ledger.asks):
                return ""
            parts.append((self._event.session, ask))
            edited += file.ledger.edited_since(ask.start)
        for each in earlier if cause != WORD else ():
            left = each.ledger.left_entries()
            part = replace(ask, start=left[0]["at"] if left else 0, end=each.ledger.position)
            if claim(self._memory_dir, each.session, part):
                parts.append((each.session, part))
                edited += each.ledger.edited_since(part.start)
                sessions.append(SessionEntries(each.session, left))
        if not parts:
            return ""
        if cause == EARLIER:
            file.append(ask_line(ask, utc_stamp()))
        else:
            sessions.append(SessionEntries(moment.session, moment.ledger.open_entries(moment.session)))
        if self._project:
            self._work = store_of_work(self._project, self._event.cwd or ".", edited)
        return self._hand_over(cause, parts, sessions, moment, notes)

    def _offers_own_store(self, sessions: list[SessionEntries]) -> bool:
        """Whether the user has said what holds in all projects, and the user's own store counts here."""
        is_said = any(speaks_of_user(entry) for each in sessions for entry in each.entries)
        return is_said and self._project is not None and not why_no_own_store(self._project)

    def _hand_over(
        self,
        cause: str,
        parts: list[tuple[str, Ask]],
        sessions: list[SessionEntries],
        moment: Moment,
        notes: list[str],
    ) -> str:
        staging = Staging(self._memory_dir, self._event.session)
        first = parts[0][1]
        start, end = (max(0, position - moment.ledger.base) for position in (first.start, first.end))
        whole = render_whole(sessions)
        root = self._work[0] if self._work and self._work != self._project else ""
        Staged(self._event.session, self._event.transcript, start, end, utc_stamp(), parts, whole, root).write(staging)
        prompts = [entry for each in sessions for entry in each.entries if is_substantial_prompt(entry)]
        said = [own_words_of(entry)[:MAX_QUERY_CHARS] for entry in prompts[-MAX_QUERIES:]]
        request = CaptureRequest(
            cause,
            sessions,
            whole=str(staging.path / WHOLE),
            program=self._program,
            folder=shlex.quote(str(staging.path)),
            near=self._find_near(self._work, said, notes) if self._work else "",
            wants_summary=wants_summary(cause, moment),
            is_new_store=self._project is None,
            offers_own_store=self._offers_own_store(sessions),
        )
        return request.to_text()
