"""The file that keeps decoded documents between two prompts (SPEC 23.5).

Its seal says that this user's cuecard has written it, and its checksum that it is whole, so its values are not checked.
"""

from ...errors import SegmentError
from ..index.json_lines import DAMAGED, pack_lines, unpack_lines
from ..memory.stored_document import StoredDocument
from ..retrieve.vectors import fingerprints
from .snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "cuecard documents"
VERSION = 6
# A file larger than this is neither written nor read.
MAX_BYTES = 1 << 28


def write_documents(snapshot: Snapshot) -> bytes:
    """The bytes of the file for a snapshot."""
    content = {
        "numbers": snapshot.numbers,
        "vectors": fingerprints(),
        "watermark": snapshot.watermark(),
        "unfit": dict(sorted(snapshot.unfit.items())),
        "documents": list(map(_row_of, snapshot.documents)),
    }
    return pack_lines(NAME, VERSION, content)


def read_documents(data: bytes) -> Snapshot:
    """The snapshot in the bytes of a file. Raises SegmentError."""
    content: Any = unpack_lines(data, NAME, VERSION)
    try:
        k1, weights, bs = content["numbers"]
        unfit = {path: (size, modified) for path, (size, modified) in content["unfit"].items()}
        documents = list(map(_document_of, content["documents"]))
        snapshot = Snapshot(documents, (k1, tuple(weights), tuple(bs)), content["watermark"], unfit)
        snapshot.fingerprint = content["vectors"]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise SegmentError(*DAMAGED) from None
    snapshot.bytes = len(data)
    return snapshot


def _row_of(one: StoredDocument) -> list[object]:
    state = one.status, one.updated_at, one.created_at, *one.stamp, one.validity
    return [one.line, one.order, state, one.texts, one.links, [row.hex() for row in one.rows], one.trust]


def _document_of(row: "list[Any]") -> StoredDocument:
    line, order, state, texts, links, rows, trust = row
    document = StoredDocument(line, order, state, texts, links, list(map(bytes.fromhex, rows)))
    document.trust = trust
    return document
