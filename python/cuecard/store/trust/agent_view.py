"""Decides what an agent may read of memories that nobody vouches for (SPEC 45.9)."""

import re

from ..._backend import engine, read_effective_settings, texts_of_memory
from ...basics.json_reader import JsonError, read_json
from ...files.trust_levels import UNREVIEWED, levels_of
from .agent_text import FORMER_VALUES
from .withheld import FREE, WITHHELD, View

__all__ = ["FREE", "WITHHELD", "View", "levels_of_files", "printed_texts", "views_of", "views_of_files"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..records.memory import Memory

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def views_of(memory_dir: str, memories: "Sequence[Memory]") -> list[View]:
    """Return, for each of these memories, who vouches for it and whether its text is withheld from agents."""
    return views_of_files(memory_dir, [(memory.id, memory.data) for memory in memories])


def views_of_files(memory_dir: str, files: "Sequence[tuple[str, bytes | None]]") -> list[View]:
    """Do the same as `views_of` for pairs of a memory's id and the bytes of its file.

    The bytes are None for an unreadable file, which is not withheld.
    """
    if not files or not read_effective_settings(memory_dir).settings.reviews_trust:
        return [FREE] * len(files)
    levels = levels_of_files(memory_dir, [data for _name, data in files])
    # The results by text: names of members and many values occur in several files.
    known: dict[str, bool] = {}
    views = []
    for (name, data), level in zip(files, levels, strict=True):
        texts = printed_texts(data, name) if level == UNREVIEWED and data is not None else []
        views.append(View(level, is_withheld=any(_has_signs(text, known) for text in texts)))
    return views


def levels_of_files(memory_dir: str, files: "Sequence[bytes | None]") -> list[str]:
    """Return the level of each memory from the bytes of its file; `unreviewed` for None."""
    return levels_of(
        memory_dir, [(engine.trust_hash(data) if data is not None else None, data or b"") for data in files]
    )


def _has_signs(text: str, known: dict[str, bool]) -> bool:
    found = known.get(text)
    if found is None:
        found = known[text] = bool(engine.instruction_signs(text, learned=True))
    return found


def printed_signs(data: bytes, name: str) -> tuple[str, ...]:
    """Return the reasons why the texts of an unreviewed memory's file are withheld from agents."""
    texts = printed_texts(data, name)
    return tuple(dict.fromkeys([sign for text in texts for sign in engine.instruction_signs(text, learned=True)]))


def sentences_with_signs(texts: "Iterable[str]", *, learned: bool = True) -> list[tuple[str, str]]:
    """Return the signs of instructions in texts, each with the first sentence that raises it.

    A sign that no sentence raises alone comes with the whole text.
    """
    found: dict[str, str] = {}
    for text in texts:
        for sign in engine.instruction_signs(text, learned=learned):
            if sign not in found:
                sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
                raising = [one for one in sentences if sign in engine.instruction_signs(one, learned=learned)]
                found[sign] = raising[0] if raising else text
    return list(found.items())


def printed_texts(data: bytes, name: str) -> list[str]:
    """Return every text in a memory's file without the former values in its history.

    Commands and MCP may print all of them, unlike the block for a prompt. `name` is the memory's id.
    """
    texts = dict.fromkeys(texts_of_memory(data, name))
    try:
        record = read_json(data)
    except JsonError:
        return list(texts)
    _add_texts(_without_values(record), texts)
    return list(texts)


def _without_values(record: object) -> object:
    """A record whose history has no former values."""
    if not isinstance(record, dict) or not isinstance(record.get("changes"), list):
        return record
    entries = [
        {name: value for name, value in entry.items() if name not in FORMER_VALUES}
        if isinstance(entry, dict)
        else entry
        for entry in record["changes"]
    ]
    return record | {"changes": entries}


def _add_texts(value: object, texts: dict[str, None]) -> None:
    """Add the texts within a value, including the names of members."""
    if isinstance(value, str):
        texts[value] = None
    elif isinstance(value, list):
        for item in value:
            _add_texts(item, texts)
    elif isinstance(value, dict):
        for name, member in value.items():
            texts[name] = None
            _add_texts(member, texts)
