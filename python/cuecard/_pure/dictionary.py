"""A sorted dictionary of texts, read in place (SPEC 20.3)."""

from .layout import numbers

FENCE = 64
ENTRY_BYTES = 16
TEXT_BYTES_MAX = 65_535
_MAX_REMEMBERED = 4_096


class Dictionary:
    """The texts of a segment with what is known of their posting lists; entries are named by position."""

    __slots__ = ("_entries", "_keys", "_length", "_remembered", "_texts")

    def __init__(self, section: memoryview) -> None:
        """A view of a section; one whose tables do not fit counts as empty."""
        self._length = 0
        # What was looked for: a prompt asks for the same terms several times.
        self._remembered: dict[bytes, int | None] = {}
        if len(section) < 8:
            return
        length = int.from_bytes(section[:4], "little")
        fences = int.from_bytes(section[4:8], "little")
        entries_start = 8 + 8 * fences
        texts_start = entries_start + ENTRY_BYTES * length
        if fences != (length + FENCE - 1) // FENCE or texts_start > len(section):
            return
        self._length = length
        self._keys = numbers(section[8:entries_start], "Q")
        self._entries = numbers(section[entries_start:texts_start], "I")
        self._texts = section[texts_start:]

    def __len__(self) -> int:
        """How many texts there are."""
        return self._length

    def text(self, position: int) -> bytes:
        """The text at `position`, which is below the length; none where it does not fit."""
        offset = self._entries[4 * position]
        size = self._entries[4 * position + 3] & 0xFFFF
        found = self._texts[offset : offset + size]
        return bytes(found) if len(found) == size else b""

    def entry(self, position: int) -> tuple[int, int, int]:
        """Offset of the list in units of two bytes, documents in it, and the largest byte."""
        first = 4 * position
        entries = self._entries
        return entries[first + 1], entries[first + 2], entries[first + 3] >> 16 & 0xFF

    def find(self, text: bytes) -> int | None:
        """The position of a text, or None."""
        found = self._remembered.get(text, -1)
        if found == -1:
            position = self._lower_bound(text)
            found = position if position < self._length and self.text(position) == text else None
            if len(self._remembered) == _MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[text] = found
        return found

    def range(self, prefix: bytes) -> range:
        """The positions of the texts that begin with `prefix`."""
        start = low = self._lower_bound(prefix)
        high = self._length
        # Most ranges are short: the step doubles until it is beyond the end.
        step = 1
        while low < high:
            middle = min(low + step, high) - 1
            if self.text(middle).startswith(prefix):
                low = middle + 1
                step *= 2
            else:
                high = middle
                step = 1
        return range(start, low)

    def _lower_bound(self, text: bytes) -> int:
        """The first position whose text is not below `text`."""
        if not self._length:
            return 0
        key = int.from_bytes(text[:8].ljust(8, b"\0"), "big")
        keys, entries, texts = self._keys, self._entries, self._texts
        low, high = 0, len(keys)
        while low < high:
            middle = (low + high) >> 1
            if keys[middle] < key:
                low = middle + 1
            else:
                high = middle
        # Of several fences with this key, a text may stand behind any.
        while high < len(keys) and keys[high] == key:
            high += 1
        low = FENCE * (low - 1) if low else 0
        high = min(FENCE * high, self._length)
        while low < high:
            middle = (low + high) >> 1
            # As `text` does, without a call for each.
            size = entries[4 * middle + 3] & 0xFFFF
            offset = entries[4 * middle]
            found = bytes(texts[offset : offset + size])
            if (found if len(found) == size else b"") < text:
                low = middle + 1
            else:
                high = middle
        return low


class DictionaryWriter:
    """Makes the section of a dictionary."""

    __slots__ = ("_entries", "_keys", "_offset", "_texts")

    def __init__(self) -> None:
        """Without texts."""
        self._keys: list[bytes] = []
        self._entries: list[bytes] = []
        self._texts: list[bytes] = []
        self._offset = 0

    def push(self, text: bytes, offset: int, documents: int, largest: int) -> None:
        """Append a text, which is above the last one, with its list's place, documents and largest byte."""
        if len(self._entries) % FENCE == 0:
            self._keys.append(text[:8].ljust(8, b"\0")[::-1])
        packed = self._offset | offset << 32 | documents << 64 | len(text) << 96 | largest << 112
        self._entries.append(packed.to_bytes(16, "little"))
        self._texts.append(text)
        self._offset += len(text)

    def finish(self) -> bytes:
        """The section; no bytes where there is no text."""
        if not self._entries:
            return b""
        counts = len(self._entries).to_bytes(4, "little") + len(self._keys).to_bytes(4, "little")
        return b"".join([counts, *self._keys, *self._entries, *self._texts])
