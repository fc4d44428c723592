"""Tells whether a JSON text that comes in pieces may be complete, without parsing it again for each piece."""


class Nesting:
    """How deep a JSON text is nested at the end of what was read of it."""

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
