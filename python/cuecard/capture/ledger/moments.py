"""Decides when an agent is asked for memories (docs/reference/ledger.md)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from .ledger_lines import Entry, Ledger, is_substantial_prompt, own_words_of
from .substance import says_handover
from .weights import MOST, weigh
from .wishes import says_remember

WORD, COMPACTION, EARLIER, PROMPTS = "word", "compaction", "earlier", "prompts"
# An agent is asked about what earlier sessions left when it weighs this many times `every`. A correction alone does.
WAITING = 2.75
# After `every` prompts it is asked when all that nobody has read weighs this many times `every`.
FULL = 4
# Without an ask, the entries are weighed again after at least this many further prompts.
STEP = 2


@dataclass(frozen=True)
class Moment:
    """The facts at a stop of the agent on which the decision to ask depends."""

    ledger: Ledger
    """The session's ledger, including the new entries."""
    session: str
    start: int
    """The position of the first new entry."""
    earlier: Sequence[Ledger] = ()
    """The ledgers of sessions that have ended or are idle."""
    every: int = 8
    """An agent is asked about its own session after at least this many substantial prompts."""

    @property
    def own(self) -> list[Entry]:
        """The entries of this session that its agent was not asked about."""
        return self.ledger.open_entries(self.session)

    @property
    def left_weight(self) -> int:
        """The weight of what earlier sessions have left."""
        return self.weigh(entry for ledger in self.earlier for entry in ledger.left_entries())

    @property
    def has_waiting(self) -> bool:
        """Whether earlier sessions have left enough for an ask."""
        return self.left_weight >= WAITING * self.every

    @property
    def is_first_stop(self) -> bool:
        """Whether the agent stops for the first time in this session."""
        prompts = [entry for entry in self.ledger.entries if entry["k"] == "prompt"]
        return len(prompts) <= 1

    def weigh(self, entries: Iterable[Entry]) -> int:
        """The weight of some entries."""
        return weigh(entries, ceil(WAITING * self.every))


def decide(moment: Moment) -> str:
    """The reason to ask the agent now; "" if it is not asked."""
    own = moment.own
    if any(entry["at"] >= moment.start and says_remember(own_words_of(entry)) for entry in own):
        return WORD
    if any(map(is_substantial_prompt, own)) and any(entry["k"] == "compaction" for entry in own):
        return COMPACTION
    if moment.has_waiting:
        return EARLIER if moment.is_first_stop else PROMPTS
    is_long = sum(map(is_substantial_prompt, own)) >= moment.every
    return PROMPTS if is_long and moment.weigh(own) + moment.left_weight >= FULL * moment.every else ""


def next_look(moment: Moment) -> int:
    """The number of substantial prompts from which on a stop may ask because of them.

    `moment` is that of a stop at which the agent was not asked.
    """
    missing = FULL * moment.every - moment.weigh(moment.own) - moment.left_weight
    prompts = sum(map(is_substantial_prompt, moment.own))
    return max(moment.every, prompts + max(STEP, missing // MOST))


def wants_summary(cause: str, moment: Moment) -> bool:
    """Whether to also ask for a session summary: a conversation is lost or over, or the user hands the work over."""
    if cause in (COMPACTION, EARLIER) or (cause == PROMPTS and moment.has_waiting):
        return True
    new = [entry for entry in moment.ledger.entries if entry["at"] >= moment.start]
    return any(says_handover(own_words_of(entry)) for entry in new)
