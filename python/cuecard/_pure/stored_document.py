"""What a snapshot keeps of a memory to show it, to tell whether its file has changed, and to order it (SPEC 22.2)."""

from binascii import crc32

from .category import FOLDERS
from .chars import WHITESPACE, fold
from .index_line import ARROW, MAX_LINE_BYTES, Line, after_blanks, parse_index_line, read_tail
from .layout import STATUSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .document import Document

# Bytes before the texts: checksum, three times, size, four numbers about the texts.
FIXED = 4 + 3 * 8 + 4 + 4 * 2
TEXTS = FIXED - 4 * 2
MAX_ORDER_BYTES = 4096
NO_TIME = -(2**63)
MAX_SIZE = 2**32 - 1

# Bytes, and modification time in nanoseconds since 1970.
Stamp = tuple[int, int]
# Index line, status, `updated_at`, `created_at` (microseconds since 1970), and the stamp.
Described = tuple[str, str, int | None, int | None, int, int]


class StoredDocument:
    """A memory as a snapshot knows it."""

    __slots__ = ("_order", "_path", "created_at", "line", "stamp", "status", "updated_at")

    def __init__(
        self,
        line: str,
        status: int,
        updated_at: int | None,
        created_at: int | None,
        stamp: Stamp,
        path: tuple[int, int],
        order: str,
    ) -> None:
        """`line` reads back, without its line feed; `path` is begin and length within its bytes."""
        self.line = line
        self.status = status
        self.updated_at = updated_at
        self.created_at = created_at
        self.stamp = stamp
        self._path = path
        self._order = order

    def parts(self) -> Line | None:
        """Category, title, path and tags of its line."""
        return parse_index_line(self.line)

    def described(self) -> Described:
        """What callers are told of it."""
        return (self.line, STATUSES[self.status], self.updated_at, self.created_at, *self.stamp)

    def path(self) -> str:
        """The path relative to the project."""
        begin, length = self._path
        return self.line.encode()[begin : begin + length].decode("utf-8", "replace")

    def order_key(self) -> tuple[str, str, int, str]:
        """What documents are ordered by: category, folded title, folder in scan order, name (SPEC 22.1)."""
        parts = self.parts()
        category, title = parts[:2] if parts else ("", "")
        above, _slash, name = self.path().rpartition("/")
        folder = above.rpartition("/")[2]
        place = next((number for number, (known, _category) in enumerate(FOLDERS) if known == folder), len(FOLDERS))
        return category, self._order or fold(title), place, name

    def encode(self) -> bytes:
        """The bytes of its record."""
        line, order = self.line.encode(), self._order.encode()
        record = b"".join(
            [
                (NO_TIME if self.updated_at is None else self.updated_at).to_bytes(8, "little", signed=True),
                (NO_TIME if self.created_at is None else self.created_at).to_bytes(8, "little", signed=True),
                self.stamp[1].to_bytes(8, "little", signed=True),
                min(self.stamp[0], MAX_SIZE).to_bytes(4, "little"),
                *[number.to_bytes(2, "little") for number in (len(line), *self._path, len(order))],
                line,
                order,
            ]
        )
        return crc32(record).to_bytes(4, "little") + record


def store_document(document: "Document", stamp: Stamp) -> StoredDocument | None:
    """What is kept of a document; None where its index line does not read back."""
    line = document.line.removesuffix("\n")
    data = line.encode()
    parts = parse_index_line(line) if len(data) <= MAX_LINE_BYTES else None
    if parts is None:
        return None
    path = len(line[: _find_path(line, parts)].encode()), len(parts[2].encode())
    order = "" if fold(parts[1]) == document.folded_title else _cut_bytes(document.folded_title)
    times = document.updated_at(), document.created_at()
    return StoredDocument(line, document.status, *times, stamp, path, order)


def describe_file(category: str, path: str, data: bytes, size: int, modified: int) -> Described | None:
    """What a snapshot would say of a memory file of a category's folder; None where it would not have it.

    Index line, status, `updated_at` and `created_at` (microseconds since 1970), size, modification time (nanoseconds).
    """
    # Of files that have changed: most prompts meet none.
    from .document import Document, read_document

    document = read_document(category, path, data)
    stored = store_document(document, (size, modified)) if isinstance(document, Document) else None
    return stored.described() if stored else None


def read_stored(record: bytes, status: int) -> StoredDocument | None:
    """The document of a record; None where it is damaged."""
    if len(record) < FIXED or crc32(record[4:]) != int.from_bytes(record[:4], "little"):
        return None
    times = [int.from_bytes(record[at : at + 8], "little", signed=True) for at in (4, 12, 20)]
    size = int.from_bytes(record[28:TEXTS], "little")
    line, path, length, order = text_numbers(record)
    if FIXED + line + order > len(record) or path + length > line:
        return None
    try:
        texts = record[FIXED : FIXED + line].decode(), record[FIXED + line : FIXED + line + order].decode()
        record[FIXED : FIXED + path].decode()
        record[FIXED : FIXED + path + length].decode()
    except UnicodeDecodeError:
        return None
    updated_at, created_at = [None if time == NO_TIME else time for time in times[:2]]
    return StoredDocument(texts[0], status, updated_at, created_at, (size, times[2]), (path, length), texts[1])


def path_in(record: bytes) -> bytes:
    """The path in a record, without reading the rest; the checksum is not looked at."""
    if len(record) < FIXED:
        return b""
    _line, path, length, _order = text_numbers(record)
    if FIXED + path + length > len(record):
        return b""
    return record[FIXED + path : FIXED + path + length]


def text_numbers(record: bytes) -> list[int]:
    """Bytes of the line, begin and bytes of the path in it, bytes of the order."""
    return [int.from_bytes(record[at : at + 2], "little") for at in range(TEXTS, FIXED, 2)]


def _find_path(line: str, parts: Line) -> int:
    """Where the path begins in a line that has these parts."""
    arrow = line.find(ARROW)
    while line[arrow - 1] not in WHITESPACE or read_tail(line, arrow + len(ARROW)) != parts[2:]:
        arrow = line.find(ARROW, arrow + 1)
    return after_blanks(line, arrow + len(ARROW))


def _cut_bytes(text: str) -> str:
    """The longest beginning of at most `MAX_ORDER_BYTES` bytes."""
    return text.encode()[:MAX_ORDER_BYTES].decode("utf-8", "ignore")
