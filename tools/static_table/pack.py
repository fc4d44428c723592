"""Packs a table of word vectors into the file format that both backends read (SPEC 24)."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

from cuecard._pure.retrieve.static_table import DIMENSIONS, MAGIC, VERSION

HEADER_BYTES = 64
# The offset in the header of the CRC-32 over everything after the header. The CRC-32 identifies a table.
FINGERPRINT = 36
ALIGNMENT = 64
MAX_TERM_BYTES = 255
MAX_TERMS = 65_536

CONTINUATION = "##"


class Table(NamedTuple):
    """The pieces with their rows, and the terms with their related terms."""

    pieces: dict[str, bytes]
    """Each piece with the 128 signed bytes of its row; a piece inside a word begins with `##`."""
    related: dict[str, list[tuple[str, int]]]
    """For each term, its related terms with their cosines in 1/256, nearest first."""


def pack(table: Table) -> bytes:
    """The content of the table file."""
    begins = {piece.encode(): row for piece, row in table.pieces.items() if not piece.startswith(CONTINUATION)}
    continues = {
        piece.removeprefix(CONTINUATION).encode(): row
        for piece, row in table.pieces.items()
        if piece.startswith(CONTINUATION)
    }
    pieces = [*sorted(continues.items()), *sorted(begins.items())]
    piece_places, piece_texts = _lay_out([text for text, _ in pieces])
    records = _records(table.related)
    record_places, record_texts = _lay_out(records)
    counts = [len(continues), len(pieces), len(piece_texts), len(records), len(record_texts)]
    file = bytearray(MAGIC + struct.pack("<7I", VERSION, DIMENSIONS, *counts))
    file += bytes(HEADER_BYTES - len(file))
    for section in (b"".join(row for _, row in pieces), piece_places, piece_texts, record_places, record_texts):
        file += bytes(-len(file) % ALIGNMENT)
        file += section
    file[FINGERPRINT : FINGERPRINT + 4] = struct.pack("<I", zlib.crc32(file[HEADER_BYTES:]))
    return bytes(file)


def _records(related: dict[str, list[tuple[str, int]]]) -> list[bytes]:
    named = {other for others in related.values() for other, _ in others}
    terms = sorted(term.encode() for term in named | set(related))
    if len(terms) > MAX_TERMS or any(not 0 < len(term) <= MAX_TERM_BYTES for term in terms):
        raise ValueError("too many terms, or terms that are too long")
    numbers = {term.decode(): number for number, term in enumerate(terms)}
    return [
        bytes([len(term)])
        + term
        + b"".join(struct.pack("<HB", numbers[other], cosine) for other, cosine in related.get(term.decode(), []))
        for term in terms
    ]


def _lay_out(texts: list[bytes]) -> tuple[bytes, bytes]:
    places = [0]
    for text in texts:
        places.append(places[-1] + len(text))
    return struct.pack(f"<{len(places)}I", *places), b"".join(texts)
