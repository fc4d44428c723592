"""Why hybrid recall shows a memory for a prompt, or does not: every stage, number by number (SPEC 29)."""

from .hit import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._pure.recall import Feature, Ranks, Traced

# The gate looks at so many of the first, and at more where more are wanted.
JUDGED = 8


class Trace:
    """What the stages made of one memory for one prompt.

    `terms` are looked for: term, weight of 1 to 256, piece of the prompt. `parts` sum to the score (1/4096), the shares
    of `features` (name, value, share; 1/1024, the bias first) to the gate's logit. Without ranks no leg has found the
    memory, and there is nothing of the rest.
    """

    __slots__ = ("cues", "features", "least", "parts", "ranks", "setting", "terms", "wanted")

    def __init__(self, traced: "Traced", setting: str, least: int | None, wanted: int) -> None:
        """`setting` is the gate's, `least` its lowest logit (1/1024), `wanted` how many memories are shown at most."""
        self.cues, self.terms, ranks, parts, features = traced
        self.ranks: Ranks | None = ranks
        self.parts = tuple([Part(*part) for part in parts])
        self.features: list[Feature] = features
        self.setting = setting
        self.least = least
        self.wanted = wanted

    @property
    def logit(self) -> int:
        """The gate's sum, in 1/1024."""
        return sum([share for _name, _value, share in self.features])

    @property
    def verdict(self) -> str:
        """Whether the memory is shown, and else at which stage it is lost and by how much, in a sentence."""
        if self.ranks is None:
            return "not shown: no leg finds it"
        rank = self.ranks[0]
        if self.least is None:
            return "shown" if rank < self.wanted else f"not shown: rank {rank + 1} of {self.wanted}"
        if "chat" in self.cues:
            return "not shown: the prompt is nothing but a courtesy"
        missing = self.least - self.logit
        if missing > 0:
            return f"not shown: {missing} points under the {self.least} of `{self.setting}`"
        if rank >= max(self.wanted, JUDGED):
            return f"not shown: rank {rank + 1}, and the gate looks at {max(self.wanted, JUDGED)}"
        return "shown, unless others fill the places before it"

    def as_dict(self) -> dict[str, object]:
        """Everything by name, ready for JSON."""
        names = ("rank", "score", "fused", "lexical", "lexical_rank", "cosine", "semantic_rank")
        return {
            "verdict": self.verdict,
            "setting": self.setting,
            "least": self.least,
            "logit": self.logit,
            "cues": self.cues,
            "terms": [{"term": term, "weight": weight, "word": word} for term, weight, word in self.terms],
            "ranks": dict(zip(names, self.ranks, strict=True)) if self.ranks else None,
            "parts": [part.as_dict() for part in self.parts],
            "features": [{"name": name, "value": value, "share": share} for name, value, share in self.features],
        }
