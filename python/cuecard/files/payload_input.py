"""Reads the payload that a host writes to the hook's standard input (SPEC 14.1)."""

# `_signal` is a built-in module; `select` would have to be loaded.
import _signal  # type: ignore[import-not-found]
import os

from ..basics.json_reader import JsonError, read_json
from ..errors import PayloadError

MAX_PAYLOAD_BYTES = 8 << 20
# Hosts write the payload at once. If it is not complete after this time, it never will be.
LONGEST_WAIT_SECONDS = 2.0


def read_input() -> bytes:
    """The payload on standard input, up to the end of the stream or of one complete JSON object.

    Some hosts keep the pipe open. Raises PayloadError if the payload is not complete after two seconds.
    """
    if not hasattr(_signal, "setitimer"):
        return _read_whole_payload()
    before = _signal.signal(_signal.SIGALRM, _give_up)
    _signal.setitimer(_signal.ITIMER_REAL, LONGEST_WAIT_SECONDS)
    try:
        return _read_whole_payload()
    finally:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, before)


def _give_up(_number: int, _frame: object) -> None:
    raise PayloadError("the payload is incomplete after two seconds")


def _read_whole_payload() -> bytes:
    payload, nesting = b"", Nesting()
    while True:
        try:
            chunk = os.read(0, 1 << 16)
        except OSError:
            raise PayloadError("standard input cannot be read") from None
        if not chunk:
            return payload
        payload += chunk
        nesting.follow(chunk)
        if len(payload) > MAX_PAYLOAD_BYTES:
            raise PayloadError("the payload is over 8 MiB")
        if nesting.is_closed and payload.rstrip().endswith(b"}"):
            try:
                read_json(payload)
            except JsonError:
                continue
            return payload


class Nesting:
    """How deep a JSON text that comes in pieces is nested at the end of what was read of it, without parsing it."""

    def __init__(self) -> None:
        self._depth = 0
        self._is_in_text = False
        # A backslash at the end of a piece, which escapes the first character of the next one.
        self._half = b""

    @property
    def is_closed(self) -> bool:
        """Whether no list, object or string is open."""
        return self._depth == 0 and not self._is_in_text

    def follow(self, piece: bytes) -> None:
        """Read the next piece."""
        piece = (self._half + piece).replace(rb"\\", b"")
        self._half = b"\\" if piece.endswith(b"\\") else b""
        parts = piece.removesuffix(b"\\").replace(rb"\"", b"").split(b'"')
        outside = b"".join(parts[self._is_in_text :: 2])
        self._depth += outside.count(b"{") + outside.count(b"[") - outside.count(b"}") - outside.count(b"]")
        self._is_in_text ^= len(parts) % 2 == 0
