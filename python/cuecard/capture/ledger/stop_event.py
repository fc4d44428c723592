"""Reads the event that a host sends at the end of a turn, before a compaction, and at the end of a session."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ..._backend import read_event as read_object
from .transcripts.record import text_of

# The modes in which an agent may not change anything.
READ_ONLY_MODES = ("plan", "readOnly", "read-only")
# The members of a stop that list what an agent has at work in the background.
AT_WORK = ("background_tasks", "session_crons")


@dataclass(frozen=True)
class StopEvent:
    """An event at which the ledger is extended."""

    cwd: str
    session: str
    transcript: str
    """The path of the file with the conversation; "" if the host names none."""
    is_continued: bool
    """Whether the agent went on because a hook had kept it from stopping."""
    is_planning: bool
    """Whether the agent is in a read-only mode, such as planning, or has work in the background."""
    last_said: str
    name: str
    """The host's name of the event."""
    prompt: str = ""
    """What the user typed, if the host repeats it here."""
    typed: Sequence[str] | None = None
    """The prompts of the session that were typed in a terminal; None if the host keeps no list of them."""
    lines: str | None = None
    """New lines of the transcript, from a host that keeps no such file."""
    start: int = 0
    """The byte of the transcript where they begin."""

    @property
    def transcript_name(self) -> str:
        """The file name of the transcript."""
        return PurePath(self.transcript).name


def read_stop_event(payload: bytes) -> StopEvent:
    """Read an event from a payload. Members with a wrong type count as absent. Raises PayloadError."""
    event = read_object(payload)

    def text(*names: str) -> str:
        texts = [text_of(event, name) for name in names]
        return next((text for text in texts if text and "\0" not in text), "")

    cwd = text("cwd")
    transcript = text("transcript_path")
    # An agent with work in the background is not at rest.
    is_at_work = any(isinstance(tasks, list) and tasks for tasks in [event.get(name) for name in AT_WORK])
    lines, start = event.get("transcript_lines"), event.get("transcript_start")
    if not isinstance(lines, str) or not isinstance(start, int) or isinstance(start, bool):
        lines, start = None, 0
    transcript = transcript and os.path.join(os.path.abspath(cwd or "."), transcript)
    return StopEvent(
        cwd=cwd,
        session=text("session_id") or PurePath(transcript).stem,
        transcript=transcript,
        is_continued=event.get("stop_hook_active") is True,
        is_planning=text("permission_mode") in READ_ONLY_MODES or is_at_work,
        last_said=text("last_assistant_message", "prompt_response"),
        name=text("hook_event_name"),
        prompt=text("prompt"),
        lines=lines,
        start=max(0, start),
    )
