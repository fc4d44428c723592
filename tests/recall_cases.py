"""Cues, priors and the settings of hybrid recall as the vectors describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.cues import find_cues
from cuecard._pure.priors import Prior, prior_points
from cuecard._pure.recall_config import read_recall_config

if TYPE_CHECKING:
    from collections.abc import Callable


def recall_config(data: str) -> list[Any]:
    """The settings in their order."""
    config = read_recall_config(data.encode())
    return [
        config.gate_setting,
        config.gate_shift,
        config.fusion,
        config.rrf_k,
        config.lexical_weight,
        config.semantic_weight,
        config.graph_weight,
        config.candidate_pool,
        config.related_terms,
        config.graph,
        config.priors,
        config.session,
        config.max_tokens,
        [config.situation_paths, config.situation_git, config.situation_focus, config.situation_need],
        [config.log_events, config.log_prompts],
        config.half_life_seconds,
        config.decay_categories,
        config.problems,
    ]


def model_settings(data: str) -> list[Any]:
    """Of the settings of models what the core has."""
    config = read_recall_config(data.encode())
    return [config.embedding_weight, config.embedding_ms, config.judge_ms, config.problems]


def priors(cues: list[str], category: str, updated_at: int | None, now: int, config: str) -> list[Prior]:
    return prior_points(cues, category, updated_at, now, read_recall_config(config.encode()))


def places_of_models(data: str) -> list[str | None]:
    """Host and port of the endpoints of settings, the embedder's first."""
    config = read_recall_config(data.encode())
    return [config.embedding_place, config.judge_place]


def review_of_trust(data: str) -> list[Any]:
    """Whether memories must be vouched for, and what is wrong with the settings."""
    config = read_recall_config(data.encode())
    return [config.reviews_trust, config.problems]


RECALL_PARTS: dict[str, Callable[..., Any]] = {
    "find_cues": find_cues,
    "model_settings": model_settings,
    "places_of_models": places_of_models,
    "prior_points": priors,
    "review_of_trust": review_of_trust,
    "read_recall_config": recall_config,
}
