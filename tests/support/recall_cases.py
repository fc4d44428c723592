"""The functions for cues, priors and the gate's choice, with the names and arguments that the vectors use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.rank.priors import Prior, prior_points
from cuecard._pure.settings.gate_model import lowest_shown
from cuecard._pure.settings.reader import read_settings
from cuecard._pure.text.cues import find_cues

if TYPE_CHECKING:
    from collections.abc import Callable


def priors(cues: list[str], category: str, updated_at: int | None, now: int, config: str) -> list[Prior]:
    return prior_points(cues, category, updated_at, now, read_settings(config.encode(), None))


RECALL_PARTS: dict[str, Callable[..., Any]] = {
    "find_cues": find_cues,
    "lowest_shown": lowest_shown,
    "prior_points": priors,
}
