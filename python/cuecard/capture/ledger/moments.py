"""Decides when an agent is asked for memories (docs/reference/ledger.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

from .ledger_lines import Entry, Ledger, is_substantial_prompt, own_words_of, signals_of
from .substance import says_handover
from .wishes import says_remember

WORD, COMPACTION, EARLIER, PROMPTS = "word", "compaction", "earlier", "prompts"
# An agent is asked about earlier sessions if they have at least this many unprocessed substantial prompts.
LEAST_LEFT = 3
# With this many signals the agent is asked early.
MANY_SIGNALS = 3
# With fewer signals the agent is asked later: after a quarter more prompts.
LATER_SHARE = 4


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
    substantial = sum(map(is_substantial_prompt, entries))
    signals = sum(map(signals_of, entries))
    if any(entry["at"] >= moment.start and says_remember(own_words_of(entry)) for entry in entries):
        return WORD
    if substantial and any(entry["k"] == "compaction" for entry in entries):
        return COMPACTION
    if not moment.ledger.has_looked:
        left = [entry for ledger in moment.earlier for entry in ledger.left_entries()]
        if sum(map(is_substantial_prompt, left)) >= LEAST_LEFT:
            return EARLIER
    if substantial >= _later(moment.every) or (substantial >= moment.every and signals >= MANY_SIGNALS):
        return PROMPTS
    return ""


def next_look(entries: Sequence[Entry], every: int) -> int:
    """The number of substantial prompts from which on a stop may ask because of their number.

    `entries` are the open entries of a session at a stop at which its agent was not asked. After `every` prompts the
    signals are counted once, and then nothing is looked at until a quarter more were typed: a turn brings rarely as
    many signals as were missing.
    """
    substantial = sum(map(is_substantial_prompt, entries))
    return every if substantial < every else max(substantial + 1, _later(every))


def _later(every: int) -> int:
    return every + every // LATER_SHARE


def wants_summary(cause: str, moment: Moment) -> bool:
    """Whether to also ask for a session summary: the conversation was lost, or the user hands the work over."""
    if cause in (COMPACTION, EARLIER):
        return True
    new = [entry for entry in moment.ledger.entries if entry["at"] >= moment.start]
    return any(says_handover(own_words_of(entry)) for entry in new)
