"""Writes to the event log what was sent to endpoints (docs/reference/models.md, "Counting")."""

import sys

from .._backend import SENT, Event, RecallSettings, append_event, read_effective_settings
from ..files.environment import Environment

WRITTEN = "cuecard.models.vectors.embed_written"


def log_pending() -> None:
    """Log what was sent to make vectors of the memories that this process wrote."""
    if WRITTEN in sys.modules:
        from .vectors.embed_written import take_stores

        for memory_dir in sorted(take_stores()):
            log_sent(memory_dir)


def log_sent(memory_dir: str) -> None:
    """Log what this process has sent to endpoints since the last call, unless the settings switch the log off.

    The hook does not use this: its events already contain what it sent. Without sent data nothing is logged, and write
    errors are ignored.
    """
    from .prompt_models import take_sent

    sent = take_sent()
    if not sent:
        return
    environment = Environment()
    if RecallSettings(read_effective_settings(memory_dir), environment, []).recall.log_events:
        event = Event(SENT, "cuecard")
        event.sent = sent
        append_event(environment, memory_dir, event)
