"""When an agent is asked (SPEC 56.7)."""

from collections.abc import Sequence
from dataclasses import dataclass

from .ledger_lines import Ledger, is_substantial_prompt, own_words_of, signals_of
from .substance import says_handover, says_remember

WORD, COMPACTION, EARLIER, PROMPTS = "word", "compaction", "earlier", "prompts"
# So many substantial prompts of earlier sessions are worth an ask.
LEAST_LEFT = 3
# So many signals make the ask come early.
MANY_SIGNALS = 3
# Without them it comes after this part more prompts.
LATER_SHARE = 4


@dataclass(frozen=True)
class Moment:
    """What is known at a stop."""

    ledger: Ledger
    """The session's ledger, with what is new."""
    session: str
    start: int
    """From which position on it is new."""
    earlier: Sequence[Ledger] = ()
    """The ledgers of sessions that have ended, or were quiet for long."""
    every: int = 8
    """After how many substantial prompts an agent is asked."""


def decide(moment: Moment) -> str:
    """Why the agent is asked now; "" where it is not."""
    entries = moment.ledger.open_entries(moment.session)
    prompts = [entry for entry in entries if entry["k"] == "prompt"]
    substantial = sum(map(is_substantial_prompt, entries))
    signals = sum(map(signals_of, entries))
    if prompts and prompts[-1]["at"] >= moment.start and says_remember(own_words_of(prompts[-1])):
        return WORD
    if substantial and any(entry["k"] == "compaction" for entry in entries):
        return COMPACTION
    if not moment.ledger.has_looked:
        left = [entry for ledger in moment.earlier for entry in ledger.left_entries()]
        if sum(map(is_substantial_prompt, left)) >= LEAST_LEFT:
            return EARLIER
    later = moment.every + moment.every // LATER_SHARE
    if substantial >= later or (substantial >= moment.every and signals >= MANY_SIGNALS):
        return PROMPTS
    return ""


def wants_summary(cause: str, moment: Moment) -> bool:
    """Whether a summary of the session is wanted too: where the conversation was lost, or the user hands over."""
    if cause in (COMPACTION, EARLIER):
        return True
    new = [entry for entry in moment.ledger.entries if entry["at"] >= moment.start]
    return any(says_handover(own_words_of(entry)) for entry in new)
