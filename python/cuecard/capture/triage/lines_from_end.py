"""Reads the lines of a file backwards from its end, so that a large transcript does not have to be read completely.

Rules: docs/reference/triage.md, "Conversation".
"""

import os
from collections.abc import Iterator

from .transcript_record import MAX_LINE_BYTES

CHUNK_BYTES = 1 << 18
# Reading stops after this many bytes.
MAX_TAIL_BYTES = 64 << 20


def lines_from_end(handle: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Each line before the byte `end` with its byte offset, the last first, without LF.

    Blank lines and lines of more than `MAX_LINE_BYTES` are left out. At most `MAX_TAIL_BYTES` are read.

    Raises OSError.
    """
    position, parts, size = end, [b""], 0
    while position > max(0, end - MAX_TAIL_BYTES):
        count = min(CHUNK_BYTES, position)
        position -= count
        chunk = _read_at(handle, position, count)
        pieces = chunk.split(b"\n")
        if len(pieces) > 1:
            # `parts` has the parts of one line, the last part first.
            offset = position + len(chunk) - len(pieces[-1])
            if size + len(pieces[-1]) <= MAX_LINE_BYTES:
                yield from _kept(offset, b"".join([pieces[-1], *reversed(parts)]))
            for piece in reversed(pieces[1:-1]):
                offset -= len(piece) + 1
                yield from _kept(offset, piece)
            parts, size = [], 0
        size += len(pieces[0])
        if size <= MAX_LINE_BYTES:
            parts.append(pieces[0])
    if position == 0 and size <= MAX_LINE_BYTES:
        yield from _kept(0, b"".join(reversed(parts)))


def _kept(offset: int, line: bytes) -> Iterator[tuple[int, bytes]]:
    if line.strip():
        yield offset, line


def _read_at(handle: int, position: int, count: int) -> bytes:
    os.lseek(handle, position, os.SEEK_SET)
    data = b""
    while len(data) < count and (more := os.read(handle, count - len(data))):
        data += more
    return data
