"""The part of an ended session's ledger that nobody was asked about, claimed by one process alone (SPEC 56.9)."""

import os
from dataclasses import dataclass

from ..ledger.claims import Earlier, find_earlier, settle
from ..ledger.claims import claim as claim_ledger
from ..ledger.ledger_lines import GIVEN_BACK, Ask, Entry, is_substantial_prompt

# So many substantial prompts are worth a run.
LEAST_PROMPTS = 3
CAUSE = "background"


@dataclass
class LeftPart:
    """What a session has left, and the range of positions that it has in the transcript."""

    session: str
    transcript: str
    entries: list[Entry]
    ask: Ask

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.ask.start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.ask.end


def find_left(memory_dir: str) -> list[LeftPart]:
    """The parts of ended sessions that are worth a run, those of the oldest session first."""
    parts = [_part(earlier) for earlier in find_earlier(memory_dir, "")]
    return [part for part in parts if sum(map(is_substantial_prompt, part.entries)) >= LEAST_PROMPTS]


def claim(memory_dir: str, part: LeftPart) -> bool:
    """Claim a part: only one process can rename its ledger. False where another one was faster."""
    return claim_ledger(memory_dir, part.session, part.ask)


def give_back(memory_dir: str, part: LeftPart, how: str) -> None:
    """Give a claimed ledger back; the part is dealt with where `how` is `drafts` or `nothing`, and is not where it is
    ""."""
    settle(memory_dir, part.ask.id, how or GIVEN_BACK)
    settle(memory_dir, part.ask.id, "")


def _part(earlier: Earlier) -> LeftPart:
    ledger, left = earlier.ledger, earlier.ledger.left_entries()
    run = os.urandom(8).hex()
    # The second ask by the same one about the same entries would not count.
    ask = Ask(run, CAUSE, f"{CAUSE}-{run}", left[0]["at"], ledger.position)
    return LeftPart(earlier.session, ledger.transcript, left, ask)
