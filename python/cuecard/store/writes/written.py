"""What a write did."""

from dataclasses import dataclass, field
from typing import Any

from ..intake.redaction import Redaction
from ..records.autofix import Fix


@dataclass(frozen=True)
class Written:
    """The result of a write to a memory."""

    status: str
    """What happened: `created`, `updated`, `retired` and so on, `unchanged`, or `already_` and a status."""
    target: str
    """The memory's file, relative to the project."""
    category: str
    id: str
    title: str
    hash: str
    """SHA-256 of the file as it is now, for `expect_hash`."""
    times_updated: int = 0
    renamed_from: str = ""
    """The file's path before a new title moved it."""
    fixes: list[Fix] = field(default_factory=list)
    redactions: list[Redaction] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    """Session summaries that the rolling window retired."""
    superseded: list[str] = field(default_factory=list)
    """Memories that were retired because this one supersedes them."""

    operation: str = ""
    """The id by which `cuecard undo` takes the write back; "" where nothing was written."""

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "status": self.status,
            "target": self.target,
            "category": self.category,
            "id": self.id,
            "title": self.title,
            "hash": self.hash,
            "times_updated": self.times_updated,
            "renamed_from": self.renamed_from or None,
            "fixes": [fix.as_dict() for fix in self.fixes],
            "redactions": [
                {"field": found.field, "kind": found.kind, "count": found.count} for found in self.redactions
            ],
            "warnings": self.warnings,
            "retired": self.retired,
            "superseded": self.superseded,
            "operation": self.operation or None,
        }
