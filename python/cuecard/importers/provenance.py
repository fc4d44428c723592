"""What a memory says about the source that it was imported from, and which transcripts it was drafted from.

Rules: docs/reference/import.md, "Provenance".
"""

from ..capture.comparing.succession import NEVER
from ..store.intake.intake import admit
from ..store.records import autofix
from ..store.records.record_file import Fields, extension_of
from .draft import ImportedDraft, digest_of


def source_of(record: Fields) -> Fields:
    """The provenance of an imported record; empty for other records."""
    extension = extension_of(record)
    source = extension.get("source") if extension.get("origin") == "import" else None
    return source if isinstance(source, dict) else {}


def is_other(record: Fields, kind: str) -> bool:
    """Whether a memory has a text of its own, from another kind of source than `kind`."""
    return "pointer" not in extension_of(record) and source_of(record).get("kind") != kind


def transcripts_of(record: Fields) -> list[str]:
    """The file names of the transcripts from which agents drafted a record and its former versions.

    Rules: docs/reference/capture-commit.md, "Provenance".
    """
    history = record.get("changes")
    changes = [entry for entry in history if isinstance(entry, dict)] if isinstance(history, list) else []
    former = [entry.get("old_value") for entry in changes if entry.get("field") == "cuecard"]
    sources = [each.get("source") for each in (extension_of(record), *former) if isinstance(each, dict)]
    names = [source.get("transcript") for source in sources if isinstance(source, dict)]
    return [name for name in dict.fromkeys(names) if isinstance(name, str) and name]


def sealed(draft: ImportedDraft, title: str = "") -> Fields:
    """The draft's record, with a digest of its stored form. With the digest a later change in the store is noticed."""
    record = draft.record() | ({"title": title} if title else {})
    stored, _fixes = autofix.fix_new(dict(admit(record).fields), draft.category, NEVER)
    record["cuecard"]["source"]["written"] = seal(stored)
    return record


def seal(record: Fields) -> str:
    """A digest of what an import writes, which a later change in the store changes."""
    return digest_of([record.get("title"), record.get("content")])
