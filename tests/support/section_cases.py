"""The functions behind the cases of sections and pointers in `tests/vectors`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.memory.card import card_for
from cuecard._pure.memory.document import Document, read_document
from cuecard._pure.memory.pointer import read_pointer
from cuecard._pure.text.prompt_terms import query_terms
from cuecard._pure.text.sanitize import escape_frames
from cuecard.basics.json_reader import read_json

if TYPE_CHECKING:
    from collections.abc import Callable


def card_for_prompt(data: str, prompt: str) -> object:
    """The card of a memory's file for a prompt."""
    return card_for(data.encode(), [(term, weight) for term, weight, _word in query_terms(prompt, [])])


def indexed_texts(data: str) -> object:
    """The texts of a memory's file that are indexed."""
    document = read_document("runbook", ".claude/memory/runbooks/a.json", data.encode())
    return document.fields() if isinstance(document, Document) else None


def pointed_place(data: str) -> object:
    """The place that a memory's file points at, with size and time."""
    record = read_json(data.encode())
    pointer = read_pointer(record.get("cuecard")) if isinstance(record, dict) else None
    return [pointer.place, pointer.size, pointer.time] if pointer else None


SECTION_PARTS: dict[str, Callable[..., Any]] = {
    "card_for_prompt": card_for_prompt,
    "escape_frames": escape_frames,
    "indexed_texts": indexed_texts,
    "pointed_place": pointed_place,
}
