"""Translates words of other languages to a few English words, by the file `assets/other_words.bin` (SPEC 24.9)."""

from ...basics.tables import map_asset
from .letters import HANGUL, LETTER
from .stem import stem
from .terms import hangul_word, ideograph_words, kind_of, lower_ascii

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAGIC = b"cuelangs"
VERSION = 1
# No word of Han or katakana in the file has more characters.
MAX_CHARS = 8

_HEADER_BYTES = 64
_LINK_BYTES = 3


def shipped() -> "OtherWords":
    """Return the words that are shipped with the package; no words if their file is missing or damaged."""
    if not _shipped:
        data = map_asset("other_words.bin")
        _shipped.append((OtherWords.open(data) if data else None) or OtherWords.empty())
    return _shipped[0]


def english_terms(chunks: "Iterable[str]") -> "Iterator[tuple[str, str, int]]":
    """Yield the English terms for a prompt's chunks: the chunk, a term, and how well it fits, in units of 1/256."""
    words = shipped()
    for chunk in chunks:
        for form in words.words_of(lower_ascii(chunk)):
            for other, share in words.find(form):
                yield chunk, stem(other), share


class OtherWords:
    """The content of a file that translates words to English. Its words are in lower case and without marks."""

    def __init__(self, buckets: memoryview, english: "tuple[memoryview, memoryview]", records: memoryview) -> None:
        """Take the sections of a file.

        `buckets` has the offset in `records` of each of the 2**n buckets, then the end of the last one. `english` has
        the offset of each English word in a text, then the end of the last word; and that text.
        """
        # The CRC-32 of everything behind the header, as the header states it.
        self.fingerprint = 0
        self._buckets = buckets
        self._english = english
        self._records = records

    @staticmethod
    def open(data: "bytes | memoryview") -> "OtherWords | None":
        """Open the bytes of a file of words; None if they are not a complete file of this version."""
        data = memoryview(data)
        if len(data) < _HEADER_BYTES or data[:8] != MAGIC:
            return None
        version, buckets, english, text_bytes, record_bytes, crc = (_u32(data, place) for place in range(8, 32, 4))
        if version != VERSION or buckets < 1 or buckets & (buckets - 1):
            return None
        sections = []
        end = _HEADER_BYTES
        for length in (4 * buckets + 4, 4 * english + 4, text_bytes, record_bytes):
            sections.append(data[end : end + length])
            end += length
        if end != len(data):
            return None
        words = OtherWords(sections[0], (sections[1], sections[2]), sections[3])
        words.fingerprint = crc
        return words

    @staticmethod
    def empty() -> "OtherWords":
        """Return a value without any words; its fingerprint is 0."""
        return OtherWords(memoryview(bytes(8)), (memoryview(bytes(4)), memoryview(b"")), memoryview(b""))

    def find(self, word: str) -> list[tuple[str, int]]:
        """Return the English words for a word, best first, each with its fit in units of 1/256; [] if it is unknown."""
        key = word.encode("utf-8", "replace")
        bucket = 4 * (hash_of(key) & (len(self._buckets) // 4 - 2))
        records = self._records[_u32(self._buckets, bucket) : _u32(self._buckets, bucket + 4)]
        place = 0
        while place + 1 < len(records):
            begin = place + 2 + records[place]
            end = begin + _LINK_BYTES * records[place + 1]
            if records[place + 2 : begin] == key:
                links = range(begin, min(end, len(records) - 2), _LINK_BYTES)
                return [(self._word(records[at] | records[at + 1] << 8), records[at + 2]) for at in links]
            place = end
        return []

    def words_of(self, chunk: str) -> list[str]:
        """Return the words in a chunk that the file knows.

        For letters this is the chunk, for Hangul the run or else the run without its ending. In Han and kana it is the
        longest known word at each place; a character that begins no known word is skipped.
        """
        kind = kind_of(chunk)
        if kind in (LETTER, HANGUL):
            forms = (chunk, hangul_word(chunk)) if kind == HANGUL else (chunk,)
            return [form for form in forms if form and self.find(form)][:1]
        found = []
        for piece in ideograph_words(chunk):
            begin = 0
            while begin < len(piece):
                ends = range(min(len(piece), begin + MAX_CHARS), begin, -1)
                end = next((end for end in ends if self.find(piece[begin:end])), 0)
                found += [piece[begin:end]] if end else []
                begin = end or begin + 1
        return found

    def _word(self, number: int) -> str:
        """Return an English word by its number; "" for an unknown number."""
        places, texts = self._english
        begin, end = _u32(places, 4 * number), _u32(places, 4 * number + 4)
        return bytes(texts[begin:end]).decode("utf-8", "replace")


def hash_of(key: bytes) -> int:
    """Return the 32-bit FNV-1a hash of a key."""
    value = 0x811C9DC5
    for byte in key:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def _u32(data: "bytes | memoryview", place: int) -> int:
    return int.from_bytes(data[place : place + 4], "little")


_shipped: "list[OtherWords]" = []
