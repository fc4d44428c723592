"""Tells the writer of an update which words of the old text the new one lacks.

Rules: docs/reference/capture-commit.md, "Write".
"""

from collections.abc import Sequence

from .._backend import document_terms, split_chunks
from ..store.records.memory import Memory
from ..store.records.record_file import texts_within
from .comparing.memory_terms import empty_terms_of, related_terms, weak_terms
from .draft import AgentDraft

# The field that says what a memory is about.
MAIN_FIELDS = {
    "decision": "decision",
    "constraint": "rule",
    "preference": "value",
    "runbook": "steps",
    "tech_debt": "description",
}
MAX_TOLD = 8
MIN_BEGINNING = 5


def describe_dropped(old: Memory, draft: AgentDraft) -> list[str]:
    """A note about the words of the main text of `old` that a draft in its place lacks; empty if none is lost."""
    main, before = MAIN_FIELDS.get(old.category, ""), old.record.get("content")
    if not isinstance(before, dict) or (draft.category == old.category and main not in draft.content):
        return []
    lost = _lost(texts_within(before.get(main)), [*texts_within(draft.content), draft.title])
    if not lost:
        return []
    listed = ", ".join([f"`{word}`" for word in lost[:MAX_TOLD]])
    more = f" and {len(lost) - MAX_TOLD} more" if len(lost) > MAX_TOLD else ""
    what = f"the text that was replaced has {listed}{more}, which the new one lacks"
    return [f"{what}; update it again if that still holds"]


def _lost(before: Sequence[str], after: Sequence[str]) -> list[str]:
    kept = {term for text in after for term in document_terms(text)} | weak_terms()
    kept |= empty_terms_of("\n".join(before))
    beginnings = {term[:size] for term in kept for size in range(MIN_BEGINNING, len(term) + 1)}
    numbers = {chunk for text in after for chunk in split_chunks(text)}
    lost: dict[str, None] = {}
    for chunk in [chunk for text in before for chunk in split_chunks(text)]:
        terms = document_terms(chunk)
        is_kept = any(
            term in kept or _beginning(term) in beginnings or not kept.isdisjoint(related_terms(term)) for term in terms
        )
        if (terms and not is_kept) or (chunk.isdecimal() and chunk not in numbers):
            lost[chunk] = None
    return list(lost)


def _beginning(term: str) -> str:
    """What another form of the word begins with, in languages whose endings the tokenizer leaves."""
    return term[: max(MIN_BEGINNING, len(term) * 3 // 5)]
