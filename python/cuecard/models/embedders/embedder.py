"""What every embedder is: texts in, rows of signed bytes out (docs/reference/models.md, "Embedders")."""

from abc import ABC, abstractmethod
from zlib import crc32


class Embedder(ABC):
    """A model that makes vectors of texts; threads may share one."""

    name: str
    """The name that the trace shows: the provider, and its model where there are several."""
    dimension: int = 0
    """Bytes of a row; 0 where only its answers tell."""
    is_local: bool = False
    """Whether it works in this process."""
    problem: str = ""
    """Why it could not be loaded when that was tried last, beside what was going on."""
    batch: int = 32
    """So many texts are encoded at once, where there are many."""

    @property
    @abstractmethod
    def fingerprint(self) -> int:
        """A CRC-32 of what makes its vectors others than those of other embedders. May read files; ModelError."""

    @property
    def is_ready(self) -> bool:
        """Whether a text can be encoded without loading anything large."""
        return True

    def check(self) -> None:
        """Raise ModelError for what keeps it from working, as far as that can be told without asking anybody."""
        return

    def load(self) -> None:
        """Be ready. Raises ModelError."""
        return

    @abstractmethod
    def encode(self, texts: list[str], timeout: float | None) -> list[bytes]:
        """A row for each of the texts, within `timeout` seconds as far as another machine is asked; ModelError."""


def fingerprint_of(*parts: str) -> int:
    """The CRC-32 of some texts in their order."""
    return crc32("\0".join(parts).encode("utf-8", "replace"))
