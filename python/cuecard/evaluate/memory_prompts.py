"""Makes judged prompts from words of a project's memories. The memory that the words are from is the wanted answer.

For a prompt of the kind `leave-one-out` this memory is left out of the store, so the prompt has no answer.
"""

import hashlib
from collections.abc import Callable, Mapping

from .._backend import Document, read_document
from ..store.records.memory import Memory
from . import query_templates
from .judged_prompts import WANTED, JudgedPrompt

LEAVE_ONE_OUT = "leave-one-out"
# For each kind, a function that makes the text from the title, the body and a pseudo-random number.
_KINDS: dict[str, Callable[[str, str, int], str]] = {
    "title-words": lambda title, _body, pick: query_templates.title_words(title, pick),
    "body-words": query_templates.body_words,
    "inflected": lambda title, _body, pick: query_templates.inflected(title, pick),
    "abbreviated": lambda title, _body, pick: query_templates.abbreviated(title, pick),
    LEAVE_ONE_OUT: lambda title, body, pick: _mixed(title, body, pick),
}
KINDS = tuple(_KINDS)


def prompts_of_memories(
    memories: Mapping[str, Memory], *, project: str, limit: int, seed: int = 0
) -> list[JudgedPrompt]:
    """Make at most `limit` prompts, as evenly over the kinds as possible. `memories` maps names to memories.

    A hash of the seed, the name and the kind decides which memories are used for a kind. So if a memory is added to the
    store, most prompts of the other memories stay the same.
    """
    made = {kind: _make_kind(kind, memories, seed) for kind in KINDS}
    chosen: list[JudgedPrompt] = []
    texts: set[str] = set()
    while len(chosen) < limit and any(made.values()):
        for kind in KINDS:
            while made[kind] and len(chosen) < limit:
                name, text = made[kind].pop()
                key = f"{kind == LEAVE_ONE_OUT}{text}"
                # Skip a text that was made from another memory too: both memories would be wanted, but only one would
                # be judged.
                if key not in texts:
                    texts.add(key)
                    chosen.append(_prompt(kind, name, text, memories[name], project))
                    break
    chosen.sort(key=lambda prompt: (KINDS.index(prompt.kind), prompt.source))
    return chosen


def _make_kind(kind: str, memories: Mapping[str, Memory], seed: int) -> list[tuple[str, str]]:
    """Memory name and text of every possible prompt of a kind. The caller takes prompts from the end of the list."""
    found = []
    for name, memory in memories.items():
        document = read_document(memory.category, memory.path, memory.data)
        if not isinstance(document, Document):
            continue
        title, _tags, _questions, body = document.fields()
        number = int.from_bytes(hashlib.sha256(f"{seed}\0{name}\0{kind}".encode()).digest()[:8], "big")
        text = _KINDS[kind](title, body, number >> 16)
        if text:
            found.append((number, name, text))
    return [(name, text) for _number, name, text in sorted(found, reverse=True)]


def _mixed(title: str, body: str, pick: int) -> str:
    """Words of the title or of the body, as in the prompt of somebody who believes that the memory exists."""
    return (query_templates.title_words(title, pick) if pick % 2 else "") or query_templates.body_words(
        title, body, pick
    )


def _prompt(kind: str, name: str, text: str, memory: Memory, project: str) -> JudgedPrompt:
    is_out = kind == LEAVE_ONE_OUT
    return JudgedPrompt(
        project=project,
        id="",
        text=text,
        kind=kind,
        lang=query_templates.language_of(text),
        judgments={} if is_out else {name: WANTED},
        without=(name,) if is_out else (),
        source=memory.path,
        is_reviewed=False,
    )
