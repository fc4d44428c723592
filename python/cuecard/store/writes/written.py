"""The result of a write."""

from dataclasses import dataclass, field
from typing import Any

from ..intake.redaction import Redaction
from ..records.autofix import Fix


@dataclass(frozen=True)
class Written:
    """The result of a write to a memory."""

    status: str
    """What happened: `created`, `updated`, `retired` and so on, `unchanged`, or `already_` with a status."""
    target: str
    """The path of the memory's file, relative to the project."""
    category: str
    id: str
    title: str
    hash: str
    """The SHA-256 of the file after the write, for `expect_hash`."""
    times_updated: int = 0
    renamed_from: str = ""
    """The former path of the file if a new title renamed it; otherwise ""."""
    fixes: list[Fix] = field(default_factory=list)
    redactions: list[Redaction] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    """The ids of session summaries that the rolling window retired."""
    superseded: list[str] = field(default_factory=list)
    """The ids of memories that were retired because this one supersedes them."""

    operation: str = ""
    """The id for `cuecard undo`; "" if nothing was written."""

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` prints."""
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
