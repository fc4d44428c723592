"""The documents of a store as retrieval and ranking ask them (SPEC 22)."""

from ...basics.chars import scrub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...settings.reader import Numbers
    from ..memory.stored_document import StoredDocument
    from .filters import Acceptance

    # Positions by what the documents there name.
    Links = dict[str, list[int]]


class KnownDocuments:
    """Documents in their order; a position is a place in it."""

    def __init__(self, documents: "list[StoredDocument]", numbers: "Numbers") -> None:
        """`numbers` are k1, weights and bs of bm25."""
        self.documents = documents
        self.numbers = numbers
        # The document frequencies of the terms that somebody has asked for.
        self._frequencies: dict[str, int] = {}
        self._links: Links | None = None
        self._vocabulary: set[str] | None = None

    def __len__(self) -> int:
        """How many documents there are."""
        return len(self.documents)

    def frequency(self, term: str) -> int:
        """The number of documents that have a term."""
        return self.frequencies((term,))[term]

    def frequencies(self, terms: "Iterable[str]") -> dict[str, int]:
        """In how many documents each of some terms stands; others may be among the answers."""
        counted = self._frequencies
        wanted = {term for term in terms if term not in counted}
        if wanted:
            counted.update(dict.fromkeys(wanted, 0))
            for document in self.documents:
                for term in document.having(wanted):
                    counted[term] += 1
        return counted

    def vocabulary(self) -> set[str]:
        """All terms that stand in a document."""
        if self._vocabulary is None:
            self._vocabulary = set().union(*[counted for document in self.documents for counted in document.fields])
        return self._vocabulary

    def links(self) -> "Links":
        """What the documents name, and the positions of those that name it (SPEC 33.1)."""
        if self._links is None:
            found: Links = {}
            for position, document in enumerate(self.documents):
                for link in document.links:
                    found.setdefault(link, []).append(position)
            self._links = found
        return self._links

    def stored(self, position: int) -> "StoredDocument | None":
        """The document at a position; None outside."""
        return self.documents[position] if 0 <= position < len(self.documents) else None

    def accepts(self, position: int, acceptance: "Acceptance") -> bool:
        """Whether there is a document at a position that the filters accept."""
        document = self.stored(position)
        return document is not None and acceptance.takes(document)

    def find(self, path: str) -> int | None:
        """The position of the document at a path, or None."""
        wanted = scrub(path)
        return next((place for place, document in enumerate(self.documents) if document.path == wanted), None)
