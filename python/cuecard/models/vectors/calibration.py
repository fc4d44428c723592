"""Brings the cosines of any embedder to the scale for which recall is fitted (docs/reference/models.md, "Cosines")."""

from ..embedders.embedder import MINILM_SPREAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..embedders.embedder import Embedder


def calibrate(embedder: "Embedder", near: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs of a position and a cosine, as recall expects them from an embedder whose cosines spread as MiniLM's do.

    The cosines of an embedder with another spread are moved, so that their mean is 0, and multiplied by the ratio of
    the spreads. Recall itself measures each prompt's spread, but it trusts a usual spread where cosines are few.
    """
    if embedder.spread == MINILM_SPREAD or not near:
        return near
    mean = sum([cosine for _position, cosine in near]) // len(near)
    return [(position, (cosine - mean) * MINILM_SPREAD // embedder.spread) for position, cosine in near]
