"""The interface of an embedder: from texts to rows of signed bytes (docs/reference/models.md, "Embedders")."""

from abc import ABC, abstractmethod
from zlib import crc32

# The spread of MiniLM's cosines on judged prompts. Recall expects cosines of this spread (SPEC 42.2).
MINILM_SPREAD = 400


class Embedder(ABC):
    """A model that computes vectors of texts. Threads may share it."""

    name: str
    """The name in the trace: the provider, and the model if the provider has several."""
    dimension: int = 0
    """The length of a row in bytes; 0 if it is only known from the model's first answer."""
    is_local: bool = False
    """Whether the model runs in this process."""
    is_latin: bool = False
    """Whether the model only knows languages that are written in Latin letters."""
    spread: int = MINILM_SPREAD
    """The usual standard deviation of the cosines between a prompt and all memories, in 1/4096."""
    problem: str = ""
    """Why loading in the background failed the last time; "" if it did not fail."""
    batch: int = 32
    """The number of texts that are encoded at once when there are many."""

    @property
    @abstractmethod
    def fingerprint(self) -> int:
        """A CRC-32 that differs between embedders with different vectors. May read files. Raises ModelError."""

    @property
    def is_ready(self) -> bool:
        """Whether a text can be encoded without loading anything large."""
        return True

    def check(self) -> None:
        """Raise ModelError for a problem that can be found without asking an endpoint."""
        return

    def load(self) -> None:
        """Load what encoding needs. Raises ModelError."""
        return

    @abstractmethod
    def encode(self, texts: list[str], timeout: float | None) -> list[bytes]:
        """Encode the text of each memory as a row. A request to an endpoint may take `timeout` seconds.

        Raises ModelError.
        """

    def encode_prompt(self, text: str, timeout: float | None) -> bytes:
        """Encode a prompt as a row, like `encode`. Models that treat prompts like memories need not override this."""
        return self.encode([text], timeout)[0]


def fingerprint_of(*parts: str) -> int:
    """The CRC-32 of several texts; their order matters."""
    return crc32("\0".join(parts).encode("utf-8", "replace"))
