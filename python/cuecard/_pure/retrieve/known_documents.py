"""The documents of a store as retrieval and ranking ask them; a snapshot is one (SPEC 22)."""

from collections.abc import Iterable
from typing import Protocol

from ...settings.reader import Numbers
from ..memory.stored_document import StoredDocument
from .filters import Acceptance


class KnownDocuments(Protocol):
    """Documents in their order; a position is a place in it."""

    documents: list[StoredDocument]
    numbers: Numbers

    def __len__(self) -> int:
        """How many there are."""

    def stored(self, position: int) -> StoredDocument | None:
        """The document at a position; None outside."""

    def accepts(self, position: int, acceptance: Acceptance) -> bool:
        """Whether there is a document at a position that the filters accept."""

    def find(self, path: str) -> int | None:
        """The position of the document at a path, or None."""

    def frequency(self, term: str) -> int:
        """In how many documents a term stands."""

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many documents each of some terms stands; others may be among the answers."""

    def vocabulary(self) -> set[str]:
        """All terms that stand in a document."""

    def links(self) -> dict[str, list[int]]:
        """What the documents name, and the positions of those that name it (SPEC 33.1)."""
