"""Keeps what a new memory and an older one about the same have to say: words to be found by, and facts.

Rules: docs/reference/succession.md, "Verdicts".
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from .._backend import document_terms
from ..errors import CuecardError
from ..store.records.autofix import MAX_TAGS, UNTAGGED, tidy_tag
from ..store.records.memory import Memory
from ..store.records.record_file import Fields, extension_of, texts_in, texts_within
from ..store.records.record_limits import MAX_QUESTION_CHARS, MAX_QUESTIONS
from ..store.trust.agent_view import views_of
from ..store.writes.store_writer import DRAFTED, StoreWriter
from .comparing.succession import Relations, write
from .dropped import MAIN_FIELDS
from .inbox import leave

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.options import Category, WriteTrust
    from ..store.writes.written import Written

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_FACT = re.compile(r"\d")
# A sentence of which the older memory lacks this share of the terms says something new.
NEW_SHARE = 0.5


def write_related(
    store: StoreWriter,
    record: Fields,
    category: "Category | None" = None,
    relations: Relations | None = None,
    trust: "WriteTrust" = DRAFTED,
) -> "Written":
    """Write a new memory with its relations to others.

    A memory that replaces others takes over their questions and tags, as far as there is room. Where the new memory
    says the same as an older one, that one keeps the new wording as a question, and facts that it lacks wait in the
    inbox as a draft. Raises what `succession.write` raises.
    """
    relations = relations or Relations()
    same = relations.same
    if same is None:
        return write(store, _with_taken_over(store, record, relations), category, relations, trust)
    written = write(store, _with_wording(record, same), category, relations, trust)
    facts = new_facts(same, record) if not category or category == same.category else {}
    if not facts:
        return written
    name = f"{same.category}/{written.id}"
    title = str(record.get("title", ""))
    draft = {
        "category": same.category,
        "action": "update",
        "new_info_summary": f"`{title}` says more than this memory",
        "replaces": name,
        "partial_content": {
            "title": written.title,
            "change_summary": f"also said: {title}",
            "content": facts,
        },
    }
    extension = extension_of(record)
    source = extension.get("source")
    try:
        origin = str(extension.get("origin") or "agent")
        note = f"`{title[:80]}` says the same as `{name}`, and more: accept it to add that"
        waiting = leave(store.memory_dir, draft, origin, source if isinstance(source, dict) else {}, note=note)
        told = f"what it says beyond `{name}` waits for `cuecard review` as {waiting.id}"
    except CuecardError as error:
        told = f"what it says beyond `{name}` cannot be kept: {error.what}"
    return replace(written, warnings=[*written.warnings, told])


def new_facts(old: Memory, record: Fields) -> Fields:
    """The content for an update of `old` with what `record` says and `old` does not; {} if that is nothing."""
    known, content = old.record.get("content"), record.get("content")
    if not isinstance(known, dict) or not isinstance(content, dict):
        return {}
    texts = texts_within([old.title, known, old.extension.get("gist")])
    terms, numbers = {term for text in texts for term in document_terms(text)}, set(_numbers_in(" ".join(texts)))

    def is_new(text: str) -> bool:
        words = set(document_terms(text))
        return bool(set(_numbers_in(text)) - numbers) or (bool(words) and len(words - terms) >= NEW_SHARE * len(words))

    facts: Fields = {}
    main = MAIN_FIELDS.get(old.category, "")
    for name, value in content.items():
        before = known.get(name)
        if name == main and isinstance(value, str) and isinstance(before, str):
            fresh = [part.strip() for part in _SENTENCE_END.split(value) if part.strip() and is_new(part)]
            if fresh:
                facts[name] = " ".join([before.strip(), *fresh])
        elif isinstance(value, list) and (before is None or isinstance(before, list)):
            items = [item for item in value if item not in (before or []) and is_new(" ".join(texts_within(item)))]
            if items:
                facts[name] = [*(before or []), *items]
    return facts


def _with_taken_over(store: StoreWriter, record: Fields, relations: Relations) -> Fields:
    """The record with the questions and tags of the memories that it replaces, if somebody vouches for them."""
    replaced = list(relations.updates)
    views = views_of(store.memory_dir, replaced)
    vouched = [memory for memory, view in zip(replaced, views, strict=True) if not view.is_unreviewed]
    if not vouched:
        return record
    extension = dict(extension_of(record))
    given = extension.get("questions")
    own = [given] if isinstance(given, str) else texts_in(given)
    theirs = [question for memory in vouched for question in texts_in(memory.extension.get("questions"))]
    if own or theirs:
        extension["questions"] = list(dict.fromkeys([*own, *theirs]))[: max(len(own), MAX_QUESTIONS)]
    tags = [tidy_tag(tag) for tag in texts_in(record.get("tags"))]
    others = [tidy_tag(tag) for memory in vouched for tag in texts_in(memory.record.get("tags"))]
    kept = [tag for tag in dict.fromkeys([*tags, *others]) if tag not in ("", UNTAGGED)]
    taken_over = {"tags": kept[: max(len(tags), MAX_TAGS)]} if kept else {}
    return {**record, **taken_over, "cuecard": extension}


def _with_wording(record: Fields, same: Memory) -> Fields:
    """The record with its title as its first question, so that the older memory is found by these words too."""
    title = str(record.get("title", "")).strip()
    if not title or title.casefold() == same.title.casefold() or len(title) > MAX_QUESTION_CHARS:
        return record
    extension = extension_of(record)
    return {**record, "cuecard": {**extension, "questions": [title, *texts_in(extension.get("questions"))]}}


def _numbers_in(text: str) -> Iterator[str]:
    return (word.strip(".,;:()`") for word in text.split() if _FACT.search(word))
