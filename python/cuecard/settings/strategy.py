"""The names of strategies and what they stand for (SPEC 22.7)."""

from ..basics.chars import scrub
from ..errors import UsageError

STRATEGIES = ("hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic")
DEFAULT_STRATEGY = "hybrid"
_ALIASES = {"title_tags": "keyword", "fts5_bm25": "bm25"}


def find_strategy(name: str) -> str | None:
    """The strategy that a name or an alias stands for, or None."""
    name = _ALIASES.get(name, name)
    return name if name in STRATEGIES else None


def revision_of(strategy: str) -> str:
    """The revision of the keyword rules that a strategy uses, if it uses them; `UsageError` for an unknown strategy."""
    name = find_strategy(strategy)
    if name is None:
        raise UsageError(f"unknown strategy `{scrub(strategy)}`", f"use `{'` or `'.join(STRATEGIES)}`")
    return "classic" if name == "keyword_classic" else "current"
