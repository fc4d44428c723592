"""The functions for cues and priors, with the names and arguments that the vectors in `tests/vectors` use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.rank.priors import Prior, prior_points
from cuecard.settings.reader import read_settings
from cuecard.text.cues import find_cues

if TYPE_CHECKING:
    from collections.abc import Callable


def priors(cues: list[str], category: str, updated_at: int | None, now: int, config: str) -> list[Prior]:
    return prior_points(cues, category, updated_at, now, read_settings(config.encode(), None))


RECALL_PARTS: dict[str, Callable[..., Any]] = {
    "find_cues": find_cues,
    "prior_points": priors,
}
