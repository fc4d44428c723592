"""A small store, a change of it, and calls that may fail on a damaged snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuecard.errors import SegmentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from snapshot_strategies import File

RUNBOOK = ".claude/memory/runbooks/log.json"
LINKED = (
    b'{"title":"Use TLS","tags":["auth"],"content":"pins","related_files":["s/a.py"],"cuecard":{"anchors":["*.md"],'
    b'"questions":["which log has auth","tls"],"valid_from":"2026-01-02","valid_until":"2026-02-03"}}'
)
FILES: list[File] = [
    ("decision", ".claude/memory/decisions/tls.json", LINKED, 7, 8),
    ("runbook", RUNBOOK, b'{"title":"auth logs","updated_at":"2026-01-02","tags":["a"]}', 9, -1),
]
CHANGED: list[File] = [
    (
        "decision",
        ".claude/memory/decisions/db.json",
        b'{"title":"auth db","record_status":"archived","cuecard":{"supersedes":["tls"]}}',
        3,
        4,
    ),
]
NUMBERS = (1.2, (3.0, 2.0, 2.0, 1.0), (0.75, 0.75, 0.75, 0.75))
DESCRIPTIONS = [("decision", "tls pins"), ("runbook", "auth")]
ANY_STATUS: tuple[list[str], list[str], list[str], None, None, str] = ([], [], [], None, None, "")


def attempt(method: Callable[..., object], *arguments: object) -> object:
    """The result of a call; or the text of its error, if a damaged snapshot may raise this error."""
    try:
        return method(*arguments)
    except (IndexError, SegmentError) as error:
        return f"{type(error).__name__}: {error}"
