"""Finds the timeline around a memory: the creations and changes of all memories before and after it.

Rules: docs/reference/consolidation.md, "Timeline".
"""

from ...basics.light_dataclass import dataclass
from ...basics.timestamp import parse_timestamp
from ...errors import InputError
from .memory import Memory
from .store_reader import StoreReader

CREATED = "created"
DEFAULT_AROUND = 5


@dataclass(frozen=True)
class TimelineEntry:
    """One creation or change of a memory."""

    micros: int
    """The time in microseconds since 1970."""
    time: str
    """The time as it is in the memory's file."""
    what: str
    """`created`, or the first summary in the history for this change."""
    memory: Memory
    session: str
    """The session in which the memory was drafted; "" if it is not known."""

    def as_dict(self) -> dict[str, object]:
        """Return what `--json` prints."""
        found = self.memory
        return {
            "time": self.time,
            "what": self.what,
            "memory": found.name,
            "title": found.title,
            "status": found.status,
            "path": found.path,
            "session": self.session or None,
        }


@dataclass(frozen=True)
class Timeline:
    """The entry of a memory, and the entries before and after it."""

    before: list[TimelineEntry]
    moment: TimelineEntry
    after: list[TimelineEntry]

    def as_dict(self) -> dict[str, object]:
        """Return what `--json` prints."""
        return {
            "before": [moment.as_dict() for moment in self.before],
            "moment": self.moment.as_dict(),
            "after": [moment.as_dict() for moment in self.after],
        }


def find_timeline(store: StoreReader, name: str, around: int = DEFAULT_AROUND, is_last: bool = False) -> Timeline:
    """Return the timeline around the creation of the memory that `name` means; with `is_last`, around its last change.

    It has at most `around` entries before and after; entries with the same time are in the order of paths. Reads every
    memory of any status. Raises `MissingError`, `StoreError`, and `InputError` if the memory has no readable date.
    """
    first = store.show(name)
    memories = [memory for memory in store.memories(status="all") if memory.path != first.path]
    own = _moments(first)
    if not own:
        what = f"`{first.id}` has no date that can be read"
        raise InputError(what, "correct its `created_at`", field="created_at", expected="a date", found="none")
    moment = own[-1 if is_last else 0]
    others = [found for found in own if found is not moment]
    for memory in memories:
        others += _moments(memory)
    others.sort(key=_order)
    place = sum([_order(found) < _order(moment) for found in others])
    return Timeline(others[max(0, place - around) : place], moment, others[place : place + around])


def _moments(memory: Memory) -> list[TimelineEntry]:
    """Return a memory's creation and changes in order of time; changes with the same time give one entry."""
    record = memory.record
    written: dict[str, str] = {}
    history = record.get("changes")
    for entry in history if isinstance(history, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("date"), str):
            written.setdefault(entry["date"], str(entry.get("summary") or "changed"))
    updated, created = record.get("updated_at"), record.get("created_at")
    if isinstance(updated, str) and updated != created:
        written.setdefault(updated, "changed")
    if isinstance(created, str):
        written[created] = CREATED
    session = _session_of(memory)
    moments = [
        TimelineEntry(micros, time, what, memory, session)
        for time, what in written.items()
        if (micros := parse_timestamp(time)) is not None
    ]
    return sorted(moments, key=_order)


def _session_of(memory: Memory) -> str:
    source = memory.extension.get("source")
    session = source.get("session") if isinstance(source, dict) else None
    return session if isinstance(session, str) else ""


def _order(moment: TimelineEntry) -> tuple[int, str, str]:
    return moment.micros, moment.memory.path, moment.time
