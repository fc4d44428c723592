"""The outcomes of an import, for its report.

Rules: docs/reference/import.md, "Outcomes".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ..capture.comparing.neighbours import Neighbour
from ..store.intake.intake import admit
from ..store.writes.written import Written
from .draft import ImportedDraft, Reading

BECAME = {"created": "memory", "updated": "memory", "unchanged": "memory", "duplicate": "merged", "gone": "gone"}
"""What became of a section, by the status of its outcome: `memory`, `merged` (with a memory) or `gone`.

A section with any other status was skipped.
"""


@dataclass
class ImportOutcome:
    """The outcome for a draft, or for a part of the source without a draft."""

    status: str
    """`created`, `updated`, `unchanged`, `retired`, `duplicate`, `skipped`, `gone` or `failed`."""
    where: str
    """The file and the heading of the section in the source."""
    category: str = ""
    title: str = ""
    target: str = ""
    """The memory's file, relative to the project; for a duplicate, the file of the existing memory."""
    why: str = ""
    secrets: list[str] = field(default_factory=list)
    """The kinds of secrets that were replaced."""
    contradicts: list[str] = field(default_factory=list)
    """The memories that say the opposite, each with an explanation."""
    warnings: list[str] = field(default_factory=list)
    similar: list[str] = field(default_factory=list)
    """The memories that the section may repeat or replace, each with the reason."""

    def as_dict(self) -> dict[str, object]:
        """The JSON object that `--json` prints."""
        return {
            "status": self.status,
            "became": BECAME.get(self.status, "skipped"),
            "source": self.where,
            "category": self.category or None,
            "title": self.title or None,
            "target": self.target or None,
            "why": self.why or None,
            "secrets": self.secrets,
            "contradicts": self.contradicts,
            "warnings": self.warnings,
            "similar": self.similar,
        }


def parts_of(readings: Sequence[Reading]) -> list[dict[str, str]]:
    """The sections whose text is in the memory of another section, each with a name for that memory."""
    return [{"source": shown(where), "into": of} for reading in readings for where, of in reading.parts]


# A large document has thousands of sections, and names many of them alike.
@lru_cache(maxsize=8192)
def shown(text: str) -> str:
    """A text of a source with its secrets and hidden characters removed."""
    return str(admit({"text": text}).fields["text"])


def where_of(draft: ImportedDraft) -> str:
    """The place of a draft in its source, as reports show it."""
    return f"{draft.path}#{draft.heading}" if draft.heading else draft.path


def outcome_of(draft: ImportedDraft) -> ImportOutcome:
    """The outcome of a draft before anything was done with it."""
    return ImportOutcome("skipped", where_of(draft), draft.category, shown(draft.title))


def tell(written: Written, outcome: ImportOutcome) -> None:
    """Add to an outcome what a write to the store said."""
    outcome.secrets = [found.kind for found in written.redactions] or outcome.secrets
    outcome.warnings = written.warnings


def why_left(nearest: Neighbour) -> str:
    """Why a draft is left out beside a memory that is similar to it."""
    return (
        f"it is similar to `{nearest.name}` ({nearest.similarity:.2f}): {nearest.reason}; "
        "`--on-similar add` imports it too, `--on-similar update` replaces that memory"
    )
