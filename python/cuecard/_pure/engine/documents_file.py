"""The file that keeps decoded documents between two prompts (SPEC 23.5).

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
"""

from ...errors import SegmentError
from ...files.trust_levels import PREFIX_CHARS
from ..index.json_lines import DAMAGED, items, members, number, numbers, pack_lines, unpack_lines, whole
from ..memory.document import STATUSES
from ..memory.stored_document import MAX_SIZE, StoredDocument
from ..retrieve.bm25 import B_MAX, K1_MAX, WEIGHT_MAX
from ..retrieve.static_table import DIMENSIONS
from ..retrieve.vectors import fingerprints
from .snapshot import FOLDER_COUNT, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..memory.stored_document import Stamp

NAME = "cuecard documents"
VERSION = 5
# A file larger than this is neither written nor read.
MAX_BYTES = 1 << 28
MEMBERS = (
    "line status updated_at created_at size modified is_over valid_from valid_until order title tags body questions "
    "links row question_rows trust"
).split()
# The number of fields: title, tags, questions and body.
FIELDS = 4
# The range of times (64-bit integers), and the largest count of a term in a text.
LEAST, MOST, COUNT_MAX = -(2**63), 2**63 - 1, 2**32 - 1


def write_documents(snapshot: Snapshot) -> bytes:
    """The bytes of the file for a snapshot."""
    content = {
        "numbers": snapshot.numbers,
        "vectors": fingerprints(),
        "watermark": snapshot.watermark(),
        "unfit": dict(sorted(snapshot.unfit.items())),
        "documents": _write_columns(snapshot.documents),
    }
    return pack_lines(NAME, VERSION, content)


def read_documents(data: bytes) -> Snapshot:
    """The snapshot in the bytes of a file. Raises SegmentError."""
    content = unpack_lines(data, NAME, VERSION)
    try:
        return _read_content(members(content), len(data))
    except (KeyError, TypeError, ValueError):
        raise SegmentError(*DAMAGED) from None


def _write_columns(documents: list[StoredDocument]) -> dict[str, list[object]]:
    rows = []
    for document in documents:
        dates = (document.updated_at, document.created_at, *document.stamp, *document.validity)
        title, tags, body, *questions = document.texts
        row, *question_rows = [row.hex() for row in document.rows]
        texts = document.order, title, tags, body, questions
        vectors = row, question_rows
        rows.append((document.line, document.status, *dates, *texts, document.links, *vectors, document.trust))
    return {member: [values[place] for values in rows] for place, member in enumerate(MEMBERS)}


def _read_content(content: dict[str, object], size: int) -> Snapshot:
    """The snapshot in a file's content. Raises KeyError, TypeError or ValueError if the content is not valid."""
    k1, weights, bs = items(content["numbers"])
    watermark = [whole(mark) for mark in items(content["watermark"])]
    if len(watermark) != FOLDER_COUNT:
        raise ValueError
    unfit = {path: _read_stamp(stamp) for path, stamp in members(content["unfit"]).items()}
    documents = _read_columns(members(content["documents"]))
    weights, bs = numbers(weights, FIELDS, WEIGHT_MAX), numbers(bs, FIELDS, B_MAX)
    snapshot = Snapshot(documents, (number(k1, K1_MAX), weights, bs), watermark, unfit)
    snapshot.fingerprint = whole(content["vectors"])
    snapshot.bytes = size
    return snapshot


def _read_columns(columns: dict[str, object]) -> list[StoredDocument]:
    """The documents in the columns of a file. Raises KeyError, TypeError or ValueError if they are not valid."""
    lines, orders = _typed(columns["line"], str), _typed(columns["order"], str)
    statuses = _wholes(columns["status"], 0, len(STATUSES) - 1)
    updated, created = _dates(columns["updated_at"]), _dates(columns["created_at"])
    sizes, modified = _wholes(columns["size"], 0, MAX_SIZE), _wholes(columns["modified"], LEAST, MOST)
    titles, tags, bodies = _counts(columns["title"]), _counts(columns["tags"]), _counts(columns["body"])
    questions = list(map(items, items(columns["questions"])))
    _counts([question for of_document in questions for question in of_document])
    links, question_rows = ([_typed(each, str) for each in items(columns[name])] for name in ("links", "question_rows"))
    rows = [list(map(bytes.fromhex, of_one)) for of_one in zip(_typed(columns["row"], str), strict=True)]
    for vectors, more, of_document in zip(rows, question_rows, questions, strict=True):
        vectors += map(bytes.fromhex, more)
        if len(vectors) != 1 + len(of_document) or any(len(row) != DIMENSIONS for row in vectors):
            raise ValueError
    validity = zip(
        _typed(columns["is_over"], bool), _dates(columns["valid_from"]), _dates(columns["valid_until"]), strict=True
    )
    states = zip(statuses, updated, created, sizes, modified, validity, strict=True)
    texts = [[*texts, *more] for *texts, more in zip(titles, tags, bodies, questions, strict=True)]
    documents = [StoredDocument(*values) for values in zip(lines, orders, states, texts, links, rows, strict=True)]
    for document, trust in zip(documents, _typed(columns["trust"], str), strict=True):
        if len(trust) != PREFIX_CHARS:
            raise ValueError
        document.trust = trust
    return documents


def _wholes(column: object, least: int, most: int) -> list[int]:
    """The column, if it is a list of integers from `least` to `most`. Raises TypeError or ValueError otherwise."""
    found = _typed(column, int)
    if found and not least <= min(found) <= max(found) <= most:
        raise ValueError
    return found


def _dates(column: object) -> list[int | None]:
    found = items(column)
    _wholes([date for date in found if date is not None], LEAST, MOST)
    return found  # type: ignore[return-value]


def _counts(column: object) -> list[dict[str, int]]:
    """The column, if it contains the counts of terms of each document. Raises TypeError or ValueError otherwise."""
    found = _typed(column, dict)
    # There are few different counts, so each of them is checked only once.
    kinds: set[type] = set()
    counts: set[int] = set()
    for counted in found:
        kinds.update(map(type, counted.values()))
        counts.update(counted.values())
    if kinds - {int}:
        raise TypeError
    _wholes([*counts], 1, COUNT_MAX)
    return found


def _typed(column: object, kind: type) -> "list[Any]":
    """The column, if it is a list in which all values have the type `kind`. Raises TypeError otherwise."""
    found = items(column)
    if {*map(type, found)} - {kind}:
        raise TypeError
    return found


def _read_stamp(value: object) -> "Stamp":
    size, modified = map(whole, items(value))
    if not 0 <= size <= MAX_SIZE:
        raise ValueError
    return size, modified
