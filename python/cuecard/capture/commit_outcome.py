"""The outcome of a draft, and the one-line notice to the user about the outcomes of all drafts.

Rules: docs/reference/capture-commit.md, "Provenance" and "Notice".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..basics.counted import counted
from ..errors import CuecardError, Problem, ValidationError
from ..store.writes.written import Written
from .draft_quality import describe_problems

VAGUE, PERSONAL = "is vague", "has personal data"
ADDRESSING = "addresses the model, its tools or secrets"
MAX_NOTICE_CHARS = 500
MAX_TITLE_CHARS = 60


@dataclass(frozen=True)
class Outcome:
    """The outcome of one draft."""

    status: str
    """`created`, `updated`, `retired`, `unchanged`, `waiting`, `asked`, `refused` or `failed`."""
    category: str
    """"" if the draft has no category."""
    title: str
    action: str = ""
    """The action that the draft asks for."""
    target: str = ""
    """The memory's file, relative to the project; "" if the draft belongs to no memory."""
    why: str = ""
    """The reason if nothing was written; else ""."""
    written: Written | None = None
    """The result of the write; None if nothing was written, for example in a dry run."""
    error: CuecardError | None = None
    kept: str = ""
    """The file in which a failed draft is saved for a retry; "" if it is not saved."""
    waits_as: str = ""
    """The id of the draft in the inbox; "" if it is not there."""
    waits_in: str = ""
    """The memory folder whose inbox has the draft; "" for that of the session's own store."""
    similar: list[dict[str, Any]] = field(default_factory=list)
    """The memories that a draft with the status `asked` may repeat, replace or contradict."""
    parts: tuple[str, list[str]] | None = None
    """The component that a draft with the status `asked` shares with others, and what these are; else None."""
    notes: list[str] = field(default_factory=list)
    retires: list[str] = field(default_factory=list)
    """The active memories that a new memory replaces, and that are retired with it."""
    refused_for: str = ""
    """What a refused draft is or has: `VAGUE`, `PERSONAL` or `ADDRESSING`."""

    def as_dict(self) -> dict[str, Any]:
        """The JSON object that `--json` prints for each draft."""
        return {
            "status": self.status,
            "category": self.category or None,
            "title": self.title,
            "action": self.action or None,
            "target": self.target or None,
            "why": self.why or None,
            "written": self.written.as_dict() if self.written else None,
            "error": self.error.as_dict() if self.error else None,
            "kept": self.kept or None,
            "waits_as": self.waits_as or None,
            "similar": self.similar,
            **self.parts_as_dict(),
            "notes": self.notes,
        }

    def parts_as_dict(self) -> dict[str, Any]:
        """The members `about` and `beside` for a draft that may be a part of a subject; empty for any other draft."""
        return {"about": self.parts[0], "beside": self.parts[1]} if self.parts else {}


def refuse(outcome: Outcome, problems: list[Problem], what: str = VAGUE) -> Outcome:
    """The outcome of a draft that is refused once; `what` is `VAGUE`, `PERSONAL` or `ADDRESSING`."""
    error = ValidationError(f"the draft {what}: {describe_problems(problems)}", problems)
    return replace(outcome, status="refused", error=error, refused_for=what)


def write_notice(outcomes: Sequence[Outcome]) -> str:
    """One line about the drafts that were saved, wait or failed; "" if there are none.

    A draft that was refused as vague is not counted: the agent tries again at once.
    """
    told = [
        f"{outcome.status} {outcome.category} `{_shown(outcome.title)}`"
        for outcome in outcomes
        if outcome.status in ("created", "updated", "retired")
    ]
    inboxes = [outcome.waits_in for outcome in outcomes if outcome.status == "waiting"]
    for inbox in dict.fromkeys(inboxes):
        waiting = inboxes.count(inbox)
        place = f" in `{_plain(str(Path(inbox).parents[1]))}`" if inbox else ""
        drafts = counted(waiting, "draft waits", "drafts wait")
        told.append(f"{drafts} for `cuecard review`{place}")
    failed = sum(outcome.status == "failed" for outcome in outcomes)
    if failed:
        told.append(f"{failed} draft{'s' if failed > 1 else ''} could not be saved and {_KEPT[failed > 1]}")
    line = f"cuecard: {', '.join(told)}" if told else ""
    return line if len(line) <= MAX_NOTICE_CHARS else line[: MAX_NOTICE_CHARS - 1] + "…"


_KEPT = {False: "is kept for a retry", True: "are kept for a retry"}


def _shown(title: str) -> str:
    plain = _plain(title)
    return plain if len(plain) <= MAX_TITLE_CHARS else plain[: MAX_TITLE_CHARS - 1] + "…"


def _plain(text: str) -> str:
    plain = "".join([char if char.isprintable() else " " for char in text]).replace("`", "'")
    return " ".join(plain.split())
