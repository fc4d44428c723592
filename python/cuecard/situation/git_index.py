"""The index of a git repository: what it says about the files of the working tree (SPEC 35.2).

Source: "index-format" of git's technical documentation, versions 2, 3 and 4.
"""

# Bytes of the times, numbers and sizes before the hash of an entry, and those of its flags.
NUMBERS = 40
FLAGS = 2
HEADER = 12
# Hashes are those of SHA-1 or of SHA-256; an index does not say which.
HASHES = (20, 32)
ASSUME_VALID = 0x8000
EXTENDED = 0x4000
NAME_LENGTH = 0x0FFF
SKIP_WORKTREE = 0x4000
KIND, REGULAR = 0o170000, 0o100000

# A regular file that git watches, as it was when git last looked: name from the top of the working tree, seconds of its
# modification time and nanoseconds in that second, the lower 32 bits of its size.
IndexEntry = tuple[bytes, int, int, int]


def read_index(data: bytes, limit: int) -> list[IndexEntry] | None:
    """The regular files that an index lists, in its order; one that is in conflict stands there up to three times.

    Left out are those that git is told not to look at. None for what is no whole index, or has over `limit` entries.
    """
    version, count = _number(data, 4), _number(data, 8)
    if data[:4] != b"DIRC" or not 2 <= version <= 4 or len(data) < HEADER or count > limit:
        return None
    for hash_bytes in HASHES:
        entries = _read_entries(data, version, count, hash_bytes)
        if entries is not None:
            return entries
    return None


def _read_entries(data: bytes, version: int, count: int, hash_bytes: int) -> list[IndexEntry] | None:
    entries: list[IndexEntry] = []
    name = b""
    at = HEADER
    for _ in range(count):
        begin = at
        at = begin + NUMBERS + hash_bytes
        flags = _short(data, at)
        at += FLAGS
        more_flags = 0
        if flags & EXTENDED and version > 2:
            more_flags = _short(data, at)
            at += FLAGS
        last, kept = name, 0
        if version == 4:
            cut, at = _read_offset(data, at)
            kept = len(last) - cut
        end = data.find(0, at)
        if kept < 0 or end < 0:
            return None
        name = last[:kept] + data[at:end]
        # A hash of the other length puts all this in the wrong place, where neither of these would hold.
        if min(len(name), NAME_LENGTH) != flags & NAME_LENGTH or not name or name < last:
            return None
        at = end + 1
        if version < 4:
            # With its zeros, one at least, an entry takes a multiple of eight bytes.
            at += -(at - begin) % 8
        is_watched = not flags & ASSUME_VALID and not more_flags & SKIP_WORKTREE
        if is_watched and _number(data, begin + 24) & KIND == REGULAR:
            times = _number(data, begin + 8), _number(data, begin + 12)
            entries.append((name, *times, _number(data, begin + 36)))
    # The hash of everything ends it. What is split has its entries in another file too.
    is_whole = len(data) >= at + hash_bytes and data[at : at + 4] != b"link"
    return entries if is_whole else None


def _read_offset(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, each continued one increased by one, and where it ends."""
    offset = -1
    for place in range(at, len(data)):
        offset = (offset + 1) << 7 | data[place] & 0x7F
        # No name is so long: what is longer is nothing that anybody wrote.
        if data[place] < 0x80 or offset > len(data):
            return offset, place + 1
    return len(data), len(data)


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


def _short(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big")
