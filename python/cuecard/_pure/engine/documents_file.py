"""The file that keeps decoded documents between two prompts (SPEC 23.5).

Whatever in it does not fit exactly is refused as a whole; then the memory files are read again.
"""

from ...basics.json_lines import DAMAGED, items, members, number, pack_lines, text, triple, unpack_lines, whole
from ...errors import SegmentError
from ...memory.document import STATUSES
from ..memory.stored_document import MAX_SIZE, StoredDocument
from ..retrieve.bm25 import B_MAX, K1_MAX, WEIGHT_MAX
from ..retrieve.static_table import DIMENSIONS, fingerprint
from .snapshot import FOLDER_COUNT, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..memory.stored_document import Stamp

NAME = "cuecard documents"
VERSION = 1
# A larger file is neither written nor read.
MAX_BYTES = 1 << 28


def write_documents(snapshot: Snapshot) -> bytes:
    """The bytes of the file."""
    content = {
        "numbers": snapshot.numbers,
        "vectors": fingerprint(),
        "watermark": snapshot.watermark(),
        "unfit": dict(sorted(snapshot.unfit.items())),
        "documents": [_write_document(document) for document in snapshot.documents],
    }
    return pack_lines(NAME, VERSION, content)


def read_documents(data: bytes) -> Snapshot:
    """The snapshot in the bytes of a file. Raises SegmentError."""
    content = unpack_lines(data, NAME, VERSION)
    try:
        return _read_content(members(content), len(data))
    except (KeyError, TypeError, ValueError):
        raise SegmentError(*DAMAGED) from None


def _write_document(document: StoredDocument) -> dict[str, object]:
    title, tags, body = document.fields
    return {
        "line": document.line,
        "status": document.status,
        "updated_at": document.updated_at,
        "created_at": document.created_at,
        "file": document.stamp,
        "order": document.order,
        "title": " ".join(title),
        "tags": " ".join(tags),
        "body": " ".join(body),
        "links": document.links,
        "row": document.row.hex(),
    }


def _read_content(content: dict[str, object], size: int) -> Snapshot:
    """Raises KeyError, TypeError or ValueError for what is not as `write_documents` writes it."""
    k1, weights, bs = items(content["numbers"])
    watermark = [whole(mark) for mark in items(content["watermark"])]
    if len(watermark) != FOLDER_COUNT:
        raise ValueError
    unfit = {path: _read_stamp(stamp) for path, stamp in members(content["unfit"]).items()}
    documents = [_read_document(members(document)) for document in items(content["documents"])]
    numbers = number(k1, K1_MAX), triple(weights, WEIGHT_MAX), triple(bs, B_MAX)
    snapshot = Snapshot(documents, numbers, watermark, unfit)
    snapshot.fingerprint = whole(content["vectors"])
    snapshot.bytes = size
    return snapshot


def _read_document(found: dict[str, object]) -> StoredDocument:
    status, row = whole(found["status"]), bytes.fromhex(text(found["row"]))
    if not 0 <= status < len(STATUSES) or len(row) != DIMENSIONS:
        raise ValueError
    return StoredDocument(
        text(found["line"]),
        status,
        (_read_date(found["updated_at"]), _read_date(found["created_at"])),
        _read_stamp(found["file"]),
        text(found["order"]),
        (text(found["title"]).split(), text(found["tags"]).split(), text(found["body"]).split()),
        [text(link) for link in items(found["links"])],
        row,
    )


def _read_stamp(value: object) -> "Stamp":
    size, modified = map(whole, items(value))
    if not 0 <= size <= MAX_SIZE:
        raise ValueError
    return size, modified


def _read_date(value: object) -> int | None:
    return None if value is None else whole(value)
