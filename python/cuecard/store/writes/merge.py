"""Merges a patch into a record, so that an update does not lose anything by accident."""

import os
import re
from dataclasses import dataclass, field
from typing import Any

from ...errors import InputError, MergeError, StatusError
from ..records import history
from ..records.autofix import MAX_TAGS, UNTAGGED, Fix, tidy_tag
from ..records.conflicts import end_conflicts
from ..records.record_file import Fields, status_of

# An update cannot change these fields: the store sets the first, and changes of status set the others.
KEPT_FIELDS = ("schema_version", "category", "id", "created_at", "updated_at", "times_updated")
LIFE_FIELDS = ("retired_at", "retired_reason", "archived_at", "archived_reason")
_WORDS = re.compile(r"\w+")


@dataclass
class Merged:
    """A record after an update."""

    record: Fields
    fixes: list[Fix] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    is_renamed: bool = False
    """Whether the title has other words, so that the id is made from the new title."""


def merge(old: Fields, patch: Fields, summary: str, now: str, root: str) -> Merged | None:
    """Return the record `old` with `patch` merged in at the time `now`; None if that changes nothing.

    A `summary` alone is also a change, unless the newest change in the history has the same summary. The patch is a
    JSON Merge Patch (RFC 7396): fields that it leaves out stay, and null removes an optional field. It may be a whole
    record. `root` is the project's folder. Raises `MergeError` if tags or files would be lost or the patch only names
    fields that no update changes, and `StatusError` for a change of status.
    """
    merged = Merged(dict(old))
    patch = dict(patch)
    _refuse_status(old, patch)
    for name in (*KEPT_FIELDS, *LIFE_FIELDS):
        if name in KEPT_FIELDS and name not in old:
            # A file from another program may lack the field. Then only an update can set it.
            continue
        if name in patch and patch.pop(name) != old.get(name) and name != "updated_at":
            merged.fixes.append(Fix(name, "kept as it was: an update cannot change it"))
    given_changes = _new_changes(old, patch.pop("changes", None), merged)
    entries: list[Fields] = []
    for name, value in patch.items():
        before = merged.record.get(name)
        after = _patched(before, value)
        if name == "tags":
            entries += _check_tags(before, after, now)
        elif name == "related_files":
            _check_files(before, after, root)
        if after is None:
            merged.record.pop(name, None)
        else:
            merged.record[name] = after
    end_conflicts(old, patch, merged.record)
    changed = _changed_fields(old, merged.record)
    if not changed and not given_changes and not _is_news(old, summary):
        # A whole record that was read before may have an older count.
        fixed = [fix.field for fix in merged.fixes if fix.field in {*KEPT_FIELDS, *LIFE_FIELDS} - {"times_updated"}]
        if fixed:
            raise _fixed_members(fixed)
        return None
    merged.warnings += _find_losses(old.get("content"), merged.record.get("content"))
    entries += [history.change(now, f"{name} changed", name, before, after) for name, before, after in changed]
    if summary:
        entries.insert(0, history.change(now, summary))
    history.append(merged.record, *given_changes, *entries)
    times = old.get("times_updated")
    merged.record["times_updated"] = (times if isinstance(times, int) and not isinstance(times, bool) else 0) + 1
    if not _adds_only_questions(changed):
        merged.record["updated_at"] = now
    merged.is_renamed = _is_another_title(old.get("title"), merged.record.get("title"))
    return merged


def _fixed_members(names: list[str]) -> MergeError:
    """The error of an update that only names members that no update changes."""
    found = [f"`{name}`" for name in names]
    ways = {
        "id": "a new title gives the memory a new id",
        "category": "add it in the other category, and retire this one",
        **dict.fromkeys(LIFE_FIELDS, "`cuecard retire` and `restore` do that"),
    }
    hint = "; ".join(dict.fromkeys([ways[name] for name in names if name in ways]))
    what = f"an update cannot change {', '.join(found)}"
    return MergeError(
        what, hint or "cuecard sets it", field=names[0], expected="the value in the file", found="another"
    )


def _refuse_status(old: Fields, patch: Fields) -> None:
    wanted = patch.pop("record_status", None)
    status = status_of(old)
    if wanted is not None and wanted != status:
        raise StatusError(
            f"an update cannot make `{old.get('id')}` `{wanted}`",
            "use `cuecard retire` or `restore`",
            field="record_status",
            expected=f"`{status}`",
            found=f"`{wanted}`",
        )


