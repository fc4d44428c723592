"""Reads and writes messages on standard input and output, one on each line (docs/reference/mcp.md, "Channel")."""

import os
from _queue import SimpleQueue
from _thread import allocate_lock, start_new_thread

from .message import MAX_MESSAGE_BYTES, TOO_LARGE, cancelled_id, ping_id
from .server import Server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK_BYTES = 1 << 16
# How many messages are read ahead, so that a cancellation is noticed while a request is processed.
AHEAD = 32


class Channel:
    """Reads messages in a thread of its own, and answers them in order in the caller's thread.

    Only a ping is answered by the thread that reads, so that it gets its answer while a long request is processed.
    """

    def __init__(self) -> None:
        """Reserve standard output for the protocol. Other output of this process then goes to standard error."""
        self._input = os.dup(0)
        self._output = os.dup(1)
        os.dup2(2, 1)
        self._writing = allocate_lock()
        self._arrived: SimpleQueue[bytes | None] = SimpleQueue()
        self._free: SimpleQueue[None] = SimpleQueue()
        for _ in range(AHEAD):
            self._free.put(None)

    def serve(self, server: Server) -> None:
        """Answer until the input ends. Raises BrokenPipeError if the client has closed the output."""
        start_new_thread(self._read_ahead, (server,))
        while (line := self._arrived.get()) is not None:
            answer = server.answer(line)
            if answer:
                self._write(answer)
            self._free.put(None)

    def _read_ahead(self, server: Server) -> None:
        try:
            for line in read_lines(self._input):
                cancelled = cancelled_id(line)
                if cancelled is not None:
                    server.cancel(cancelled)
                if ping_id(line) is not None:
                    self._write(server.answer(line))
                    continue
                self._free.get()
                self._arrived.put(line)
        except BrokenPipeError:
            # The client has closed the output; the thread that answers ends as well.
            return
        finally:
            self._arrived.put(None)

    def _write(self, data: bytes) -> None:
        with self._writing:
            view = memoryview(data)
            while view:
                view = view[os.write(self._output, view) :]


def read_lines(handle: int) -> "Iterator[bytes]":
    """The lines of a file that are not blank, with `TOO_LARGE` in place of a line over 4 MiB."""
    parts: list[bytes] = []
    size = 0
    while chunk := _read(handle):
        *ended, rest = chunk.split(b"\n")
        for end in ended:
            size += len(end)
            parts.append(end)
            line = TOO_LARGE if size > MAX_MESSAGE_BYTES else b"".join(parts).strip()
            parts, size = [], 0
            if line:
                yield line
        size += len(rest)
        # The parts of a line that is already too large are not kept.
        parts = [] if size > MAX_MESSAGE_BYTES else [*parts, rest] if len(parts) < 64 else [b"".join(parts), rest]
    if size > MAX_MESSAGE_BYTES:
        yield TOO_LARGE
    elif line := b"".join(parts).strip():
        yield line


def _read(handle: int) -> bytes:
    """The next bytes; empty at the end, or if reading fails."""
    try:
        return os.read(handle, CHUNK_BYTES)
    except OSError:
        return b""
