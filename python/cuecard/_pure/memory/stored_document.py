"""The stored form of a memory: its index line, its dates, and the terms of its texts (SPEC 22.1, 22.2)."""

from ...basics.category import FOLDERS
from ...basics.chars import fold
from ..requests.results import StoredMemory
from .document import STATUSES, Document, read_document
from .index_line import MAX_LINE_BYTES, Line, parse_index_line
from .validity import Validity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

MAX_ORDER_BYTES = 4096
MAX_SIZE = 2**32 - 1

# Size in bytes, and modification time in nanoseconds since 1970.
Stamp = tuple[int, int]
# Status (an index of `STATUSES`), `updated_at`, `created_at`, size, modification time, and the time of validity.
State = tuple[int, "int | None", "int | None", int, int, Validity]
# The number of occurrences of each term in a text.
Counted = dict[str, int]
# At most this number of different terms of title, tags and questions is listed with their fields.
MAX_LISTED = 255
TITLE, TAGS, BODY, QUESTION = 1, 2, 4, 8


class StoredDocument:
    """A memory in a snapshot."""

    # The first 16 digits of the trust hash (SPEC 45.1).
    trust = ""

    def __init__(
        self, line: str, order: str, state: State, texts: list[Counted], links: list[str], rows: list[bytes]
    ) -> None:
        """`line` is a valid index line without its line feed; `order` is the folded title of the file.

        `texts` are the terms of title, tags, body and each question. `links` are the names of files and memories to
        which the memory refers (SPEC 33.1). `rows` are vectors of content and questions in signed bytes (SPEC 24.4).
        """
        self.line = line
        self.order = order
        self.status, self.updated_at, self.created_at, size, modified, self.validity = state
        self.stamp = size, modified
        self.texts = texts
        self.links = links
        self.rows = rows
        title, tags, body, *questions = texts
        asked: Counted = {}
        for question in questions:
            for term, count in question.items():
                asked[term] = asked.get(term, 0) + count
        # The terms of title, tags, all questions and body.
        self.fields = title, tags, asked, body
        self._parts: Line | None = None

    def terms(self) -> set[str]:
        """All terms of the document."""
        return set().union(*self.fields)

    def having(self, terms: "AbstractSet[str]") -> set[str]:
        """The terms among `terms` that the document has."""
        title, tags, questions, body = self.fields
        found = (body.keys() & terms) | (title.keys() & terms) | (tags.keys() & terms)
        return found | (questions.keys() & terms) if questions else found

    def lengths(self) -> list[int]:
        """The number of terms in each field, counting repetitions."""
        return [sum(field.values()) for field in self.fields]

    def listed(self) -> Counted:
        """The first 255 terms of title, tags and questions, each with the sum of the numbers of its fields (SPEC 22.2):
        1 title, 2 tags, 4 body, and 8, 16 and so on for the questions. All other terms count as terms of the body."""
        title, tags, body, *questions = self.texts
        found: Counted = {}
        for place, text in enumerate((title, tags, *questions)):
            for term in text:
                if term in found or len(found) < MAX_LISTED:
                    found[term] = found.get(term, BODY * (term in body)) | (1 << (place + (place > 1)))
        return found

    def parts(self) -> Line:
        """Category, title, path and tags of the index line; empty values if the line is not valid."""
        if self._parts is None:
            self._parts = parse_index_line(self.line) or ("", "", "", [])
        return self._parts

    @property
    def category(self) -> str:
        """The category in capitals: the first text in brackets of the index line."""
        return self.line.partition("[")[2].partition("]")[0]

    @property
    def path(self) -> str:
        """The path relative to the project."""
        return self.parts()[2]

    def described(self) -> StoredMemory:
        """What the backend says of the document to its callers."""
        return StoredMemory(self.line, STATUSES[self.status], self.updated_at, self.created_at, *self.stamp)

    def order_key(self) -> tuple[str, str, int, str]:
        """The key for sorting documents: category, folded title, folder in scan order, file name (SPEC 22.1)."""
        category, _title, path, _tags = self.parts()
        above, _slash, name = path.rpartition("/")
        folder = above.rpartition("/")[2]
        place = next((number for number, (known, _category) in enumerate(FOLDERS) if known == folder), len(FOLDERS))
        return category, self.order, place, name


# Stands for a document that a part of a snapshot leaves out: it has no texts, and no filter accepts it.
LEFT_OUT = StoredDocument("", "", (-1, None, None, 0, 0, (False, None, None)), [{}, {}, {}], [], [])


def first_field(fields: int) -> str:
    """The name of the first field in a sum of fields, which `StoredDocument.listed` has for each term."""
    return "title" if fields & TITLE else "tag" if fields & TAGS else "question" if fields >= QUESTION else "body"


def count_terms(terms: "Iterable[str]") -> Counted:
    """The number of occurrences of each term, in the order of first occurrence."""
    counted: Counted = {}
    for term in terms:
        counted[term] = counted.get(term, 0) + 1
    return counted


def store_document(
    document: "Document", stamp: Stamp, texts: "Sequence[Counted]" = ({}, {}, {}), rows: "Sequence[bytes]" = ()
) -> StoredDocument | None:
    """The stored form of a document; None if its index line cannot be parsed again."""
    line = document.line.removesuffix("\n")
    parts = parse_index_line(line) if len(line.encode()) <= MAX_LINE_BYTES else None
    if parts is None:
        return None
    order = document.folded_title.encode()[:MAX_ORDER_BYTES].decode("utf-8", "ignore")
    size, modified = stamp
    dates = document.updated_at(), document.created_at()
    state = (document.status, *dates, min(size, MAX_SIZE), modified, document.validity())
    return StoredDocument(line, order or fold(parts[1]), state, [*texts], document.links(), [*rows])


def describe_file(category: str, path: str, data: bytes, size: int, modified: int) -> StoredMemory | None:
    """The description of a memory file in a category folder, as in a snapshot; None if the file is not a memory."""
    document = read_document(category, path, data)
    stored = store_document(document, (size, modified)) if isinstance(document, Document) else None
    return stored.described() if stored else None
