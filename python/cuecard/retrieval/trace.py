"""Explains why hybrid recall shows a memory for a prompt, or why not, with the numbers of every stage (SPEC 29)."""

from .._backend import NAMED
from .._backend import Feature as Feature
from .._backend import Ranks as Ranks
from .._backend import Term as Term
from ..basics.gate_table import CONSTANTS
from ..basics.light_dataclass import dataclass
from .hit import Part

# The gate judges this many of the first memories, or more if more are wanted.
JUDGED = CONSTANTS["judged"]

# How a memory is shown, and why it is left out after it has passed the gate.
WAYS = {
    "full": "with its text",
    "gist": "with its gist",
    "title": "by its title",
    "line": "as a line",
    "sibling": "in a line beside a surer memory of its subject",
}
LOSSES = {
    "superseded": "another memory has taken its place",
    "over": "it no longer holds, and the prompt does not ask for the past",
    "ahead": "it does not hold yet",
    "withheld": "it is withheld: it is unreviewed and addresses the model, its tools or secrets",
    "judge": "the judge does not keep it",
    "verdict": "you have said that it is wrong for such a prompt",
    "hosted": "the host shows it by itself, in a file such as `CLAUDE.md`",
    "holdout": "it is withheld at random, because `learning.holdout` compares",
    NAMED: "the gate was not sure enough, and its title was named as one that may concern the prompt",
    "duplicate": "another shown memory says nearly the same",
    "budget": "there is no room for it in `retrieval.max_tokens`",
}


