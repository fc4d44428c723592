"""Cues and priors as the vectors describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.cues import find_cues
from cuecard._pure.priors import Prior, prior_points
from cuecard._pure.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Callable


def priors(cues: list[str], category: str, updated_at: int | None, now: int, config: str) -> list[Prior]:
    return prior_points(cues, category, updated_at, now, read_settings(config.encode(), None))


RECALL_PARTS: dict[str, Callable[..., Any]] = {
    "find_cues": find_cues,
    "prior_points": priors,
}
