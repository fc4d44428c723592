"""Corrects the facts about typed prompts in the file of a session by what its ledger says (SPEC 30.5).

Failures to write are ignored: then a stop looks again.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..._backend import Typed, open_session, tell_left

if TYPE_CHECKING:
    from ..._backend import SessionFile


@dataclass(frozen=True)
class Facts:
    """What a stop has found in the ledger of a session."""

    # How many substantial prompts came since the agent was last asked. With fewer than `due_at` prompts a stop has
    # nothing to ask about.
    count: int = 0
    due_at: int = 0
    # How many prompts are unprocessed.
    left: int = 0
    # Whether an answer of the agent is awaited, and whether the conversation was compacted since the agent was last
    # asked.
    is_asked: bool = False
    is_compacted: bool = False


def read_facts(memory_dir: str, session_id: str) -> Typed | None:
    """The facts about typed prompts in the file of a session; None if it has none."""
    session = open_session(memory_dir, session_id)
    return session.typed if session else None


def settle_facts(memory_dir: str, session_id: str, before: Typed, found: Facts | None) -> None:
    """Replace the facts of a session by what its ledger says; `before` are the facts that led to reading it.

    Without `found` the ledger could not be read; no stop tries again until something new is typed. What was typed
    meanwhile counts as new.
    """
    session = open_session(memory_dir, session_id)
    typed = session.typed if session else None
    if session is None or typed is None:
        return
    newer = max(0, typed.open - before.open)
    typed.read = found.count if found else before.open
    typed.next = found.due_at if found else before.open + 1
    typed.open = typed.read + newer
    typed.is_wish = typed.is_wish and not before.is_wish
    typed.is_asked = found is not None and found.is_asked
    typed.is_compacted = found is not None and found.is_compacted
    typed.has_looked = typed.is_read = True
    if _write(session) and found:
        tell_left(memory_dir, session_id, found.left, has_ended=False)


def note_read(memory_dir: str, session_id: str) -> None:
    """Record that the transcript of a session that is over was read to its end."""
    session = open_session(memory_dir, session_id)
    if session and session.typed:
        session.typed.read = session.typed.open
        session.typed.has_ended = True
        _write(session)


def note_answered(memory_dir: str, session_id: str) -> None:
    """Record that the answer of a session's agent to a request is known, so that no stop looks for it."""
    session = open_session(memory_dir, session_id)
    if session and session.typed and session.typed.is_asked:
        session.typed.is_asked = False
        _write(session)


def _write(session: "SessionFile") -> bool:
    try:
        session.write()
    except OSError:
        return False
    return True
