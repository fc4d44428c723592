"""Reads the values that gave way in a merge, and ends those that an update decides (docs/reference/merging.md)."""

from .record_file import Fields, extension_of

CONFLICTS = "conflicts"


def conflicts_of(record: Fields) -> list[tuple[str, object, str]]:
    """The values that gave way in a merge, which nobody has decided about: field, value and date of each."""
    known = extension_of(record).get(CONFLICTS)
    entries = [entry for entry in known if isinstance(entry, dict)] if isinstance(known, list) else []
    return [(str(entry.get("field")), entry.get("value"), str(entry.get("date", ""))) for entry in entries]


def end_conflicts(old: Fields, patch: Fields, record: Fields) -> None:
    """Take the conflicts off a record about whose fields an update decides, also for the value that counts already.

    A whole record that is sent back with its conflicts decides only about the fields that it changes.
    """
    known, own = extension_of(record).get(CONFLICTS), patch.get("cuecard")
    if not isinstance(known, list):
        return
    is_sent_back = isinstance(own, dict) and CONFLICTS in own
    left = []
    for entry in known:
        name = str(entry.get("field")) if isinstance(entry, dict) else ""
        is_decided = _has(patch, name) and not (is_sent_back and value_of(old, name) == value_of(record, name))
        left += [] if is_decided else [entry]
    if left != known:
        extension = {key: value for key, value in extension_of(record).items() if key != CONFLICTS}
        record["cuecard"] = {**extension, CONFLICTS: left} if left else extension


def without_conflict(record: Fields, name: str, value: object) -> Fields:
    """The record without its conflicts of a field, which gets this value."""
    extension = dict(extension_of(record))
    known = extension.pop(CONFLICTS, None)
    left = [each for each in known if not _is_about(each, name)] if isinstance(known, list) else []
    extension |= {CONFLICTS: left} if left else {}
    changed: Fields = {key: member for key, member in record.items() if key != "cuecard"}
    if extension:
        changed["cuecard"] = extension
    return _with_value(changed, name, value)


def _is_about(entry: object, name: str) -> bool:
    return isinstance(entry, dict) and entry.get("field") == name


def _with_value(record: Fields, name: str, value: object) -> Fields:
    """The record with another value of the field with a full name; the same if it has no such field."""
    for key, member in record.items():
        if key == name:
            return {**record, key: value}
        if name.startswith(f"{key}.") and isinstance(member, dict):
            return {**record, key: _with_value(member, name[len(key) + 1 :], value)}
    return record


def value_of(value: object, name: str) -> object:
    """The value of the field with a full name, such as `content.rule`; None if there is none."""
    if not isinstance(value, dict):
        return None
    for key, member in value.items():
        if key == name:
            return member
        if name.startswith(f"{key}."):
            return value_of(member, name[len(key) + 1 :])
    return None


def _has(patch: object, name: str) -> bool:
    """Whether a patch says something about the field with this full name."""
    if not isinstance(patch, dict):
        # The object that the field was in is replaced.
        return True
    return any(key == name or (name.startswith(f"{key}.") and _has(patch[key], name[len(key) + 1 :])) for key in patch)
