"""Notices drafts of one session about one component, which may be parts of one decision.

Rules: docs/reference/capture-commit.md, "Parts of one subject".
"""

import re
from collections.abc import Collection, Sequence

from ..errors import ValidationError
from ..store.records.memory import Memory
from .draft import AgentDraft, check_draft

# A runbook, a debt and a summary about a component are memories of their own.
CATEGORIES = ("decision", "constraint", "preference")
QUESTION = (
    "these drafts are about the same component: put the parts of one decision into one draft, with every number, order "
    "and exception, or into an update of the memory named beside it; send a draft again as it is if it is a subject of "
    "its own"
)
# Words that only code has: `next_job`, `store::open`, `parse()`, `src/egress`, or any word in back-ticks.
_IDENTIFIER = re.compile(r"`([^`]{2,60})`|\b(\w+(?:(?:_|::|/)\w+)+)|\b(\w{3,60})\(\)")
MAX_NAMED_FILES = 2


def find_parts(
    drafts: Sequence[object], memories: Sequence[Memory], sessions: Collection[str]
) -> dict[int, tuple[str, list[str]]]:
    """What several drafts are about, for each draft that may be a part of one subject, by the draft's position.

    The value is the component and the titles of the other drafts, and before them CATEGORY/ID of each memory in
    `memories` that one of the `sessions` has written about it. Drafts that change a memory or give `relations` have
    been thought about, and are left out.
    """
    about: dict[str, list[tuple[int, AgentDraft]]] = {}
    for place, raw in enumerate(drafts):
        try:
            draft = check_draft(raw, place)
        except ValidationError:
            continue
        if draft.action == "create" and draft.category in CATEGORIES and not draft.relations:
            given = draft.extension.get("applies_to")
            for component in _components(draft.title, given, draft.related_files):
                about.setdefault(component, []).append((place, draft))
    written: dict[str, list[str]] = {}
    for memory in memories:
        if memory.category in CATEGORIES and session_of(memory) in sessions:
            files = memory.record.get("related_files")
            given = memory.extension.get("applies_to")
            for component in _components(memory.title, given, files if isinstance(files, list) else []):
                written.setdefault(component, []).append(memory.name)
    found: dict[int, tuple[str, list[str]]] = {}
    # The component with the most drafts first: it shows each draft beside as many others as there are.
    for component, parts in sorted(about.items(), key=lambda each: (-len(each[1]), each[0])):
        beside = written.get(component, [])
        if len(parts) + len(beside) > 1:
            for place, _draft in parts:
                others = [other.title for position, other in parts if position != place]
                found.setdefault(place, (component, [*beside, *others]))
    return found


def _components(title: str, applies_to: object, files: Sequence[object]) -> set[str]:
    """What a memory is about by its words: its components, the identifiers of its title, and the few files it names."""
    rows = applies_to if isinstance(applies_to, list) else []
    named = [row.get("component") for row in rows if isinstance(row, dict)]
    named += [next(filter(None, found.groups())) for found in _IDENTIFIER.finditer(title)]
    if len(files) <= MAX_NAMED_FILES:
        named += files
    return {name.casefold().strip(" ()") for name in named if isinstance(name, str) and name.strip(" ()")}


def session_of(memory: Memory) -> object:
    """The session from which a memory comes; None if it is not known."""
    source = memory.extension.get("source")
    return source.get("session") if isinstance(source, dict) else None
