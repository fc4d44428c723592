"""The names of strategies and what they stand for (SPEC 7)."""

from ..errors import UsageError
from .chars import scrub

STRATEGIES = ("keyword", "keyword_classic")
DEFAULT_STRATEGY = "keyword"
_ALIASES = {"title_tags": "keyword"}
_REVISIONS = {"keyword": "current", "keyword_classic": "classic"}


def find_strategy(name: str) -> str | None:
    """The strategy that a name or an alias stands for, or None."""
    name = _ALIASES.get(name, name)
    return name if name in STRATEGIES else None


def revision_of(strategy: str) -> str:
    """The revision of the keyword rules that a strategy uses; `UsageError` for an unknown strategy."""
    name = find_strategy(strategy)
    if name is None:
        raise UsageError(f"unknown strategy `{scrub(strategy)}`", "use `keyword` or `keyword_classic`")
    return _REVISIONS[name]
