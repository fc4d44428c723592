"""Reads the fields of a memory file that lists and reports show; damaged files are reported instead of raised."""

from ..._backend import engine, rebuild_index
from ...basics.conflict_markers import find_conflict_markers
from ...basics.json_reader import read_json
from ...basics.light_dataclass import dataclass
from ...basics.timestamp import MICROSECONDS_A_DAY, parse_timestamp
from .record_file import CONFLICT

INACTIVE = ("retired", "archived")
UNKNOWN_STATUS = "a `record_status` that is not `active`, `retired` or `archived`"
BAD_LINE = "a `category` or `tags` that an index line cannot contain"


@dataclass(frozen=True)
class MemoryFile:
    """A file that is a memory for recall, or would be if it were active."""

    path: str
    """The path of the memory's file, relative to the project."""
    category: str
    """The category in capitals, as in the index."""
    title: str
    status: str
    """`active`, `retired`, `archived`, or any other text in the file; "" for a value that is not a text."""
    times_updated: int
    retired_at: str
    """The time of the retirement as it is in the file; "" if there is none."""

    @property
    def has_known_status(self) -> bool:
        """Whether the status is `active`, `retired` or `archived`."""
        return self.status == "active" or self.status in INACTIVE

    def retired_days(self, now: int) -> int | None:
        """Return the whole days from the retirement to `now` (microseconds since 1970); None without a timestamp.

        The number is negative if the retirement is in the future. A timestamp without a time zone is UTC.
        """
        retired = parse_timestamp(self.retired_at)
        return None if retired is None else (now - retired) // MICROSECONDS_A_DAY


def read_memory_file(category: str, path: str, data: bytes | None) -> MemoryFile | str:
    """Read the memory in a file of a category's folder, or return the reason why the file is not a memory."""
    text, skipped, _is_damaged = rebuild_index([(category, path, data)])
    if skipped or data is None:
        return f"it {CONFLICT}" if data is not None and find_conflict_markers(data) else str(skipped[0][1])
    if text and not engine.IndexMd(text.encode()).entries:
        return BAD_LINE
    record = read_json(data)
    # Without a line and without damage, the file has an inactive memory, which is an object.
    fields = record if isinstance(record, dict) else {}
    stem = path.rpartition("/")[2].removesuffix(".json")
    name, title, retired_at = fields.get("category"), fields.get("title"), fields.get("retired_at")
    status, times_updated = fields.get("record_status", "active"), fields.get("times_updated")
    return MemoryFile(
        path,
        (name if isinstance(name, str) else category).upper(),
        title if isinstance(title, str) else stem,
        status if isinstance(status, str) else "",
        times_updated if isinstance(times_updated, int) else 0,
        retired_at if isinstance(retired_at, str) else "",
    )