def _patched(value: object, patch: object) -> object:
    """Return a value after a JSON Merge Patch."""
    if not isinstance(patch, dict):
        return patch
    patched = dict(value) if isinstance(value, dict) else {}
    for name, item in patch.items():
        if item is None:
            patched.pop(name, None)
        else:
            patched[name] = _patched(patched.get(name), item)
    return patched


def _new_changes(old: Fields, given: object, merged: Merged) -> list[Fields]:
    """Return the entries that a patch adds to the history. Entries that are already there cannot be removed."""
    if given is None:
        return []
    if not isinstance(given, list):
        what, hint = "`changes` is not a list", "leave it out, or send a list of entries"
        raise InputError(what, hint, field="changes", expected="a list", found=type(given).__name__)
    known = old.get("changes")
    known = known if isinstance(known, list) else []
    if any(entry not in given for entry in known):
        merged.fixes.append(Fix("changes", "the history was kept, the new entries added to it"))
    return [entry for entry in given if entry not in known]


def _is_news(old: Fields, summary: str) -> bool:
    """Whether no entry with the last date in the history has this summary; False for an empty summary."""
    known = old.get("changes")
    entries = [entry for entry in known if isinstance(entry, dict)] if isinstance(known, list) else []
    newest = [entry.get("summary") for entry in entries if entry.get("date") == entries[-1].get("date")]
    return bool(summary) and history.change("", summary)["summary"] not in newest


def _check_tags(before: object, after: object, now: str) -> list[Fields]:
    """Raise `MergeError` if an update removes tags; new tags may replace tags of a memory that has `MAX_TAGS`.

    Returns the entries for the history about replaced tags.
    """
    if not isinstance(before, list) or not isinstance(after, list):
        return []
    # A file from another program can have untidy tags, and more of them.
    known = {tag: tidy_tag(tag) for tag in before if isinstance(tag, str)}
    lost = [tag for tag, tidy in known.items() if tidy not in (*after, "", UNTAGGED)]
    if not lost:
        return []
    is_swap = len(before) > MAX_TAGS or (len(before) == MAX_TAGS and any(tag not in known.values() for tag in after))
    if not is_swap:
        names = ", ".join([f"`{tag}`" for tag in lost])
        raise MergeError(
            f"the update would lose the tags {names}",
            f"send the old tags too; only in a memory with {MAX_TAGS} tags may new tags replace old ones",
            field="tags",
            expected="every old tag",
            found=f"{len(lost)} missing",
        )
    return [history.change(now, f"tags replaced by new ones: {', '.join(lost)}")]


def _check_files(before: object, after: object, root: str) -> None:
    """Raise `MergeError` if an update removes related files that exist in the project."""
    if not isinstance(before, list):
        return
    kept = after if isinstance(after, list) else []
    lost = [name for name in before if isinstance(name, str) and name not in kept and _is_there(root, name)]
    if lost:
        names = ", ".join([f"`{name}`" for name in lost])
        raise MergeError(
            f"the update would lose the related files {names}, which exist",
            "send them too",
            field="related_files",
            expected="every old file that exists",
            found=f"{len(lost)} missing",
        )


def _is_there(root: str, name: str) -> bool:
    return "\0" not in name and os.path.lexists(os.path.join(root, name))


def _changed_fields(old: Fields, new: Fields) -> list[tuple[str, Any, Any]]:
    """Return field, old value and new value of every change. Members of `content` are listed one by one."""
    changed = []
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        if name == "content" and isinstance(before, dict) and isinstance(after, dict):
            members = dict.fromkeys([*before, *after])
            changed += [
                (f"content.{member}", before.get(member), after.get(member))
                for member in members
                if before.get(member) != after.get(member)
            ]
        elif before != after:
            changed.append((name, before, after))
    return changed


def _adds_only_questions(changed: list[tuple[str, Any, Any]]) -> bool:
    """Whether only the questions of a memory changed."""
    if [name for name, _before, _after in changed] != ["cuecard"]:
        return False
    before, after = [value if isinstance(value, dict) else {} for value in changed[0][1:]]
    return all(before.get(name) == after.get(name) for name in {*before, *after} - {"questions"})


def _find_losses(before: object, after: object) -> list[str]:
    """Return a warning for each list in the content that became shorter."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return []
    warnings = []
    for name, items in before.items():
        now = after.get(name)
        if isinstance(items, list) and len(now if isinstance(now, list) else []) < len(items):
            count = len(now) if isinstance(now, list) else 0
            warnings.append(f"`content.{name}` had {len(items)} items and has {count}; the history keeps the old ones")
    return warnings


def _is_another_title(before: object, after: object) -> bool:
    old, new = (set(_WORDS.findall(title.lower())) if isinstance(title, str) else set() for title in (before, after))
    return old != new
