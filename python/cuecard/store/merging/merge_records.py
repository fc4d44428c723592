"""Merges two versions of a memory by field, so that nothing of either is lost.

Rules: docs/reference/merging.md. The functions know no files and no git.
"""

from ...basics.light_dataclass import dataclass, field
from ...basics.timestamp import parse_timestamp
from ..records.conflicts import CONFLICTS
from ..records.history import MAX_CHANGES
from ..records.record_file import Fields, extension_of, status_of
from ..records.record_limits import MAX_CONFLICTS, MAX_EVIDENCE, MAX_FORBIDS, MAX_QUESTIONS, MAX_SCOPES

# The fields of each status, which belong to it and to no other.
_OF_STATUS = {"retired": ("retired_at", "retired_reason"), "archived": ("archived_at", "archived_reason")}
_LIFE = ("record_status", *[name for names in _OF_STATUS.values() for name in names])
# The most that a list may have; the items of the later version come first.
_MOST = {
    "cuecard.applies_to": MAX_SCOPES,
    "cuecard.evidence": MAX_EVIDENCE,
    "cuecard.forbids": MAX_FORBIDS,
    "cuecard.questions": MAX_QUESTIONS,
}
_ABSENT = object()


@dataclass
class MergedRecord:
    """A memory that was made of two versions."""

    record: Fields
    conflicts: list[str] = field(default_factory=list)
    """The fields that both versions changed, with full names; the record keeps the value of the older version too."""


def merge_records(base: Fields | None, ours: Fields, theirs: Fields) -> MergedRecord:
    """Merge two versions of a memory; `base` is the last version that both come from, None if it is not known.

    A field that one version changed has its value. Lists are united, numbers of updates added, and of the history every
    entry stays. Of a field that both changed, the later version's value counts, and the other one is kept in
    `cuecard.conflicts`. A later retirement counts more than an earlier change, and the reverse.
    """
    is_ours_later = _time_of(ours, "updated_at") >= _time_of(theirs, "updated_at")
    later, earlier = (ours, theirs) if is_ours_later else (theirs, ours)
    merge = _Merge(str(earlier.get("updated_at", "")))
    common = base or {}
    record: Fields = {}
    for name in dict.fromkeys([*later, *earlier]):
        if name in _LIFE or name in ("changes", "times_updated", "created_at", "updated_at"):
            continue
        value = merge.value(name, common.get(name, _ABSENT), later.get(name, _ABSENT), earlier.get(name, _ABSENT))
        if value is not _ABSENT:
            record[name] = value
    record |= _life_of(common, later, earlier)
    record["created_at"] = min([str(each["created_at"]) for each in (ours, theirs) if "created_at" in each], default="")
    record["updated_at"] = later.get("updated_at", earlier.get("updated_at"))
    record["changes"] = _history_of(earlier, later)
    record["times_updated"] = _count_updates(common, ours, theirs)
    if merge.conflicts:
        extension = dict(extension_of(record))
        known = extension.get(CONFLICTS)
        entries = [*(known if isinstance(known, list) else []), *merge.conflicts]
        extension[CONFLICTS] = entries[-MAX_CONFLICTS:]
        record["cuecard"] = extension
    present = {name: value for name, value in record.items() if value not in ("", None) or name in ("title",)}
    return MergedRecord(present, [str(entry["field"]) for entry in merge.conflicts])


class _Merge:
    """Merges values, and notes the values that give way."""

    def __init__(self, date: str) -> None:
        self.conflicts: list[Fields] = []
        self._date = date

    def value(self, name: str, base: object, later: object, earlier: object) -> object:
        if later == earlier or earlier == base:
            return later
        if later == base:
            return earlier
        if isinstance(later, dict) and isinstance(earlier, dict):
            return self._object(name, base if isinstance(base, dict) else {}, later, earlier)
        if isinstance(later, list) and isinstance(earlier, list):
            united = _unite(base if isinstance(base, list) else [], later, earlier)
            # Two versions can have removed different items of a list that must not be empty.
            return united[: _MOST.get(name)] or later
        if later is _ABSENT or earlier is _ABSENT:
            # What one version removed and the other changed stays as it was changed.
            return earlier if later is _ABSENT else later
        self.conflicts.append({"field": name, "value": earlier, "date": self._date})
        return later

    def _object(self, name: str, base: Fields, later: Fields, earlier: Fields) -> Fields:
        merged: Fields = {}
        for member in dict.fromkeys([*later, *earlier]):
            versions = [each.get(member, _ABSENT) for each in (base, later, earlier)]
            value = self.value(f"{name}.{member}", *versions)
            if value is not _ABSENT:
                merged[member] = value
        return merged


def _unite(base: list[object], later: list[object], earlier: list[object]) -> list[object]:
    """The items of both lists in the order of the later one, without the items that one of them has removed."""
    removed = [item for item in base if item not in later or item not in earlier]
    united = [item for item in later if item not in removed]
    return united + [item for item in earlier if item not in united and item not in removed]


def _life_of(base: Fields, later: Fields, earlier: Fields) -> Fields:
    """The status and its fields: of the version that has changed it, and of two that have, of the later step."""
    if status_of(later) == status_of(earlier) or status_of(earlier) == status_of(base):
        chosen = later
    elif status_of(later) == status_of(base):
        # The earlier version was retired, and the later one changed. The step counts unless the change came after it.
        chosen = later if _time_of(later, "updated_at") > _step_of(earlier) else earlier
    else:
        chosen = later if _step_of(later) >= _step_of(earlier) else earlier
    return {name: chosen[name] for name in _LIFE if name in chosen}


def _step_of(record: Fields) -> int:
    """The time at which a memory got its status."""
    name = {"retired": "retired_at", "archived": "archived_at"}.get(status_of(record), "updated_at")
    return _time_of(record, name) or _time_of(record, "updated_at")


def _time_of(record: Fields, name: str) -> int:
    value = record.get(name)
    found = parse_timestamp(value) if isinstance(value, str) else None
    return 0 if found is None else found


def _history_of(earlier: Fields, later: Fields) -> list[object]:
    """Every entry of both histories, once, by date."""
    entries: list[object] = []
    for record in (earlier, later):
        known = record.get("changes")
        entries += [entry for entry in (known if isinstance(known, list) else []) if entry not in entries]
    entries.sort(key=lambda entry: str(entry.get("date", "")) if isinstance(entry, dict) else "")
    return entries[-MAX_CHANGES:]


def _count_updates(base: Fields, ours: Fields, theirs: Fields) -> int:
    counts = [each.get("times_updated", 0) for each in (base, ours, theirs)]
    before, one, other = [count if isinstance(count, int) else 0 for count in counts]
    return max(one, other, one + other - before)
