"""Creates the embedder that the settings name, once for each process, since loading a model takes a second.

Rules: docs/reference/models.md, "Embedders".
"""

import threading

from .embedder import Embedder
from .embedding_settings import EmbeddingSettings

_kept: dict[tuple[str, str, str, str, str], Embedder] = {}
_keeping = threading.Lock()


def open_embedder(settings: EmbeddingSettings) -> Embedder:
    """The embedder for some settings. It loads nothing and asks no endpoint yet."""
    with _keeping:
        found = _kept.get(settings.key)
        if found is None:
            found = _kept[settings.key] = _make(settings)
        return found


def _make(settings: EmbeddingSettings) -> Embedder:
    if settings.provider == "minilm":
        from .minilm import MiniLm

        return MiniLm(settings)
    if settings.provider == "e5":
        from .e5 import E5

        return E5(settings)
    if settings.provider == "ollama":
        from .ollama import Ollama

        return Ollama(settings)
    from .openai import OpenAi

    return OpenAi(settings)
