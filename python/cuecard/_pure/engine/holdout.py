"""Withholds memories near the gate's limit at random, to compare how often they are used (SPEC 49)."""

from ..rank.verdicts import is_withheld_at_random
from .recalled_memory import RecalledMemory
from .verdicts import take_out

# How far above the gate's lowest logit a memory may be withheld, in 1/1024.
NEAR = 512


def withhold(
    percent: int, least: int, session: str, memories: list[RecalledMemory]
) -> tuple[list[RecalledMemory], list[RecalledMemory]]:
    """The memories that are withheld in a session with those shown only beside one of them, and all others.

    `least` is the lowest logit that the gate shows.
    """
    near = [one for one in memories if one.logit is not None and least <= one.logit < least + NEAR]
    return take_out(memories, {one.position for one in near if is_withheld_at_random(session, one.seen.path, percent)})
