"""The texts of a memory that are searched for instructions to the model, and the notice about trust (SPEC 45)."""

from ...basics.chars import scrub
from ...basics.json_reader import object_in, read_json_object


def texts_of_memory(data: bytes, name: str) -> list[str]:
    """All texts of a memory that an agent could see; `name` is the memory's id."""
    record = read_json_object(data) or {}
    own = object_in(record, "cuecard")
    found = [scrub(name)]
    for field in ("title", "category", "tags", "content", "related_files"):
        _add_texts(record.get(field), found)
    for field in ("gist", "questions", "anchors", "evidence", "applies_to", "sections", "pointer"):
        _add_texts(own.get(field), found)
    return found


def trust_notice(count: int, is_more: bool) -> str:
    """The notice about `count` unreviewed memories, which is shown once for a store.

    With `is_more` there may be more than `count`.
    """
    if count == 1 and not is_more:
        return (
            "cuecard: 1 memory of this project is unreviewed, because nobody on this machine has vouched for it; it is "
            "marked, and never shown in full; `cuecard trust` lists it and accepts it"
        )
    number = f"at least {count}" if is_more else str(count)
    return (
        f"cuecard: {number} memories of this project are unreviewed, because nobody on this machine has vouched for "
        "them; they are marked, and never shown in full; `cuecard trust` lists and accepts them"
    )


def texts_in(value: object) -> list[str]:
    """The texts within a JSON value, including the keys of objects."""
    found: list[str] = []
    _add_texts(value, found)
    return found


def _add_texts(value: object, found: list[str]) -> None:
    """Append the texts within a value, including the keys of objects, in order."""
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, list):
        for item in value:
            _add_texts(item, found)
    elif isinstance(value, dict):
        for key, item in value.items():
            found.append(key)
            _add_texts(item, found)
