"""Writes the outcomes of a commit to the capture log."""

from collections.abc import Sequence

from ..store.log.capture_event import ANSWER, DRAFT, REFUSAL, CaptureEvent, note_capture
from .commit_outcome import ADDRESSING, PERSONAL, Outcome


def note_outcomes(memory_dir: str, session: str, outcomes: Sequence[Outcome], *, is_answer: bool = False) -> None:
    """Log the outcome of each draft. `is_answer` says that the agent was asked for these drafts; this is logged too."""
    events = []
    if is_answer:
        is_nothing = all(outcome.action == "noop" for outcome in outcomes)
        events.append(CaptureEvent(ANSWER, "nothing" if is_nothing else "drafts", session))
    for outcome in outcomes:
        why = outcome.error.what if outcome.error else outcome.why
        is_refused = outcome.status == "refused"
        reason = {PERSONAL: "personal data", ADDRESSING: "withheld"}.get(outcome.refused_for, "vague")
        kind, what = (REFUSAL, reason) if is_refused else (DRAFT, outcome.status)
        events.append(CaptureEvent(kind, what, session, outcome.category, outcome.title, why))
    note_capture(memory_dir, events)
