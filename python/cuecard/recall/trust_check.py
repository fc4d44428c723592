"""Finds out who vouches for a memory on this machine (SPEC 52)."""

from .._backend import engine
from ..memory.trust_levels import UNREVIEWED, levels_of

# The label of a memory that nobody has vouched for.
LABEL = UNREVIEWED
# How recall treats memories that nobody vouches for, as in a `Question`.
IGNORED, MARKED, HEEDED = "ignored", "marked", "heeded"


def level_of(data: bytes | None) -> str:
    """Return the trust level of a memory from the bytes of its file; `unreviewed` for None or malformed bytes."""
    trust_hash = engine.trust_hash(data) if data is not None else None
    return levels_of([trust_hash])[trust_hash] if trust_hash else UNREVIEWED
