"""The vectors of a store's memories, one file for each embedder (docs/reference/models.md, "File of vectors").

The file is derived: `cuecard embed` can always create it again.
"""

from binascii import crc32
from struct import Struct
from struct import error as StructError

from ..._backend import FileStamp
from ...errors import ModelError
from ...files.derived import read_sealed
from ...files.folder import Unread

MAGIC = b"cuevecs1"
# The prefix of the names of vectors files.
BEGINNING = "vectors-"
# Magic, fingerprint, dimension, number of entries, bytes of the paths, zero, CRC-32 of everything after the header.
HEADER = Struct("<8s6I")
# Size of the memory's file, its modification time (ns since 1970), digest of the text, end position of its path.
ENTRY = Struct("<Iq16sI")
# A larger file counts as damaged, because a prompt has no time to read it.
MAX_BYTES = 1 << 28
EMBED = "`cuecard embed` rebuilds it"

# Size and modification time of a memory's file, digest of the text, row.
VectorEntry = tuple[int, int, bytes, bytes]


class DamagedVectors(ModelError):
    """The file of vectors is too large, incomplete, or was not written by cuecard."""


class VectorsFile:
    """The content of a vectors file: stamp i and row i belong to the memory at path i. The paths are sorted."""

    def __init__(
        self, fingerprint: int, dimension: int, paths: list[str], stamps: list[tuple[int, int, bytes]], rows: memoryview
    ) -> None:
        """`stamps` are tuples: size and modification time of a memory's file, and the digest of its text."""
        self.fingerprint = fingerprint
        self.dimension = dimension
        self.paths = paths
        self.stamps = stamps
        self.rows = rows

    def files(self) -> list[FileStamp]:
        """The file of each memory at the time of embedding."""
        return [FileStamp(path, stamp[0], stamp[1]) for path, stamp in zip(self.paths, self.stamps, strict=True)]

    def entries(self) -> dict[str, VectorEntry]:
        """The entry of each memory, by its path."""
        size, rows = self.dimension, self.rows
        return {
            path: (*stamp, bytes(rows[size * number : size * (number + 1)]))
            for number, (path, stamp) in enumerate(zip(self.paths, self.stamps, strict=True))
        }


def vectors_name(fingerprint: int) -> str:
    """The name of the file with the vectors of the embedder that has this fingerprint."""
    return f"{BEGINNING}{fingerprint:08x}"


def read_vectors(memory_dir: str, fingerprint: int) -> VectorsFile | None:
    """The vectors of an embedder; None if there is no file. Raises DamagedVectors."""
    try:
        data = read_sealed(memory_dir, vectors_name(fingerprint), MAX_BYTES)
    except Unread as unread:
        if unread.words == Unread.MISSING:
            return None
        raise DamagedVectors(f"the file of the vectors {unread.words}", EMBED) from None
    try:
        return _decode(memoryview(data), fingerprint)
    except (_Damaged, StructError, UnicodeDecodeError):
        raise DamagedVectors("the file of the vectors is damaged", EMBED) from None


def encode_vectors(fingerprint: int, dimension: int, entries: dict[str, VectorEntry]) -> bytes:
    """The bytes of a vectors file with these entries."""
    paths = sorted(entries)
    texts, stamps, end = [], [], 0
    for path in paths:
        size, modified, digest, _row = entries[path]
        texts.append(path.encode("utf-8", "replace"))
        end += len(texts[-1])
        stamps.append(ENTRY.pack(size, modified, digest, end))
    body = b"".join([*stamps, *texts, *[entries[path][3] for path in paths]])
    return HEADER.pack(MAGIC, fingerprint, dimension, len(paths), end, 0, crc32(body)) + body


class _Damaged(Exception):
    pass


def _decode(data: memoryview, fingerprint: int) -> VectorsFile:
    magic, found, dimension, count, path_bytes, zero, checksum = HEADER.unpack_from(data)
    body = data[HEADER.size :]
    texts = ENTRY.size * count
    rows = texts + path_bytes
    if magic != MAGIC or zero or found != fingerprint or not dimension or len(body) != rows + dimension * count:
        raise _Damaged
    if crc32(body) != checksum:
        raise _Damaged
    paths, stamps, begin = [], [], 0
    for size, modified, digest, end in ENTRY.iter_unpack(body[:texts]):
        paths.append(bytes(body[texts + begin : texts + end]).decode())
        stamps.append((size, modified, digest))
        begin = end
    return VectorsFile(found, dimension, paths, stamps, body[rows:])
