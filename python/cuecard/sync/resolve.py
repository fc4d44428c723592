"""Decides what becomes of two versions of a memory that a team and this machine made from one."""

from dataclasses import dataclass, field

from ..errors import CuecardError, InputError
from ..store.merging.merge_records import merge_records
from ..store.records.conflicts import conflicts_of, value_of, without_conflict
from ..store.records.record_file import Fields, decode, encode_to_fit, status_of

GONE = ("retired", "archived")


@dataclass(frozen=True)
class Resolved:
    """The version that shall replace the team's."""

    data: bytes | None
    """None for a deleted memory."""
    conflicts: list[str] = field(default_factory=list)
    """The fields that both versions changed; the memory keeps both values, for a person to decide."""
    is_another: bool = False
    """Whether the two have only the name in common; then ours needs another name."""


def resolve(base: bytes | None, ours: bytes | None, theirs: bytes | None) -> Resolved:
    """Merge by field; a retirement counts more than an older edit. Raises InputError if a version is no memory.

    An edit brings a deleted memory back, unless the edit is its retirement.
    """
    if ours in (theirs, base):
        return Resolved(theirs)
    if theirs == base:
        return Resolved(ours)
    if ours is None:
        return Resolved(theirs)
    mine = decode(ours, "our version")
    if theirs is None:
        return Resolved(None if status_of(mine) in GONE else ours)
    other = decode(theirs, "the team's version")
    common = _read(base)
    if common is None and not _is_same(mine, other):
        return Resolved(ours, is_another=True)
    merged = merge_records(common, mine, _without_decided(common, mine, other))
    try:
        return Resolved(encode_to_fit(merged.record), merged.conflicts)
    except CuecardError as error:
        raise InputError(error.what, error.hint) from error


def decide(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Our version with what others have changed, where ours counts for each field of which the team has two values."""
    common, other = _read(base), _read(theirs)
    if common is None or other is None or ours == theirs:
        return ours
    mine = decode(ours, "our version")
    return encode_to_fit(merge_records(common, mine, _without_decided(common, mine, other, is_decided=True)).record)


def _without_decided(common: Fields | None, mine: Fields, other: Fields, *, is_decided: bool = False) -> Fields:
    """The team's version without the conflicts that our change of their field decides, or all of them."""
    for name in {name for name, _value, _date in conflicts_of(other)}:
        if is_decided or (common is not None and value_of(mine, name) != value_of(common, name)):
            other = without_conflict(other, name, value_of(common, name))
    return other


def _read(data: bytes | None) -> Fields | None:
    try:
        return decode(data, "the common version") if data is not None else None
    except InputError:
        return None


def _is_same(mine: Fields, other: Fields) -> bool:
    """Whether two memories without a common version are one: both were created at the same time."""
    return mine.get("created_at") is not None and mine.get("created_at") == other.get("created_at")
