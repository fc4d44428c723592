"""An embedder that runs in this process: it is loaded once, at its first use, and then used by one thread at a time."""

import atexit
import threading
from abc import abstractmethod
from collections.abc import Callable

from ...basics.chars import scrub
from .embedder import Embedder
from .embedding_settings import EmbeddingSettings
from .rows import rows_of

# How many threads a model computes with.
THREADS = 4
# How long a process that ends waits for a running computation; without this wait it would abort.
EXIT_SECONDS = 10.0

# Computes the vector of a text. The second argument says whether the text is a prompt.
Run = Callable[[str, bool], list[float]]


class LocalModel(Embedder):
    """An embedder whose model is in the memory of this process."""

    is_local = True

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._path = settings.path
        # A thread has this lock while the model is loaded or computes.
        self._working = threading.RLock()
        self._run: Run | None = None
        # When the process exits, it takes this lock and keeps it, so that no computation starts afterwards.
        atexit.register(self._working.acquire, timeout=EXIT_SECONDS)

    @abstractmethod
    def _open(self) -> Run:
        """Load the model. Raises ModelError."""

    @property
    def is_ready(self) -> bool:
        """Whether the model is in memory."""
        return self._run is not None

    def load(self) -> None:
        """Load the model, which takes up to a second. Raises ModelError."""
        self._loaded()

    def encode(self, texts: list[str], timeout: float | None) -> list[bytes]:
        """Encode the texts one by one, so that a row does not depend on the other texts. Ignores `timeout`."""
        return self._encode(texts, False)

    def encode_prompt(self, text: str, timeout: float | None) -> bytes:
        """Encode a prompt. Ignores `timeout`."""
        return self._encode([text], True)[0]

    def _encode(self, texts: list[str], are_prompts: bool) -> list[bytes]:
        with self._working:
            run = self._loaded()
            vectors = [run(scrub(text), are_prompts) for text in texts]
        return rows_of(vectors, len(texts))

    def _loaded(self) -> Run:
        with self._working:
            if self._run is None:
                self._run = self._open()
            return self._run
