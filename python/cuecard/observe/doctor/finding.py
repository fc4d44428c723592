"""The result of one check of the doctor."""

from ...basics.light_dataclass import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Verdict = Literal["ok", "warn", "fail"]
else:
    # `typing` takes 2 ms to load.
    Verdict = str
VERDICTS: tuple[Verdict, ...] = ("ok", "warn", "fail")


@dataclass(frozen=True)
class Finding:
    """What was checked, its verdict, and what can be done about it."""

    name: str
    verdict: Verdict
    words: str
    hint: str = ""
    details: list[str] = field(default_factory=list)
    """One line for each file or line that `words` counts."""
    facts: dict[str, object] = field(default_factory=dict)
    """Details for programs, ready for JSON."""

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {
            "name": self.name,
            "verdict": self.verdict,
            "words": self.words,
            "hint": self.hint,
            "details": self.details,
            "facts": self.facts,
        }


def worst(findings: list[Finding]) -> Verdict:
    """The worst verdict of the findings; `ok` if there are none."""
    return max((finding.verdict for finding in findings), key=VERDICTS.index, default="ok")
