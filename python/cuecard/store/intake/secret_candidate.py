"""What a rule for secrets finds in a text, before and after it is judged."""

import re
from typing import NamedTuple

from .secret_rules import Rule
from .secret_values import is_documented


class Span(NamedTuple):
    """The range of a secret in a text, and the kind of the secret."""

    start: int
    end: int
    kind: str


class SecretCandidate(NamedTuple):
    """A match of a rule before it is judged. Positions count from the line end that is put before the text."""

    rule: Rule
    match: re.Match[str]
    shift: int
    """The number to add to a position in the match to get the position in the text."""
    text: str
    start: int
    end: int
    depth: int

    @property
    def value(self) -> str:
        """The text that may be a secret."""
        return self.text[self.start : self.end]

    def group(self, name: str) -> str:
        """Return the text of a group of the pattern; "" if the pattern has no such group or it did not match."""
        return self.match[name] or "" if name in self.match.re.groupindex else ""


# The kind of a documented example: nothing that overlaps the example is a secret.
DOCUMENTED = ""


def whole(found: SecretCandidate, is_secret: bool, kind: str = "") -> Span | None:
    """The span of a whole value, of `kind` or the rule's: if it is documented as an example, or `is_secret`."""
    if is_documented(found.value):
        return Span(found.start, found.end, DOCUMENTED)
    return Span(found.start, found.end, kind or found.rule.kind) if is_secret else None
