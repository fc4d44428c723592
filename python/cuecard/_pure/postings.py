"""Posting lists: which documents have a text, with a byte for each (SPEC 20.4).

In Python a posting is one integer, number·256 + byte.
"""

from .layout import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RUN_HEADER_BYTES = 6
CHUNK = 65_536


def runs(section: memoryview, entry: tuple[int, int, int]) -> "Iterator[tuple[int, int, memoryview, memoryview]]":
    """The runs of an entry's list: chunk, largest byte, numbers (two bytes each) and bytes.

    What does not fit into the section or goes beyond the entry's documents ends the list.
    """
    offset, left, _ = entry
    start = 2 * offset
    last_chunk = -1
    while left > 0:
        head = section[start : start + RUN_HEADER_BYTES]
        if len(head) < RUN_HEADER_BYTES:
            return
        chunk = head[0] | head[1] << 8
        count = (head[2] | head[3] << 8) + 1
        bytes_start = start + RUN_HEADER_BYTES + 2 * count
        end = bytes_start + count
        if count > left or chunk <= last_chunk or end > len(section):
            return
        yield chunk, head[4], section[start + RUN_HEADER_BYTES : bytes_start], section[bytes_start:end]
        last_chunk = chunk
        left -= count
        start = end + (count & 1)


def decode(run: tuple[int, int, memoryview, memoryview]) -> list[int]:
    """The numbers of a run's documents; its bytes stand beside them."""
    first = CHUNK * run[0]
    # One conversion of the whole is faster than one a number.
    low = list(numbers(run[2], "H"))
    return [first + number for number in low] if first else low


def read_list(section: memoryview, entry: tuple[int, int, int], documents: int) -> list[int]:
    """The postings of an entry's list, those of documents that there are."""
    postings: list[int] = []
    for run in runs(section, entry):
        postings += [number << 8 | byte for number, byte in zip(decode(run), run[3], strict=True) if number < documents]
    return postings


def find_byte(section: memoryview, entry: tuple[int, int, int], number: int) -> int:
    """The byte that an entry's list has for a document; 0 where it has none."""
    for run in runs(section, entry):
        if run[0] == number // CHUNK:
            found = numbers(run[2], "H")
            low, high = 0, len(found)
            while low < high:
                middle = (low + high) // 2
                if found[middle] < number % CHUNK:
                    low = middle + 1
                else:
                    high = middle
            return run[3][low] if low < len(found) and found[low] == number % CHUNK else 0
    return 0


def count_living(section: memoryview, entry: tuple[int, int, int], dead: set[int]) -> int:
    """In how many documents an entry's list stands, but for the dead."""
    found = [number for run in runs(section, entry) for number in decode(run) if number in dead] if dead else []
    return max(0, entry[1] - len(found))


class PostingsWriter:
    """Makes the section of posting lists."""

    __slots__ = ("_end", "_parts")

    def __init__(self) -> None:
        """Without lists."""
        self._parts: list[bytes] = []
        self._end = 0

    def push(self, postings: list[int]) -> int:
        """Append a list, ascending, of one posting and more; its offset in units of two bytes."""
        offset = self._end // 2
        start = 0
        while start < len(postings):
            chunk = postings[start] >> 24
            stop = len(postings)
            if postings[-1] >> 24 != chunk:
                stop = _lower_bound(postings, (chunk + 1) << 24, start)
            self._push_run(chunk, postings[start:stop])
            start = stop
        return offset

    def _push_run(self, chunk: int, postings: list[int]) -> None:
        count = len(postings)
        if count == 1:
            # Most texts stand in one document.
            low, byte = postings[0] >> 8 & 0xFFFF, postings[0] & 0xFF
            part = (chunk | byte << 32 | low << 48 | byte << 64).to_bytes(10, "little")
        else:
            # Readers do without it.
            from struct import pack

            values = bytes([posting & 0xFF for posting in postings])
            lows = [posting >> 8 & 0xFFFF for posting in postings]
            part = pack(f"<HHBx{count}H", chunk, count - 1, max(values), *lows) + values + b"\0" * (count & 1)
        self._parts.append(part)
        self._end += len(part)

    def finish(self) -> bytes:
        """The section."""
        return b"".join(self._parts)


def _lower_bound(postings: list[int], posting: int, low: int) -> int:
    high = len(postings)
    while low < high:
        middle = (low + high) // 2
        if postings[middle] < posting:
            low = middle + 1
        else:
            high = middle
    return low
