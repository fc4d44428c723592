"""What lists and reports need of a memory file, damaged or not."""

from ..._backend import engine
from ...basics.json_reader import read_json
from ...basics.light_dataclass import dataclass
from ...basics.timestamp import MICROSECONDS_A_DAY, parse_timestamp
from ...memory.rebuild import rebuild_index

INACTIVE = ("retired", "archived")
UNKNOWN_STATUS = "a `record_status` that is not `active`, `retired` or `archived`"
BAD_LINE = "a `category` or `tags` that no index line can hold"


@dataclass(frozen=True)
class MemoryFile:
    """A file that recall takes for a memory, or would if it were active."""

    path: str
    """Relative to the project."""
    category: str
    """As the index shows it, in capitals."""
    title: str
    status: str
    """`active`, `retired`, `archived`, or whatever else stands there; "" for what is no text."""
    times_updated: int
    retired_at: str
    """"" where there is none."""

    @property
    def has_known_status(self) -> bool:
        """Whether its status is one that memories can have."""
        return self.status == "active" or self.status in INACTIVE

    def retired_days(self, now: int) -> int | None:
        """Whole days from its retirement to `now` (microseconds since 1970); None where no timestamp tells it.

        Under 0 for one that lies ahead. A timestamp without a zone is UTC.
        """
        retired = parse_timestamp(self.retired_at)
        return None if retired is None else (now - retired) // MICROSECONDS_A_DAY


def read_memory_file(category: str, path: str, data: bytes | None) -> MemoryFile | str:
    """The memory in a file of a category's folder, or why it cannot be taken for one."""
    text, skipped, _is_damaged = rebuild_index([(category, path, data)])
    if skipped or data is None:
        return str(skipped[0][1])
    if text and not len(engine.IndexMd(text.encode())):
        return BAD_LINE
    record = read_json(data)
    # A rebuild has no line for it without being damaged: an object, and inactive.
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
