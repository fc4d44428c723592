"""When a memory is valid, according to its status and dates (SPEC 22.10)."""

from ...basics.json_reader import object_in, read_json_object
from ...basics.timestamp import MICROSECONDS_A_DAY, parse_timestamp

# Values of `content.status` that say that a memory has ended.
OVER = ("superseded", "deprecated", "rejected")
# The characters of a date without a time, with and without dashes.
DATE_CHARS = (10, 8)

# Whether the status says that the memory has ended; from when and until when it is valid, in microseconds since 1970
# (None: no limit).
Validity = tuple[bool, "int | None", "int | None"]

# The state of a memory at a given time.
HOLDS, IS_OVER, AHEAD = "holds", "over", "ahead"


def read_validity(record: dict[str, object]) -> Validity:
    """The validity of a memory's record."""
    status, own = object_in(record, "content").get("status"), object_in(record, "cuecard")
    begin, end = own.get("valid_from"), own.get("valid_until")
    first = parse_timestamp(begin) if isinstance(begin, str) else None
    last = parse_timestamp(end) if isinstance(end, str) else None
    if isinstance(end, str) and last is not None and len(end) in DATE_CHARS:
        # A date without a time includes the whole day.
        last += MICROSECONDS_A_DAY
    return isinstance(status, str) and status in OVER, first, last


def validity_of(data: bytes | None) -> Validity:
    """The validity of a memory's file. A file that is not a memory counts as valid at all times."""
    return read_validity(read_json_object(data) or {})


def standing_at(validity: Validity, now: int) -> str:
    """The state `HOLDS`, `IS_OVER` or `AHEAD` of a memory at the time `now`, in microseconds since 1970."""
    is_over, begin, end = validity
    if is_over or (end is not None and now >= end):
        return IS_OVER
    return AHEAD if begin is not None and now < begin else HOLDS


def holds_at(data: bytes | None, now: int) -> bool:
    """Whether the memory in the file `data` is valid at the time `now`, in microseconds since 1970."""
    return standing_at(validity_of(data), now) == HOLDS


def describe_validity(record: dict[str, object], now: int) -> str:
    """Why a memory is not valid at the time `now`: its status, `ended DATE` or `from DATE`; "" if it is valid."""
    validity = read_validity(record)
    standing = standing_at(validity, now)
    if standing == HOLDS:
        return ""
    if validity[0]:
        return str(object_in(record, "content")["status"])
    own = object_in(record, "cuecard")
    if standing == AHEAD:
        return f"from {_day_of(str(own['valid_from']))}"
    return f"ended {_day_of(str(own['valid_until']))}"


def _day_of(timestamp: str) -> str:
    return timestamp[: DATE_CHARS[0] if timestamp[4] == "-" else DATE_CHARS[1]]
