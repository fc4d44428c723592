"""Makes a memory from one statement of another tool: a note's observation, a fact about an entity.

Rules: docs/reference/import.md, "Statements".
"""

import re
from dataclasses import dataclass

from ..store.records.record_file import Fields
from . import rule_words
from .draft import NOT_STATED, ImportedDraft, find_because, shorten
from .line_names import key_of
from .subjects import topics_of, with_subject
from .titles import make_title

MIN_WORDS, MIN_LETTERS = 3, 6
_DECIDED = re.compile(
    r"\b(?:we|they|team|user|i) (?:have |has )?(?:decided|chose|chosen|settled on|agreed|opted|adopted|picked"
    r"|switched to|moved to|migrated to|went with)\b|^(?:decided|chose|adopted|agreed|switched to)\b",
    re.IGNORECASE,
)
_WANTED = re.compile(r"\b(?:prefers?|likes?|dislikes?|wants?|favou?rs?)\b", re.IGNORECASE)
_STRONG = re.compile(r"\b(?:always|never|must|required)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """A statement in a source, which is understood together with its subject."""

    text: str
    subject: str
    """The entity or the note that the statement is about; "" if it names its subject itself."""
    category: str = ""
    """The category that the source gives it; "" to decide by the text."""
    context: str = ""
    tags: tuple[str, ...] = ()
    date: str = ""
    is_of_entity: bool = False
    """Whether the statement belongs to an entity, so that nobody can tell without its name what it is about."""

    def draft(self, kind: str, path: str, heading: str) -> ImportedDraft:
        """The memory of the statement. Only `because` in its own text gives a reason."""
        category = self.category or category_of(self.text)
        title = with_subject(make_title(self.text), self.subject, is_needed=self.is_of_entity)
        tags = self.tags or topics_of(self.subject)
        return ImportedDraft(category, title, self._content(category), kind, path, heading, tags, date=self.date)

    @property
    def key(self) -> str:
        """The first words of the statement, which identify it below its heading."""
        return key_of(self.text)

    def _content(self, category: str) -> Fields:
        text = shorten(self.text)
        told = ". ".join([part for part in (self.subject, self.context) if part])
        reasons = [shorten(reason, 1000) for reason in find_because(self.text)] or [NOT_STATED]
        if category == "decision":
            return {"status": "accepted", "context": told or text, "decision": text, "rationale": reasons}
        if category == "tech_debt":
            return {"status": "open", "priority": "medium", "description": text, "reason_deferred": reasons[0]}
        if category == "preference":
            strength = "strong" if _STRONG.search(text) else "default"
            return {"topic": told or text, "value": text, "reason": reasons[0], "strength": strength}
        is_rule = rule_words.is_binding(self.text)
        severity = "high" if rule_words.forbids(self.text) else "medium" if is_rule else "low"
        kind = "policy" if is_rule else "technical"
        return {"kind": kind, "rule": text, "impact": reasons, "severity": severity, "active": True}


def category_of(text: str) -> str:
    """The category of a statement: what binds is a constraint, and so is a fact, because work must fit it."""
    if rule_words.is_binding(text):
        return "constraint"
    if _DECIDED.search(text):
        return "decision"
    return "preference" if rule_words.is_rule(text) or _WANTED.search(text) else "constraint"


def is_too_short(text: str) -> bool:
    """Whether a text is a name or a value and no statement. In some languages a statement has no blanks."""
    letters = sum([letter.isalpha() and not letter.isascii() for letter in text])
    return len(text.split()) < MIN_WORDS and letters < MIN_LETTERS


def times(what: str, count: int) -> str:
    """What was left out, with the number of times if it is more than one."""
    return what if count == 1 else f"{what} ({count} times)"
