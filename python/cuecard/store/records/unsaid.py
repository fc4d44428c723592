"""Texts that stand for something that nobody said. They are not stored: the field is left out instead."""

from .record_file import Fields

# What former versions and importers wrote into a field for which there was no text.
PLACEHOLDERS = frozenset(("not stated", "not stated in the source"))


def is_unsaid(value: object) -> bool:
    """Whether a text stands for something that nobody said."""
    return isinstance(value, str) and value.strip().rstrip(".").lower() in PLACEHOLDERS


def without_unsaid(content: Fields) -> Fields:
    """A copy of a memory's content without the fields, list items and members of objects that nobody said."""
    kept = {name: _said(value) for name, value in content.items() if not is_unsaid(value)}
    return {name: value for name, value in kept.items() if value or not content[name]}


def _said(value: object) -> object:
    if isinstance(value, list):
        # An alternative that nobody named is no alternative, whatever is said of it.
        return [_said(item) for item in value if not is_unsaid(item.get("option") if isinstance(item, dict) else item)]
    if isinstance(value, dict):
        return {name: _said(item) for name, item in value.items() if not is_unsaid(item)}
    return value
