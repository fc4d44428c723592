"""When a memory holds, by its status and its dates (SPEC 22.10)."""

from ..basics.json_reader import JsonError, read_json
from ..basics.timestamp import MICROSECONDS_A_DAY, parse_timestamp

# Values of `content.status` that end a memory.
OVER = ("superseded", "deprecated", "rejected")
# The characters of a date without a time, with and without dashes.
DATE_CHARS = (10, 8)

# Whether its status says that it is over; before and from when it does not hold, in microseconds since 1970.
Validity = tuple[bool, "int | None", "int | None"]

# What a memory is at a time.
HOLDS, IS_OVER, AHEAD = "holds", "over", "ahead"


def read_validity(record: dict[str, object]) -> Validity:
    """That of a memory's file that has been read."""
    content, extension = record.get("content"), record.get("cuecard")
    own = extension if isinstance(extension, dict) else {}
    status = content.get("status") if isinstance(content, dict) else None
    begin, end = own.get("valid_from"), own.get("valid_until")
    first = parse_timestamp(begin) if isinstance(begin, str) else None
    last = parse_timestamp(end) if isinstance(end, str) else None
    if isinstance(end, str) and last is not None and len(end) in DATE_CHARS:
        # A day counts to its end.
        last += MICROSECONDS_A_DAY
    return isinstance(status, str) and status in OVER, first, last


def validity_of(data: bytes | None) -> Validity:
    """That of a memory's file; what is no memory always holds."""
    try:
        record = read_json(data or b"")
    except JsonError:
        record = None
    return read_validity(record) if isinstance(record, dict) else (False, None, None)


def standing_at(validity: Validity, now: int) -> str:
    """What a memory is at a time, in microseconds since 1970."""
    is_over, begin, end = validity
    if is_over or (end is not None and now >= end):
        return IS_OVER
    return AHEAD if begin is not None and now < begin else HOLDS
