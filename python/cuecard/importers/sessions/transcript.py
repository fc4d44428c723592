"""Reads transcripts of Claude Code and Codex: the project of each session, and the memories in it.

Rules: docs/reference/import.md, "Transcripts".
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...capture.triage.conversation import read_conversation
from ...capture.triage.transcript_record import MAX_LINE_BYTES, read_object
from ...capture.triage.triage_patterns import CURRENT
from ...capture.triage.triage_settings import TriageSettings, read_triage_settings
from ...files.environment import Environment
from ...files.root import find_project, find_repository
from ..draft import ImportedDraft
from .host_summary import draft_of_summary
from .session_sentences import find_drafts

SUFFIX = ".jsonl"
# If a transcript names the session's folder, it does so in one of this many first lines.
MAX_HEAD_LINES = 200
MAX_HEAD_BYTES = 2 * MAX_LINE_BYTES
# Apart from this number, the limits of triage apply (docs/reference/triage.md, "Conversation").
_ALL_MESSAGES = 1 << 30
_CODEX_TYPES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}(?:T[\d:.]{5,12}Z?)?")


@dataclass(frozen=True)
class Head:
    """The facts from the first lines of a transcript."""

    cwd: str
    """The folder where the session began; "" if the transcript does not name it."""
    date: str
    """The time when the session began, as the host writes it."""


@dataclass(frozen=True)
class Session:
    """A transcript that was read."""

    name: str
    """The file name of the transcript; hosts name it after the session."""
    date: str
    drafts: list[ImportedDraft]


@dataclass
class Sessions:
    """The transcripts of a source, in three lists: with memories, of other projects, and without memories."""

    root: str
    """The folder of the project to which sessions must belong."""
    read: list[Session] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    """The files of sessions in other projects."""
    empty: list[str] = field(default_factory=list)
    """The files of sessions without a memory."""
    _settings: TriageSettings | None = None
    _is_ours: dict[str, bool] = field(default_factory=dict)

    def add(self, path: Path) -> str:
        """Read a file. Returns the reason if it cannot be read, for example that it is not a transcript; else ""."""
        try:
            head = read_head(path) if path.is_file() else None
            if head is None:
                return "is no transcript of Claude Code or Codex"
            if not head.cwd:
                return "does not say in which project its session ran"
            if self._belongs(head.cwd):
                self._read(path, head)
            else:
                self.foreign.append(path.name)
        except OSError as error:
            return f"cannot be read: {error.strerror or error}"
        return ""

    def newest_first(self) -> list[Session]:
        """The sessions with drafts, the newest first, since only a limited number of session summaries is imported."""
        by_name = sorted(self.read, key=lambda session: session.name)
        return sorted(by_name, key=lambda session: session.date, reverse=True)

    def _read(self, path: Path, head: Head) -> None:
        # The patterns of `current` only fit lines that are read by the rules of `current`.
        self._settings = self._settings or read_triage_settings(str(Path(self.root, ".claude", "memory")), CURRENT.name)
        conversation = read_conversation(str(path), _ALL_MESSAGES)
        drafts = find_drafts(conversation, self._settings, path.name, head.date)
        summary = draft_of_summary(conversation.summary, path.name, head.date)
        if summary and "session_summary" not in self._settings.left_out:
            drafts.append(summary)
        if drafts:
            self.read.append(Session(path.name, head.date, drafts))
        else:
            self.empty.append(path.name)

    def _belongs(self, cwd: str) -> bool:
        if cwd not in self._is_ours:
            try:
                self._is_ours[cwd] = is_in_project(cwd, self.root)
            except (OSError, RuntimeError, ValueError):
                # The path is invalid on this system, or a loop of links.
                self._is_ours[cwd] = False
        return self._is_ours[cwd]


def is_in_project(cwd: str, root: str) -> bool:
    """Whether a session that began at `cwd` belongs to the project at `root`.

    Rules: docs/reference/triage.md, "Event".

    Raises OSError, RuntimeError and ValueError for an invalid path.
    """
    if not Path(cwd).is_absolute():
        return False
    project = find_project(cwd, "", Environment().home)
    folder = Path(project[0] if project else find_repository(cwd)).resolve()
    ours = Path(root).resolve()
    # A folder below the project belongs to the project, unless it has its own memories or its own repository.
    is_unclaimed = not project and not (folder / ".git").exists()
    return folder == ours or (is_unclaimed and ours in folder.parents)


def read_head(path: Path) -> Head | None:
    """The facts from the first lines of a file; None if it is not a transcript. Raises OSError."""
    cwd = date = ""
    is_transcript = False
    left = MAX_HEAD_BYTES
    with path.open("rb") as stream:
        for _number in range(MAX_HEAD_LINES):
            line = stream.readline(min(left, MAX_LINE_BYTES))
            left -= len(line)
            if not line or left <= 0:
                break
            entry = read_object(line)
            if entry is None or not _is_of_a_host(entry):
                continue
            is_transcript = True
            date = date or _time_of(entry)
            cwd = cwd or _cwd_of(entry)
            if cwd and date:
                break
    return Head(cwd, date) if is_transcript else None


def _is_of_a_host(entry: dict[str, Any]) -> bool:
    if entry.get("type") in _CODEX_TYPES:
        return isinstance(entry.get("payload"), dict)
    return isinstance(entry.get("type"), str) and isinstance(entry.get("sessionId"), str)


def _cwd_of(entry: dict[str, Any]) -> str:
    holder = entry.get("payload") if entry.get("type") in _CODEX_TYPES else entry
    cwd = holder.get("cwd") if isinstance(holder, dict) else None
    return cwd if isinstance(cwd, str) and "\0" not in cwd else ""


def _time_of(entry: dict[str, Any]) -> str:
    time = entry.get("timestamp")
    return time if isinstance(time, str) and _TIME.fullmatch(time) else ""
