"""Finds out who vouches for a memory on this machine (SPEC 52)."""

from .._backend import engine
from ..files.trust_levels import UNREVIEWED, levels_of

# The label of a memory that nobody has vouched for.
LABEL = UNREVIEWED
# How recall treats memories that nobody vouches for, as in a `Question`.
IGNORED, MARKED, HEEDED = "ignored", "marked", "heeded"


def level_of(memory_dir: str, data: bytes | None) -> str:
    """Return the trust level of a memory of a store from its file; `unreviewed` for None or malformed bytes."""
    return UNREVIEWED if data is None else levels_of(memory_dir, [(engine.trust_hash(data), data)])[0]
