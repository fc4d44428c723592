"""What was changed in the store of an imported memory, and whether its source says anything new.

Rules: docs/reference/import.md, "Outcomes".
"""

from ..store.records import autofix
from ..store.records.memory import Memory
from ..store.records.record_file import Fields, extension_of
from .draft import ImportedDraft, digest_of
from .provenance import seal, source_of

# What an import writes beside title, content and tags.
_WRITTEN = ("sections", "anchors", "pointer", "forbids")
_LINKS = "links"


def has_corrected_title(memory: Memory, draft: ImportedDraft) -> bool:
    """Whether only the title of an imported memory was changed here, and the draft may follow it with that title.

    A pointer keeps its corrected title whatever became of its document. A memory with a text keeps it while the source
    has the title that it had: a new title of the source is a conflict.
    """
    former = _former_titles(memory)
    content = memory.record.get("content")
    written = source_of(memory.record).get("written")
    is_only_title = written in [digest_of([title, content]) for title in (*former, draft.record()["title"])]
    return is_only_title and (draft.pointer is not None or draft.record()["title"] in former)


def says_the_same(memory: Memory, record: Fields) -> bool:
    """Whether an imported memory has all that an update with `record`, a sealed draft, would write.

    Links between records do not count: they depend on which of the records were read together.
    """
    old, new = extension_of(memory.record), extension_of(record)
    is_same = source_of(memory.record).get("written") == source_of(record).get("written") == seal(memory.record)
    tags = memory.record.get("tags")
    has_tags = isinstance(tags, list) and set(map(str, record.get("tags", []))) <= set(map(str, tags))
    return is_same and has_tags and _compared(old) == _compared(new)


def patch_of(memory: Memory, record: Fields) -> Fields:
    """The merge patch that makes an imported memory follow its source, of which `record` is the sealed draft.

    A title that was corrected here stays, and tags are added.
    """
    is_own = source_of(memory.record).get("written") == seal(memory.record)
    old, new = memory.record.get("content"), record["content"]
    gone = {name: None for name in old if name not in new} if isinstance(old, dict) else {}
    tags = memory.record.get("tags")
    known = tags if isinstance(tags, list) else []
    return {
        **({"title": record["title"]} if is_own else {}),
        "content": {**new, **gone},
        "tags": autofix.tidy_tags([*known, *record["tags"]], known),
        "cuecard": record["cuecard"],
    }


def _former_titles(memory: Memory) -> list[str]:
    changes = memory.record.get("changes")
    entries = [entry for entry in changes if isinstance(entry, dict)] if isinstance(changes, list) else []
    return [str(entry.get("old_value")) for entry in entries if entry.get("field") == "title"]


def _compared(extension: Fields) -> tuple[Fields, Fields]:
    source = extension.get("source")
    told = source if isinstance(source, dict) else {}
    return (
        {name: extension.get(name) for name in _WRITTEN},
        {name: value for name, value in told.items() if name not in ("digest", _LINKS)},
    )
