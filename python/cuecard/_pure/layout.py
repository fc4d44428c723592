"""A segment's outer form: header, section table, sections (SPEC 20.1, 20.2, 20.5, 20.6)."""

import sys

from ..errors import SegmentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAGIC = b"cuecard\0"
VERSION = 3

STATISTICS = 1
WATERMARK = 2
NAMES = 3
KINDS = 4
PLACES = 5
RECORDS = 6
TERMS = 7
TERM_POSTINGS = 8
WORDS = 9
WORD_POSTINGS = 10
NORMS = 11
BY_PATH = 12
DEAD = 13
VECTORS = 14
GRAPH = 15
LINKS = 16
LINK_POSTINGS = 17
UNFIT = 18

HEADER_BYTES = 64
SECTION_BYTES = 24
ANALYZERS = ("terms", "words")
# Of documents, by their numbers in the section of kinds.
STATUSES = ("active", "retired", "archived", "other")
ACTIVE = 0

FOREIGN = ("the file is no segment of cuecard", "name a file that cuecard has written")
OTHER_VERSION = ("the segment was written by another version of cuecard", "build it again")
DAMAGED = ("the segment is damaged", "build it again")


class Header:
    """What the header says of a segment."""

    __slots__ = ("analyzer", "base_checksum", "base_documents", "documents")

    def __init__(self, documents: int, analyzer: int, base_checksum: int = 0, base_documents: int = 0) -> None:
        """`analyzer` is a position in `ANALYZERS`; a delta names its base by header checksum and documents."""
        self.documents = documents
        self.analyzer = analyzer
        self.base_checksum = base_checksum
        self.base_documents = base_documents


class Layout:
    """Where the sections of a segment are."""

    __slots__ = ("checksum", "header", "sections")

    def __init__(self, header: Header, checksum: int, sections: dict[int, tuple[int, int, int]]) -> None:
        """`sections` has offset, length and CRC-32 by kind."""
        self.header = header
        self.checksum = checksum
        self.sections = sections

    @staticmethod
    def open(data: memoryview) -> "Layout":
        """Read header and section table, and nothing else. Raises SegmentError."""
        if data[:8] != MAGIC:
            raise SegmentError(*FOREIGN)
        if len(data) < 12:
            raise SegmentError(*DAMAGED)
        if int.from_bytes(data[8:12], "little") != VERSION:
            raise SegmentError(*OTHER_VERSION)
        if len(data) < HEADER_BYTES + 4:
            raise SegmentError(*DAMAGED)
        fields = numbers(data[:HEADER_BYTES], "I")
        header = Header(fields[6], fields[8], fields[9], fields[10])
        table_end = HEADER_BYTES + SECTION_BYTES * fields[7]
        if fields[3] != table_end or len(data) < table_end + 4 or fields[4] | fields[5] << 32 != len(data):
            raise SegmentError(*DAMAGED)
        checksum = int.from_bytes(data[table_end : table_end + 4], "little")
        if crc32(data[:table_end]) != checksum or header.analyzer >= len(ANALYZERS):
            raise SegmentError(*DAMAGED)
        table = numbers(data[HEADER_BYTES:table_end], "Q")
        lengths = _fixed_lengths(header.documents)
        sections: dict[int, tuple[int, int, int]] = {}
        end = table_end + 4
        last_kind = 0
        for row in range(0, len(table), 3):
            kind, crc = table[row] & 0xFFFFFFFF, table[row] >> 32
            offset, length = table[row + 1], table[row + 2]
            if kind <= last_kind or offset != _aligned(end) or lengths.get(kind, length) != length:
                raise SegmentError(*DAMAGED)
            last_kind = kind
            end = offset + length
            sections[kind] = offset, length, crc
        if end != len(data):
            raise SegmentError(*DAMAGED)
        return Layout(header, checksum, sections)

    def section(self, data: memoryview, kind: int) -> memoryview:
        """The bytes of a section, none where it is absent."""
        offset, length, _ = self.sections.get(kind, (0, 0, 0))
        return data[offset : offset + length]

    def check(self, data: memoryview) -> None:
        """Compare the checksums of all sections. Raises SegmentError."""
        for kind, (_, _, crc) in self.sections.items():
            if crc32(self.section(data, kind)) != crc:
                raise SegmentError(*DAMAGED)


def write_file(header: Header, sections: list[tuple[int, bytes]]) -> bytes:
    """The bytes of a segment of these sections, kinds ascending; those without bytes are left out."""
    kept = [(kind, content) for kind, content in sections if content]
    table_end = HEADER_BYTES + SECTION_BYTES * len(kept)
    table = []
    body = []
    end = table_end + 4
    for kind, content in kept:
        offset = _aligned(end)
        table += [_little(kind, 4), _little(crc32(content), 4), _little(offset, 8), _little(len(content), 8)]
        body += [bytes(offset - end), content]
        end = offset + len(content)
    fields = [header.documents, len(kept), header.analyzer, header.base_checksum, header.base_documents]
    head = [MAGIC, _little(VERSION, 4), _little(table_end, 4), _little(end, 8)]
    head += [_little(field, 4) for field in fields]
    before = b"".join([*head, bytes(20), *table])
    return b"".join([before, _little(crc32(before), 4), *body])


def crc32(data: "bytes | memoryview") -> int:
    """CRC-32 as zip files have it."""
    # Not built in everywhere, and needless where no segment is read.
    from binascii import crc32

    return crc32(data)


def decimals(data: memoryview) -> "Sequence[float]":
    """Little-endian f64, read in place where the machine has them so."""
    return numbers(data, "d")


if sys.byteorder == "little":

    def numbers(data: memoryview, form: str) -> "Sequence[int]":
        """Little-endian numbers of the form `H`, `I`, `Q`, `q` (16, 32, 64 bits) or `d` (f64), read in place."""
        return data.cast(form)  # type: ignore[call-overload, no-any-return]

else:

    def numbers(data: memoryview, form: str) -> "Sequence[int]":
        """Little-endian numbers of the form `H`, `I`, `Q`, `q` (16, 32, 64 bits) or `d` (f64)."""
        from array import array

        swapped = array(form, bytes(data))
        swapped.byteswap()
        return swapped


def _little(number: int, size: int) -> bytes:
    return number.to_bytes(size, "little")


def _aligned(offset: int) -> int:
    return (offset + 7) & ~7


def _fixed_lengths(documents: int) -> dict[int, int]:
    return {
        STATISTICS: 80,
        WATERMARK: 48,
        KINDS: 2 * documents,
        PLACES: 4 * (documents + 1),
        NORMS: 4 * documents,
        BY_PATH: 4 * documents,
        VECTORS: 8 + 148 * documents,
    }
