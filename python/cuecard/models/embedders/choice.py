"""From settings to their embedder, one for each in a process: loading a model costs a second.

Rules: docs/reference/models.md, "Embedders".
"""

import threading

from ...configuration.embedding_settings import EmbeddingSettings
from .embedder import Embedder

_kept: dict[tuple[str, str, str, str, str], Embedder] = {}
_keeping = threading.Lock()


def open_embedder(settings: EmbeddingSettings) -> Embedder:
    """The embedder of some settings; nothing is loaded and nobody is asked yet."""
    with _keeping:
        found = _kept.get(settings.key)
        if found is None:
            found = _kept[settings.key] = _make(settings)
        return found


def _make(settings: EmbeddingSettings) -> Embedder:
    if settings.provider == "minilm":
        from .minilm import MiniLm

        return MiniLm(settings)
    if settings.provider == "ollama":
        from .ollama import Ollama

        return Ollama(settings)
    from .openai import OpenAi

    return OpenAi(settings)
