"""The documents of a store, with the queries that retrieval and ranking need (SPEC 22)."""

from ...basics.chars import scrub
from ..memory.stored_document import LEFT_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..memory.stored_document import StoredDocument
    from ..settings.reader import Numbers
    from .filters import Acceptance

    # For each link the positions of the documents that have it.
    Links = dict[str, list[int]]


class KnownDocuments:
    """Documents in their order; a position is an index in this order."""

    def __init__(self, documents: "list[StoredDocument]", numbers: "Numbers") -> None:
        """`numbers` are k1, weights and bs of BM25."""
        # In a part of a snapshot, `LEFT_OUT` stands for each of the other documents.
        self.documents = documents
        self._count = len(documents) - documents.count(LEFT_OUT)
        self.numbers = numbers
        # A cache of the document frequencies of terms.
        self._frequencies: dict[str, int] = {}
        self._links: Links | None = None
        self._vocabulary: set[str] | None = None
        self._positions: dict[str, int] | None = None
        # For the documents of several stores: for each position the store and the place in it (SPEC 48.6).
        self.places: list[tuple[int, int]] | None = None

    def __len__(self) -> int:
        """The number of documents."""
        return self._count

    def frequency(self, term: str) -> int:
        """The number of documents that have a term."""
        return self.frequencies((term,))[term]

    def frequencies(self, terms: "Iterable[str]") -> dict[str, int]:
        """The number of documents that have each of the terms; the result may contain further terms."""
        counted = self._frequencies
        wanted = {term for term in terms if term not in counted}
        if wanted:
            counted.update(dict.fromkeys(wanted, 0))
            for document in self.documents:
                for term in document.having(wanted):
                    counted[term] += 1
        return counted

    def vocabulary(self) -> set[str]:
        """The terms of all documents."""
        if self._vocabulary is None:
            self._vocabulary = set().union(*[counted for document in self.documents for counted in document.fields])
        return self._vocabulary

    def links(self) -> "Links":
        """For each link the positions of the documents that have it (SPEC 33.1)."""
        if self._links is None:
            found: Links = {}
            for position, document in enumerate(self.documents):
                for link in document.links:
                    found.setdefault(link, []).append(position)
            self._links = found
        return self._links

    def stored(self, position: int) -> "StoredDocument | None":
        """The document at a position; None if it is out of range or left out."""
        document = self.documents[position] if 0 <= position < len(self.documents) else LEFT_OUT
        return None if document is LEFT_OUT else document

    def accepts(self, position: int, acceptance: "Acceptance") -> bool:
        """Whether there is a document at a position that the filters accept."""
        document = self.stored(position)
        return document is not None and acceptance.takes(document)

    def store_of(self, position: int) -> int:
        """The store of the document at a position; the nearest is 0."""
        return self.places[position][0] if self.places else 0

    def find(self, path: str, size: int | None = None, modified: int | None = None) -> int | None:
        """The position of the document at a path; None if there is none. Of several stores, the nearest counts.

        With size and modification time of a file, None also if the document is of another state of the file.
        """
        if self._positions is None:
            nearest_last = sorted(range(len(self.documents)), key=self.store_of, reverse=True)
            self._positions = {self.documents[place].path: place for place in nearest_last}
        found = self._positions.get(scrub(path))
        is_other = found is not None and size is not None and (size, modified) != self.documents[found].stamp
        return None if is_other else found

    def find_from(self, store: int, path: str) -> int | None:
        """The position of the document at a path in a store or in those behind it."""
        wanted = scrub(path)
        found = [place for place, document in enumerate(self.documents) if document.path == wanted]
        if self.places:
            found = sorted([place for place in found if self.store_of(place) >= store], key=self.store_of)
        return found[0] if found else None
