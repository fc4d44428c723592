"""Decides whether a stop, a compaction or the end of a session has anything to do (SPEC 30.5)."""

import os
import time

from ...files.environment import Environment
from ...files.folder import Unread
from ...files.root import find_future_project, find_project
from ...files.user_folder import open_project_folder, open_store_folder
from ..host.host import read_object, shows_context
from ..host.session import session_file_name
from ..host.typed import LEAST_LEFT, left_of
from ..settings.capture_settings import capture_settings_of
from ..settings.settings_files import read_effective_settings
from ..settings.values import Values
from .session_file import LEDGERS, LEFT, SessionFile, open_session, reads_compression
from .transcript_place import find_transcript

# The endings of the file of a ledger: usually, and while another session asks its agent about it.
LEDGER_ENDINGS = (".jsonl", ".claimed")
COMPACTIONS, END, START = ("PreCompact", "PreCompress"), "SessionEnd", "SessionStart"
# Where a session comes from that is not a part of one that goes on.
NEW_SOURCES = ("startup", "resume")
# The modes in which an agent may not change anything.
READ_ONLY_MODES = ("plan", "readOnly", "read-only")
# The members of a stop that list what an agent has at work in the background.
AT_WORK = ("background_tasks", "session_crons")
MAX_LEFT_BYTES = 1 << 18


class Decision:
    """What is to be done at an event."""

    def __init__(self) -> None:
        """Begin with nothing to do."""
        self.memory_dir = ""
        self.is_due = False
        # Whether a session begins, also after a compaction.
        self.begins = False
        # The session's file, if this event has changed it.
        self.file: SessionFile | None = None
        self.notes: list[str] = []


class _Event:
    """The members of an event that the decision needs."""

    def __init__(self, payload: bytes, host: str, home: str) -> None:
        """Read the event in a payload. Members with a wrong type count as absent. Raises PayloadError."""
        event = read_object(payload)

        def text(name: str) -> str:
            value = event.get(name)
            return value if isinstance(value, str) and "\0" not in value else ""

        self.cwd = os.path.abspath(text("cwd") or ".")
        transcript = text("transcript_path")
        self.session = text("session_id") or os.path.splitext(os.path.basename(transcript))[0]
        # "" if the event names none, and the host keeps none in a known place.
        named = os.path.join(self.cwd, transcript) if transcript else ""
        self.transcript = named or find_transcript(host, self.session, home)
        self.name = text("hook_event_name")
        # Where a session that begins comes from.
        self.source = text("source")
        # Whether the agent may be asked now: it does not go on because of a hook, may change files, and has nothing
        # left at work in the background.
        is_at_work = any(isinstance(tasks, list) and tasks for tasks in (event.get(name) for name in AT_WORK))
        self.may_ask = text("permission_mode") not in READ_ONLY_MODES and not is_at_work
        self.may_ask = self.may_ask and event.get("stop_hook_active") is not True
        # Whether the event brings lines of a transcript that is no file, so that nobody can read them later.
        self.has_lines = isinstance(event.get("transcript_lines"), str)


def decide_stop(payload: bytes, host: str, environment: Environment) -> Decision:
    """Decide about a stop. Raises CuecardError."""
    event = _Event(payload, host, environment.home)
    decision = Decision()
    project = find_project(event.cwd, environment.root, environment.home)
    if project is None:
        decision.is_due = _is_first_wish(event, environment)
        return decision
    decision.memory_dir = project[1]
    files = read_effective_settings(project[1])
    decision.notes += files.notes()
    settings = capture_settings_of(files.settings)
    if settings.is_plugin:
        decision.is_due = True
        return decision
    if not event.transcript or environment.is_not_interactive or not settings.is_on:
        return decision
    file = open_session(project[1], event.session)
    if file is None:
        return decision
    typed = file.typed
    if typed is None:
        # No prompt of this session was noted: it is older than these facts, or only this hook is installed.
        decision.is_due = True
        return decision
    may_look = event.may_ask and not typed.has_looked
    # A host that sends no event after a compaction is asked for its transcript.
    is_read = event.may_ask and shows_context(host) and not typed.is_compacted
    is_found = is_read and reads_compression(event.transcript)
    typed.is_compacted = typed.is_compacted or is_found
    decision.is_due = (
        event.has_lines
        or typed.is_due(may_ask=event.may_ask, every=settings.every)
        or (not typed.is_read and _has_ledger(project[1], event.session))
        or (may_look and _is_enough_left(project[1], event.session))
    )
    typed.has_looked = typed.has_looked or may_look
    if event.transcript != typed.transcript or may_look or is_found:
        typed.host, typed.transcript = host, event.transcript
        decision.file = file
    return decision


