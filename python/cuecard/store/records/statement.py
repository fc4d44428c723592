"""Makes a memory from one plain statement, such as "Always use pnpm"."""

import re
from dataclasses import dataclass

from .autofix import UNTAGGED, tidy_title
from .record import CategoryName
from .record_file import Fields
from .record_limits import MAX_TITLE_CHARS

# The category of a statement without a given category: most statements say how people want things.
DEFAULT_CATEGORY: CategoryName = "preference"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|(?<=[\u3002\uff01\uff1f])|\n")
# The field of each category for the reason, and whether the field is a list.
_REASONS: dict[CategoryName, tuple[str, bool]] = {
    "decision": ("rationale", True),
    "constraint": ("impact", True),
    "preference": ("reason", False),
    "runbook": ("verification", False),
    "tech_debt": ("reason_deferred", False),
}
_STRONG = re.compile(r"\b(always|never|must|only)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """One or a few sentences of a person, with the details that they gave for the memory."""

    text: str
    category: CategoryName = DEFAULT_CATEGORY
    reason: str = ""
    tags: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    subject: str = ""
    forbids: tuple[str, ...] = ()
    severity: str = "medium"
    """How grave it is to break a constraint."""

    def record(self) -> Fields:
        """Return the record of the memory, without the fields that the store fills in."""
        extension: Fields = {"origin": "user"}
        if self.questions:
            extension["questions"] = list(self.questions)
        if self.subject:
            extension["subject"] = self.subject
        if self.forbids:
            extension["forbids"] = list(self.forbids)
        tags = list(self.tags) or [UNTAGGED]
        return {"title": self.title, "tags": tags, "content": self._content(), "cuecard": extension}

    @property
    def title(self) -> str:
        """The first sentence without its full stop, cut at a blank to the length of a title."""
        first = tidy_title(_SENTENCE_END.split(self.text.strip(), maxsplit=1)[0]).rstrip(".\u3002")
        if len(first) <= MAX_TITLE_CHARS:
            return first
        return (
            first[: MAX_TITLE_CHARS - 1].rpartition(" ")[0].rstrip(",;:") + "…"
            if " " in first
            else first[:MAX_TITLE_CHARS]
        )

    def _content(self) -> Fields:
        text, reason = self.text.strip(), self.reason.strip()
        contents: dict[CategoryName, Fields] = {
            "decision": {"status": "accepted", "decision": text},
            "constraint": {"kind": "policy", "rule": text, "severity": self.severity, "active": True},
            "preference": {
                "topic": self.title,
                "value": text,
                "strength": "strong" if _STRONG.search(text) else "default",
            },
            "runbook": {"trigger": self.title, "steps": _lines(text)},
            "tech_debt": {"status": "open", "priority": "medium", "description": text},
            "session_summary": {
                "goal": self.title,
                "outcome": "partial",
                "completed": _lines(text),
                "next_actions": [],
            },
        }
        content = contents[self.category]
        if reason and self.category in _REASONS:
            name, is_list = _REASONS[self.category]
            content[name] = [reason] if is_list else reason
        return content


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
