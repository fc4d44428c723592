"""Standard input and output as a channel of messages, one a line (docs/reference/mcp.md, "Channel")."""

import os
from _queue import SimpleQueue
from _thread import start_new_thread

from .message import MAX_MESSAGE_BYTES, TOO_LARGE, cancelled_id
from .server import Server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK_BYTES = 1 << 16
# So many messages are read ahead, to see what is cancelled while something is worked on.
AHEAD = 32


class Channel:
    """Reads messages ahead in a thread of its own, and answers them in their order in the caller's."""

    def __init__(self) -> None:
        """Take standard output for the protocol alone: what else is printed there goes to standard error."""
        self._input = os.dup(0)
        self._output = os.dup(1)
        os.dup2(2, 1)
        self._arrived: SimpleQueue[bytes | None] = SimpleQueue()
        self._free: SimpleQueue[None] = SimpleQueue()
        for _ in range(AHEAD):
            self._free.put(None)

    def serve(self, server: Server) -> None:
        """Answer until the input ends. Raises BrokenPipeError where nobody reads the answers."""
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
                self._free.get()
                self._arrived.put(line)
        finally:
            self._arrived.put(None)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._output, view) :]


def read_lines(handle: int) -> "Iterator[bytes]":
    """The lines of a file that are not blank; `TOO_LARGE` for one that is over 4 MiB, which is passed over."""
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
        # Nothing is kept of what is too large already.
        parts = [] if size > MAX_MESSAGE_BYTES else [*parts, rest] if len(parts) < 64 else [b"".join(parts), rest]
    if size > MAX_MESSAGE_BYTES:
        yield TOO_LARGE
    elif line := b"".join(parts).strip():
        yield line


def _read(handle: int) -> bytes:
    """The next bytes; none at the end, or where nothing can be read."""
    try:
        return os.read(handle, CHUNK_BYTES)
    except OSError:
        return b""
