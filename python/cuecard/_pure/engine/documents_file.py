"""The file that keeps decoded documents between two prompts (SPEC 23.5).

<<<<<<< HEAD
Its seal says that this user's cuecard has written it, and its checksum that it is whole, so its values are not checked.
=======
A file with any invalid value is refused as a whole; then the memory files are read again. The file has a column (a
list) for each member of the documents, so that the values of a column are checked together:

- `line`: the index line without its line feed; `order`: the first 4,096 bytes of the folded title of the file;
- `status`: 0 active, 1 retired, 2 archived, 3 other; `is_over`: whether the status says that the memory is over;
- `updated_at`, `created_at`, `valid_from`, `valid_until`: microseconds since 1970, or null;
- `size`, `modified`: of the file, at most 2^32 - 1 bytes, and nanoseconds since 1970;
- `title`, `tags`, `body`: each term of the field, by its first place, with how often it is there; `questions`: a list
  of the same for each question;
- `links`: what the memory names; `trust`: the first 16 hexadecimal digits of its trust hash;
- `row`: its vector, 128 signed bytes as hexadecimal digits; `question_rows`: a list of the same for each question.
>>>>>>> main
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
