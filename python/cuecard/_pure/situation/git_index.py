"""Reads the index of a Git repository, which lists the files of the working tree (SPEC 35.2).

Source: "index-format" of Git's technical documentation, versions 2, 3 and 4.
"""

# The bytes of an entry before its hash (times, numbers and sizes), and the bytes of its flags.
NUMBERS = 40
FLAGS = 2
HEADER = 12
# The lengths of SHA-1 and SHA-256 hashes. An index does not say which of them it uses.
HASHES = (20, 32)
ASSUME_VALID = 0x8000
EXTENDED = 0x4000
NAME_LENGTH = 0x0FFF
SKIP_WORKTREE = 0x4000
KIND, REGULAR = 0o170000, 0o100000

# A regular file as it was when Git last looked at it: its path from the top of the working tree, its modification time
# in seconds and nanoseconds, and the lower 32 bits of its size.
IndexEntry = tuple[bytes, int, int, int]


def read_index(data: bytes, limit: int) -> list[IndexEntry] | None:
    """Return the regular files in an index, in its order. A file with a merge conflict can occur up to three times.

    Files that Git is told not to check (`assume-valid`, `skip-worktree`) are left out. Returns None for data that is
    not a complete index, and for an index with more than `limit` entries.
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
        # With the wrong hash length these bytes are read from the wrong place, and one of these conditions fails.
        if min(len(name), NAME_LENGTH) != flags & NAME_LENGTH or not name or name < last:
            return None
        at = end + 1
        if version < 4:
            # An entry is padded with at least one zero byte to a multiple of eight bytes.
            at += -(at - begin) % 8
        is_watched = not flags & ASSUME_VALID and not more_flags & SKIP_WORKTREE
        if is_watched and _number(data, begin + 24) & KIND == REGULAR:
            times = _number(data, begin + 8), _number(data, begin + 12)
            entries.append((name, *times, _number(data, begin + 36)))
    # The index ends with a hash of its content. A split index (`link`) has more entries in another file.
    is_whole = len(data) >= at + hash_bytes and data[at : at + 4] != b"link"
    return entries if is_whole else None


def _read_offset(data: bytes, at: int) -> tuple[int, int]:
    """Read a number in the offset encoding of Git's pack format; returns the number and the position after it."""
    offset = -1
    for place in range(at, len(data)):
        offset = (offset + 1) << 7 | data[place] & 0x7F
        # No name is longer than the data, so a larger offset means that the data is damaged.
        if data[place] < 0x80 or offset > len(data):
            return offset, place + 1
    return len(data), len(data)


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


def _short(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big")
