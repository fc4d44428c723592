"""Decides when an agent is asked for memories (docs/reference/ledger.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

from .ledger_lines import Entry, Ledger, corrections_of, has_signs, is_substantial_prompt, own_words_of
from .substance import says_handover
from .wishes import says_remember

WORD, COMPACTION, EARLIER, PROMPTS = "word", "compaction", "earlier", "prompts"
# Without signs an agent is asked after this many times `every` prompts, and so it is about what earlier sessions left.
FULL = 2
# Between the two numbers the signals are counted again after this many further prompts.
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
    """The number of substantial prompts after which an agent is asked."""


def decide(moment: Moment) -> str:
    """The reason to ask the agent now; "" if it is not asked."""
    entries = moment.ledger.open_entries(moment.session)
    if any(entry["at"] >= moment.start and says_remember(own_words_of(entry)) for entry in entries):
        return WORD
    substantial = sum(map(is_substantial_prompt, entries))
    if substantial and any(entry["k"] == "compaction" for entry in entries):
        return COMPACTION
    if substantial >= FULL * moment.every or (substantial >= moment.every and has_signs(entries)):
        return PROMPTS
    if not moment.ledger.has_looked:
        left = [entry for ledger in moment.earlier for entry in ledger.left_entries()]
        prompts = sum(map(is_substantial_prompt, left))
        if prompts >= FULL * moment.every or (prompts and any(map(corrections_of, left))):
            return EARLIER
    return ""


def next_look(entries: Sequence[Entry], every: int) -> int:
    """The number of substantial prompts from which on a stop may ask because of their number.

    `entries` are the open entries of a session at a stop at which its agent was not asked.
    """
    substantial = sum(map(is_substantial_prompt, entries))
    if substantial < every:
        return every
    return max(substantial + 1, min(substantial + STEP, FULL * every))


def wants_summary(cause: str, moment: Moment) -> bool:
    """Whether to also ask for a session summary: the conversation was lost, or the user hands the work over."""
    if cause in (COMPACTION, EARLIER):
        return True
    new = [entry for entry in moment.ledger.entries if entry["at"] >= moment.start]
    return any(says_handover(own_words_of(entry)) for entry in new)