@dataclass(frozen=True)
class Trace:
    """The results of all stages for one memory and one prompt.

    The points of `parts` sum to the score (`ranks.score`, in units of 1/4096). The shares of `features`, with the bias
    first, sum to the gate's `logit` (in units of 1/1024). `cues` are the kinds of prompt that the words indicate. If no
    retriever has found the memory, `ranks` is None, and `parts` and `features` are empty.

    `setting` is the gate's setting. `least` is the lowest logit with which the gate shows a memory for this prompt,
    and `usual` for a prompt without a surer memory; both are None for `off`. `wanted` is the largest number of
    memories that are shown. `place` is the place of this memory among the shown memories, from 0; None if it is not
    shown. `outcome` says how the memory appears (`full`, `gist`, `title`, `line` or `sibling`) or why it does not (see
    `LOSSES`); "" if neither applies. `judge` says what the judge did with the memories that it saw; "" if it was not
    asked. `silence` says why the prompt gets no answer at all; "" if it gets one. `subject_logit` is the logit of the
    memory's subject, judged as one memory, if the memory is shown because of it (SPEC 28.4). `embedder` is the name of
    the embedder that computed the vectors (`static` is the built-in table). `embedder_note` says why this is not the
    configured embedder. Texts are as in the memory: sanitise them as the texts of a `Hit`.
    """

    category: str
    title: str
    path: str
    tags: tuple[str, ...]
    status: str
    cues: tuple[str, ...]
    terms: tuple[Term, ...]
    ranks: Ranks | None
    parts: tuple[Part, ...]
    features: tuple[Feature, ...]
    setting: str
    least: int | None
    usual: int | None
    wanted: int
    place: int | None
    outcome: str = ""
    silence: str = ""
    judge: str = ""
    subject_logit: int | None = None
    embedder: str = "static"
    embedder_note: str = ""
    trust: str = ""
    is_withheld: bool = False

    @property
    def logit(self) -> int:
        """The sum of the shares of the gate's features, in units of 1/1024."""
        return sum([feature.share for feature in self.features])

    @property
    def probability(self) -> float | None:
        """The gate's estimate that the memory helps, 0 to 1; None if no retriever has found the memory."""
        return None if self.ranks is None else _probability(self.logit)

    @property
    def subject_probability(self) -> float | None:
        """The gate's estimate that the subject helps, 0 to 1; None if the memory is not shown for its subject."""
        return None if self.subject_logit is None else _probability(self.subject_logit)

    @property
    def threshold(self) -> float | None:
        """The probability that `setting` requires for this prompt, 0 to 1; None for `off`."""
        return None if self.least is None else _probability(self.least)

    @property
    def is_shown(self) -> bool:
        """Whether the agent sees the memory in any form."""
        return self.place is not None and self.outcome in WAYS

    @property
    def verdict(self) -> str:
        """A sentence that says how the memory is shown, or at which stage it is lost and by how much."""
        if self.place is not None and self.is_shown:
            # Siblings do not count among the wanted memories.
            end = "" if self.outcome == "sibling" else f": place {self.place + 1} of at most {self.wanted}"
            end += "" if self.subject_logit is None else ", for its subject"
            return f"shown {WAYS[self.outcome]}{end}"
        return f"not shown: {self._loss()}"

    def _loss(self) -> str:
        if self.status != "active":
            return f"it is {self.status}"
        if self.silence:
            return self.silence
        if self.outcome in LOSSES and self.outcome != NAMED:
            return LOSSES[self.outcome]
        if self.ranks is None:
            return "no retriever finds it"
        rank = self.ranks.rank
        if self.least is None:
            return f"rank {rank + 1}, and at most {self.wanted} {'is' if self.wanted == 1 else 'are'} shown"
        judged = max(self.wanted, JUDGED)
        if rank >= judged:
            return f"rank {rank + 1}, and the gate judges only the first {judged}"
        if self.logit < self.least:
            end = "; its title is named as one that may concern the prompt" if self.outcome == NAMED else ""
            return unsure(self.logit, self.least, self.usual, self.setting) + end
        return (
            f"better memories fill the {self.wanted} places" if self.wanted > 1 else "a better memory fills the place"
        )

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {
            "verdict": self.verdict,
            "category": self.category,
            "title": self.title,
            "path": self.path,
            "tags": list(self.tags),
            "status": self.status,
            "cues": list(self.cues),
            "terms": [term._asdict() for term in self.terms],
            "ranks": self.ranks._asdict() if self.ranks else None,
            "parts": [part.as_dict() for part in self.parts],
            "features": [feature._asdict() for feature in self.features],
            "logit": self.logit if self.ranks else None,
            "probability": self.probability,
            "subject_logit": self.subject_logit,
            "subject_probability": self.subject_probability,
            "setting": self.setting,
            "least": self.least,
            "usual": self.usual,
            "threshold": self.threshold,
            "wanted": self.wanted,
            "place": self.place,
            "outcome": self.outcome or None,
            "judge": self.judge or None,
            "embedder": self.embedder,
            "embedder_note": self.embedder_note or None,
            "trust": self.trust or None,
            "withheld": self.is_withheld,
        }


def unsure(logit: int, least: int, usual: int | None, setting: str | None) -> str:
    """A sentence that says how far a memory is below the lowest logit `least` of a prompt.

    `usual` is that of a prompt without a surer memory. Logits are in units of 1/1024.
    """
    sure = f"{_probability(logit) * 100:.0f}%"
    if sure == f"{_probability(least) * 100:.0f}%":
        return f"the gate is {sure} sure of it, {least - logit} points too few for `{setting}`"
    return f"the gate is {sure} sure of it, and {shows_from(logit, least, usual, setting)}"


def shows_from(logit: int, least: int, usual: int | None, setting: str | None) -> str:
    """A phrase with the lowest probability at which a setting shows a memory for a prompt; arguments as in `unsure`."""
    limit = limit_for(logit, least, usual)
    beside = "" if limit == usual else " beside a surer memory"
    return f"`{setting}` shows from {_probability(limit) * 100:.0f}%{beside}"


def limit_for(logit: int, least: int, usual: int | None) -> int:
    """The lowest logit that explains what happens to a memory; arguments as in `unsure`.

    A memory that would be shown alone is not compared with a surer one, because it may be the surest itself.
    """
    return usual if usual is not None and logit >= max(least, usual) else least


def _probability(logit: int) -> float:
    # The pure backend is always installed. The native backend has the same table.
    from .._backend import LOGIT_UNIT as UNIT
    from .._backend import probability

    return probability(logit) / UNIT
