"""The settings that count, as the vectors describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vector_cases import as_lists, encode

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

# The values of settings, in the order in which the vectors name them.
NAMES = (
    "enabled",
    "max_inject",
    "max_tokens",
    "strategy",
    "descriptions",
    "gate_setting",
    "gate_shift",
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
    "reviews_trust",
)
# What the sentence about a file as a whole begins with.
FILE = "config.json: "


def read_settings(engine: ModuleType, data: str | bytes) -> list[Any]:
    """Name and value of what differs from the defaults in a file of the user's own, and what is wrong with it."""
    defaults, settings = engine.Settings(), engine.read_settings(encode(data), None)
    values = [(name, as_lists(getattr(settings, name))) for name in NAMES]
    changed = [[name, value] for name, value in values if value != as_lists(getattr(defaults, name))]
    return [
        changed,
        [words.removeprefix(FILE) for words in settings.ignored if FILE + "the file" in words] + settings.problems,
    ]


def seen(settings: object) -> dict[str, Any]:
    """Everything that settings say, by name."""
    names = [*NAMES, "repository_strategy", "user_descriptions", "user_places", "user_problems"]
    return {name: getattr(settings, name) for name in [*names, "members", "ignored", "problems"]}


def pairs_of(value: object) -> object:
    """A value of JSON, an object as pairs of name and value."""
    if isinstance(value, dict):
        return [[name, pairs_of(member)] for name, member in value.items()]
    return [pairs_of(item) for item in value] if isinstance(value, list) else value


def settings_that_count(engine: ModuleType, user: str | bytes | None, repository: str | bytes | None) -> list[Any]:
    """The settings that count, objects as pairs of name and value, and what of the two files does not count."""
    files = [None if data is None else encode(data) for data in (user, repository)]
    settings = engine.read_settings(*files)
    return [pairs_of(settings.members), settings.ignored]


SETTINGS: dict[str, Callable[..., Any]] = {"read_settings": read_settings, "settings_that_count": settings_that_count}
