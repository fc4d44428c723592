"""Asks Ollama for vectors, on this machine or another machine (docs/reference/models.md, "Providers")."""

from ..endpoints.endpoint import post_json
from ..endpoints.place import join_route
from .embedder import Embedder, fingerprint_of
from .embedding_settings import EmbeddingSettings
from .rows import rows_of

# The timeout for a batch if no prompt waits for it; the first request loads the model.
BATCH_SECONDS = 60.0


class Ollama(Embedder):
    """The embedder that sends `POST /api/embed` to Ollama."""

    batch = 16

    def __init__(self, settings: EmbeddingSettings) -> None:
        self.name = f"ollama/{settings.model}"
        self._model = settings.model
        self._url = join_route(settings.url, "/api/embed")

    @property
    def fingerprint(self) -> int:
        """The fingerprint of provider and model; the same model name on another machine counts as the same model."""
        return fingerprint_of("ollama", self._model)

    def encode(self, texts: list[str], timeout: float | None) -> list[bytes]:
        """Encode the texts in one request."""
        body = {"model": self._model, "input": texts, "truncate": True}
        answer = post_json(self._url, body, {}, BATCH_SECONDS if timeout is None else timeout)
        vectors = answer.get("embeddings") if isinstance(answer, dict) else None
        return rows_of(vectors, len(texts))
