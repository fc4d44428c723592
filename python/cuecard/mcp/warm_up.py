"""Loads the model that the settings name before the first prompt needs it.

Rules: docs/reference/models.md, "Vectors of prompts".
"""

from threading import Thread

from .._backend import read_effective_settings
from ..errors import CuecardError
from ..files.locate import locate


def warm_up(root: str | None) -> None:
    """Load the model for a project's prompts in a thread. Nothing is loaded if the settings name no model."""
    Thread(target=_warm_up, args=(root,), name="cuecard-warm-up", daemon=True).start()


def _warm_up(root: str | None) -> None:
    try:
        _folder, memory_dir = locate(root)
    except (CuecardError, OSError):
        # Without a project there is nothing to load.
        return
    config = read_effective_settings(memory_dir).settings
    if not config.has_embedder:
        return
    from ..models.embedders.choice import open_embedder
    from ..models.embedders.embedding_settings import read_embedding_settings
    from ..models.vectors.prompt_vector import load_now

    settings = read_embedding_settings(config, [])
    if settings:
        load_now(open_embedder(settings))
