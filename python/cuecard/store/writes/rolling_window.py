"""The rolling window of session summaries: the newest summaries stay active, and older summaries are retired."""

from typing import Any

from ..records.record_file import Fields

REASON = "Session rolling window: exceeded the number of retained summaries"
MIN_AT_ONCE = 10


def exceeding(summaries: list[tuple[str, Fields]], retained: int) -> list[str]:
    """Return the paths of the summaries that one write retires: the first paths of `oldest_beyond`.

    At most 10 are retired, or 10 times `retained` if that is more.
    """
    return oldest_beyond(summaries, retained)[: max(MIN_AT_ONCE, MIN_AT_ONCE * retained)]


def oldest_beyond(summaries: list[tuple[str, Fields]], retained: int) -> list[str]:
    """Return the paths of all summaries but the `retained` newest, oldest first.

    `summaries` are path and record of active summaries. They are sorted by creation time, then by file name; a summary
    without a time is the oldest.
    """

    def age(summary: tuple[str, Fields]) -> tuple[Any, str]:
        path, record = summary
        created = record.get("created_at")
        return (created if isinstance(created, str) else ""), path.rpartition("/")[2]

    return [path for path, _record in sorted(summaries, key=age)[: max(0, len(summaries) - retained)]]
