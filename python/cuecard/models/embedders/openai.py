"""Asks OpenAI for vectors, or an endpoint with the same interface (docs/reference/models.md, "Providers")."""

from ..endpoints.api_key import read_key
from ..endpoints.endpoint import post_json
from ..endpoints.place import join_route
from .embedder import Embedder, fingerprint_of
from .embedding_settings import EmbeddingSettings
from .ollama import BATCH_SECONDS
from .rows import rows_of


class OpenAi(Embedder):
    """The embedder that sends `POST /v1/embeddings` to an endpoint."""

    batch = 64

    def __init__(self, settings: EmbeddingSettings) -> None:
        self.name = f"openai/{settings.model}"
        self._model = settings.model
        self._url = join_route(settings.url, "/v1/embeddings")
        self._key_variable = settings.api_key_env

    @property
    def fingerprint(self) -> int:
        """The fingerprint of provider and model; the same model name at another endpoint counts as the same model."""
        return fingerprint_of("openai", self._model)

    def check(self) -> None:
        """Raise ModelError if an endpoint on another machine has no key."""
        read_key(self._key_variable, self._url)

    def encode(self, texts: list[str], timeout: float | None) -> list[bytes]:
        """Encode the texts in one request. Without a key, only an endpoint on this machine is asked."""
        key = read_key(self._key_variable, self._url)
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        answer = post_json(self._url, body, headers, BATCH_SECONDS if timeout is None else timeout)
        return rows_of(_in_order(answer), len(texts))


def _in_order(answer: object) -> list[object] | None:
    """The vectors in the order of their texts, by the `index` of each; None if the answer has another form."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
        return None
    numbers = [one.get("index", place) for place, one in enumerate(data)]
    if sorted([number for number in numbers if type(number) is int]) != list(range(len(data))):
        return None
    vectors: list[object] = [None] * len(data)
    for number, one in zip(numbers, data, strict=True):
        vectors[number] = one.get("embedding")
    return vectors
