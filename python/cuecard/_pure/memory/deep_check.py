"""The deep check: reads a memory's file to drop the memory or to add points to its score (SPEC 8)."""

from ...basics.json_reader import read_json_object
from ...basics.timestamp import MICROSECONDS_A_DAY, parse_timestamp

RECENT_DAYS = 30
RECENT_POINTS = 1


def check_record(data: bytes, now: int, only_active: bool = False) -> int | None:
    """The points that a memory's file adds to the memory's score; None if the memory is dropped.

    Retired memories are dropped; with `only_active`, archived memories are dropped too. A memory updated at most 30
    days before `now` (microseconds since 1970) gets a point. A file that cannot be parsed gives 0.
    """
    record = read_json_object(data) or {}
    status = record.get("record_status")
    if status == "retired" or (only_active and status == "archived"):
        return None
    updated_at = record.get("updated_at")
    return recency_points(parse_timestamp(updated_at) if isinstance(updated_at, str) else None, now)


def recency_points(updated_at: int | None, now: int) -> int:
    """1 for a memory that was updated at most 30 days before `now`, else 0; both times in microseconds since 1970."""
    if updated_at is None or (now - updated_at) // MICROSECONDS_A_DAY > RECENT_DAYS:
        return 0
    return RECENT_POINTS
