"""The names of strategies and their aliases (SPEC 22.7)."""

from ...basics.chars import scrub
from ...errors import UsageError

STRATEGIES = ("hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic")
DEFAULT_STRATEGY = "hybrid"
_ALIASES = {"title_tags": "keyword", "fts5_bm25": "bm25"}


def find_strategy(name: str) -> str | None:
    """Return the strategy for a name or an alias; None if there is none."""
    name = _ALIASES.get(name, name)
    return name if name in STRATEGIES else None


def revision_of(strategy: str) -> str:
    """Return the revision of the keyword rules that a strategy uses. Raises UsageError for an unknown strategy."""
    name = find_strategy(strategy)
    if name is None:
        raise UsageError(f"unknown strategy `{scrub(strategy)}`", f"use `{'` or `'.join(STRATEGIES)}`")
    return "classic" if name == "keyword_classic" else "current"
