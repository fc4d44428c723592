"""The unprocessed entries of an ended session. One process claims them before a background run.

Rules: docs/reference/ledger.md.
"""

import os
from dataclasses import dataclass

from ..ledger.claims import Earlier, find_earlier, settle
from ..ledger.claims import claim as claim_ledger
from ..ledger.ledger_lines import GIVEN_BACK, Ask, Entry, is_substantial_prompt

# A run starts only if there are at least this many substantial prompts.
LEAST_PROMPTS = 3
CAUSE = "background"


@dataclass
class LeftPart:
    """The unprocessed entries of a session, and the request to the model (`ask`) about them."""

    session: str
    transcript: str
    entries: list[Entry]
    ask: Ask

    @property
    def start(self) -> int:
        """The position of the first entry in the transcript."""
        return self.ask.start

    @property
    def end(self) -> int:
        """The position behind the last entry in the transcript."""
        return self.ask.end


def find_left(memory_dir: str) -> list[LeftPart]:
    """The unprocessed entries of each ended session with enough prompts for a run, the oldest session first."""
    parts = [_part(earlier) for earlier in find_earlier(memory_dir, "")]
    return [part for part in parts if sum(map(is_substantial_prompt, part.entries)) >= LEAST_PROMPTS]


def claim(memory_dir: str, part: LeftPart) -> bool:
    """Claim the entries of a session by renaming its ledger. Returns False if another process claimed them first."""
    return claim_ledger(memory_dir, part.session, part.ask)


def give_back(memory_dir: str, part: LeftPart, how: str) -> None:
    """Give a claimed ledger back, and record how the run ended.

    The entries count as processed if `how` is `drafts` or `nothing`, and stay unprocessed if `how` is "".
    """
    settle(memory_dir, part.ask.id, how or GIVEN_BACK)
    settle(memory_dir, part.ask.id, "")


def _part(earlier: Earlier) -> LeftPart:
    ledger, left = earlier.ledger, earlier.ledger.left_entries()
    run = os.urandom(8).hex()
    # Each run has its own `by`: a second ask with the same `by` about the same entries would be ignored.
    ask = Ask(run, CAUSE, f"{CAUSE}-{run}", left[0]["at"], ledger.position)
    return LeftPart(earlier.session, ledger.transcript, left, ask)
