"""Reads settings in the form that the vectors in `tests/vectors` need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard import _pure as pure
from vector_cases import as_lists, encode

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

# The names of the settings, in the order of the vectors.
NAMES = (
    "enabled",
    "max_inject",
    "max_tokens",
    "strategy",
    "descriptions",
    "gate_setting",
    "gate_shift",
    "may_concern",
    "fusion",
    "rrf_k",
    "lexical_weight",
    "semantic_weight",
    "graph_weight",
    "embedding_weight",
    "candidate_pool",
    "numbers",
    "synonyms",
    "related_terms",
    "graph",
    "priors",
    "half_life_seconds",
    "decay_categories",
    "session",
    "situation_paths",
    "situation_git",
    "situation_focus",
    "situation_need",
    "has_embedder",
    "embedding_ms",
    "embedding_place",
    "judge_ms",
    "judge_place",
    "log_events",
    "log_prompts",
    "holdout",
    "reviews_trust",
    "scopes_parent",
    "scopes_user",
    "scopes_team",
    "scopes_exclude",
    "scopes_teams",
)
# How a message about the file as a whole begins.
FILE = "config.json: "


def read_settings(data: str | bytes) -> list[Any]:
    """The settings in a user's file that differ from the defaults, as name and value, and the problems of the file."""
    defaults, settings = pure.read_settings(None, None), pure.read_settings(encode(data), None)
    values = [(name, as_lists(getattr(settings, name))) for name in NAMES]
    changed = [[name, value] for name, value in values if value != as_lists(getattr(defaults, name))]
    return [
        changed,
        [words.removeprefix(FILE) for words in settings.ignored if FILE + "the file" in words] + settings.problems,
    ]


def seen(native: ModuleType, settings: object) -> dict[str, Any]:
    """All settings that the seam gives, with their values, by name."""
    names = [name for name in dir(native.Settings) if not name.startswith("_")]
    return {name: getattr(settings, name) for name in names}


def pairs_of(value: object) -> object:
    """A JSON value in which each object is replaced with a list of pairs of name and value."""
    if isinstance(value, dict):
        return [[name, pairs_of(member)] for name, member in value.items()]
    return [pairs_of(item) for item in value] if isinstance(value, list) else value


def settings_that_count(engine: ModuleType, user: str | bytes | None, repository: str | bytes | None) -> list[Any]:
    """The effective settings, and the settings of both files that are ignored.

    Objects are replaced with lists of pairs of name and value.
    """
    files = [None if data is None else encode(data) for data in (user, repository)]
    settings = engine.read_settings(*files)
    return [pairs_of(settings.members), settings.ignored]


SETTINGS: dict[str, Callable[..., Any]] = {"settings_that_count": settings_that_count}
SETTINGS_PARTS: dict[str, Callable[..., Any]] = {"read_settings": read_settings}