def decide_event(payload: bytes, host: str, environment: Environment) -> Decision:
    """Note a compaction or the end of a session, and decide whether its ledger must be completed.

    At the start of a session, decide whether the memories of teams are to be pulled. Raises CuecardError.
    """
    event = _Event(payload, host, environment.home)
    decision = Decision()
    if event.name == START:
        started = find_project(event.cwd, environment.root, environment.home)
        if started:
            decision.memory_dir, decision.begins = started[1], True
            is_new = event.source in NEW_SOURCES and not environment.is_not_interactive
            decision.is_due = is_new and _pulls_at_start(started[1])
        return decision
    is_end = event.name == END
    project = (
        find_project(event.cwd, environment.root, environment.home) if is_end or event.name in COMPACTIONS else None
    )
    if project is None:
        return decision
    decision.memory_dir = project[1]
    settings = capture_settings_of(read_effective_settings(project[1]).settings)
    if not settings.is_on or environment.is_not_interactive:
        return decision
    file = open_session(project[1], event.session)
    if file is None:
        return decision
    typed = file.typed
    has_ledger = _has_ledger(project[1], event.session)
    if typed is None:
        decision.is_due = has_ledger or event.transcript != ""
        return decision
    # Some hosts tell of one end several times.
    is_repeated = is_end and typed.has_ended
    decision.is_due = not is_repeated and (typed.open > 0 or has_ledger)
    if event.transcript not in ("", typed.transcript):
        typed.host, typed.transcript = host, event.transcript
        decision.file = file
    if is_end and decision.is_due:
        file.note_end()
        decision.file = file
    return decision


def _pulls_at_start(memory_dir: str) -> bool:
    """Whether the user wants the memories of teams pulled at the start of a session (docs/reference/sync.md)."""
    return Values(read_effective_settings(memory_dir).settings.members, []).switch("sync.at_session_start")


def note_first_wish(cwd: str, environment: Environment, session_id: str) -> SessionFile | None:
    """The file of a session in a folder without memories, where nothing but a wish for a first one is kept.

    None if no memories can be created there.
    """
    folder = find_future_project(os.path.abspath(cwd or "."), environment.root, environment.home)
    if folder[0] in (environment.home, os.path.dirname(folder[0])):
        return None
    return open_session(folder[1], session_id)


def _is_first_wish(event: _Event, environment: Environment) -> bool:
    if not event.may_ask or not event.transcript or environment.is_not_interactive:
        return False
    file = note_first_wish(event.cwd, environment, event.session)
    return file is not None and file.typed is not None and file.typed.is_wish


def _has_ledger(memory_dir: str, session: str) -> bool:
    folder = open_store_folder(memory_dir, LEDGERS)
    if folder is None or session_file_name(session) is None:
        return False
    with folder:
        return any(folder.kind(session + ending) for ending in LEDGER_ENDINGS)


def _is_enough_left(memory_dir: str, session: str) -> bool:
    """Whether earlier sessions may have left enough to ask about.

    True as well if the file is missing beside ledgers, or damaged.
    """
    folder = open_project_folder(memory_dir)
    if folder is None:
        return False
    with folder:
        if not folder.kind(LEFT):
            return bool(folder.kind(LEDGERS))
        try:
            text = folder.read(LEFT, MAX_LEFT_BYTES)[0].decode()
        except (Unread, UnicodeDecodeError):
            return True
    return left_of(text, session, int(time.time())) >= LEAST_LEFT
