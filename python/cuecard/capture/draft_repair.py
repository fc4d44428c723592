"""Repairs slips in the form of a draft that have one obvious meaning, such as `constraints` for `constraint`.

Values of the memory itself are repaired by the store. Rules: docs/reference/capture-commit.md, "Drafts".
"""

import re

from ..store.records.record import CATEGORIES, MODELS
from ..store.records.record_file import Fields

_ACTIONS = {
    "create": ("add", "new", "save", "insert"),
    "update": ("amend", "change", "modify", "edit", "replace"),
    "delete": ("remove", "retire"),
    "noop": ("none", "nothing", "skip"),
}
_SYNONYMS = {word: action for action, words in _ACTIONS.items() for word in words}
_CATEGORIES = {category.replace("_", ""): category for category in CATEGORIES}


def repair_draft(raw: Fields, own: tuple[str, ...], partial_names: tuple[str, ...]) -> tuple[Fields, list[str]]:
    """A draft in the form that is asked for, and a note on each repair.

    `own` are the names of the members of a draft, and `partial_names` those of its `partial_content`.
    """
    draft, notes = dict(raw), list[str]()
    category = draft["category"] = _category(raw.get("category"))
    if category != raw.get("category"):
        notes.append(f"`category` was `{str(raw['category'])[:40]}`")
    _gather(draft, "partial_content", [name for name in draft if name in partial_names and name not in own], notes)
    partial = draft.get("partial_content")
    if isinstance(partial, dict):
        draft["partial_content"] = partial = dict(partial)
        names = list(_content_members(str(category)))
        _gather(partial, "content", [name for name in partial if name in names and name not in partial_names], notes)
        title = partial.get("title")
        if draft.get("new_info_summary") is None and isinstance(title, str) and title.strip():
            draft["new_info_summary"] = title
    action = raw.get("action")
    word = action.strip().lower() if isinstance(action, str) else ""
    if word in _SYNONYMS:
        draft["action"] = _SYNONYMS[word]
        notes.append(f"`action` was `{word}`")
    if action is None and isinstance(partial, dict) and partial.get("content"):
        draft["action"] = "update" if raw.get("replaces") else "create"
        notes.append(f"`action` was missing and is `{draft['action']}`")
    return draft, notes


def _category(given: object) -> object:
    """The category that a name in another number or spelling means; other values as they are."""
    if not isinstance(given, str) or given in CATEGORIES:
        return given
    folded = re.sub(r"[\s_-]+", "", given.strip().lower())
    singular = folded.removesuffix("ies") + "y" if folded.endswith("ies") else folded.removesuffix("s")
    return _CATEGORIES.get(folded) or _CATEGORIES.get(singular) or given


def _gather(holder: Fields, name: str, members: list[str], notes: list[str]) -> None:
    """Put members that stand beside the object `name` into it, if it is missing."""
    if members and holder.get(name) is None:
        holder[name] = {member: holder.pop(member) for member in members}
        notes.append(f"`{name}` was missing and has {', '.join([f'`{member}`' for member in members])}")


def _content_members(category: str) -> list[str]:
    if category not in CATEGORIES:
        return []
    annotation = MODELS[category].model_fields["content"].annotation
    return list(getattr(annotation, "model_fields", {}))
