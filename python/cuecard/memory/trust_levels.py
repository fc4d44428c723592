"""The trust level of a memory on this machine, stored in the user's data folder by trust hash (SPEC 52.2, 52.11)."""

import time

from ..files.folder import PRIVATE_FILE, PRIVATE_FOLDER, Folder, Unread
from ..files.user_folder import data_path, open_data_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

OWN: "Final" = "own"
REVIEWED: "Final" = "reviewed"
UNREVIEWED: "Final" = "unreviewed"
# The word in a file for a hash that was revoked.
REVOKED = "revoked"
LEVELS = {b"own": OWN, b"reviewed": REVIEWED, b"revoked": UNREVIEWED}
FOLDER = "trust"
# The file in that folder with all lines in the order in which they were written. Its size tells whether anything has
# changed.
CHANGES = "changes"
# Longer files are ignored; with such files, millions of memories would have a trust level.
MAX_FILE_BYTES = 4 << 20
HASH_CHARS = 64
# A snapshot keeps this many digits of each trust hash.
PREFIX_CHARS = 16
DAY_CHARS = 10
_DIGITS = frozenset(b"0123456789abcdef")
# The length of a file's name. All hashes in the file begin with its name.
NAME_CHARS = 2


def levels_of(hashes: "Iterable[str]") -> dict[str, str]:
    """The level of each trust hash; `unreviewed` if no level is stored or the file with the level cannot be read."""
    found = dict.fromkeys(hashes, UNREVIEWED)
    folder = _open() if found else None
    if folder is None:
        return found
    files: dict[str, bytes] = {}
    with folder:
        for trust_hash in found:
            name = trust_hash[:NAME_CHARS]
            if name not in files:
                files[name] = _read(folder, name)
            found[trust_hash] = _level_in(files[name], trust_hash)
    return found


def read_changes() -> int | None:
    """The length of the list of changes of trust; None if the user vouches for nothing."""
    folder = _open()
    if folder is None:
        return None
    with folder:
        try:
            return folder.status(CHANGES).st_size
        except OSError:
            return 0


def vouched_among(prefixes: "Iterable[str]") -> set[str]:
    """The beginnings of trust hashes, of 16 digits, that belong to memories that the user vouches for.

    Each file of trust is read once.
    """
    wanted: dict[str, set[str]] = {}
    for prefix in prefixes:
        wanted.setdefault(prefix[:NAME_CHARS], set()).add(prefix)
    vouched: set[str] = set()
    folder = _open() if wanted else None
    if folder is None:
        return vouched
    with folder:
        for name, of_file in wanted.items():
            *lines, _rest = _read(folder, name).split(b"\n")
            for line in lines:
                prefix = line[:PREFIX_CHARS].decode("ascii", "replace")
                level = _level_of_line(line) if prefix in of_file and _DIGITS.issuperset(line[:HASH_CHARS]) else None
                if level == UNREVIEWED:
                    vouched.discard(prefix)
                elif level:
                    vouched.add(prefix)
    return vouched


def grant(hashes: "Iterable[str]", level: str) -> None:
    """Record that somebody vouches for memories, as `own` or `reviewed`. Raises OSError if it cannot be stored."""
    _append(hashes, level)


def revoke(hashes: "Iterable[str]") -> None:
    """Record that nobody vouches for memories. Raises OSError if it cannot be stored."""
    _append(hashes, REVOKED)


def _append(hashes: "Iterable[str]", level: str) -> None:
    day = time.strftime("%Y-%m-%d", time.gmtime())
    files: dict[str, list[str]] = {}
    for trust_hash in dict.fromkeys(hashes):
        files.setdefault(trust_hash[:NAME_CHARS], []).append(f"{trust_hash} {level} {day}\n")
    if not files:
        return
    folder = _open(make=True)
    if folder is None:
        raise FileNotFoundError(2, "the user's data folder cannot be opened or created", data_path())
    with folder:
        # This line comes first: a reader that finds it looks up again what follows.
        folder.append(CHANGES, "".join([line for lines in files.values() for line in lines]).encode(), PRIVATE_FILE)
        for name, lines in files.items():
            folder.append(name, "".join(lines).encode(), PRIVATE_FILE)


def _open(*, make: bool = False) -> Folder | None:
    """Open the folder with the trust files; None if there is none. Raises OSError if it cannot be created."""
    data = open_data_folder(make=make)
    if data is None:
        return None
    with data:
        if make:
            return data.make_folder(FOLDER, PRIVATE_FOLDER)
        try:
            return data.folder(FOLDER)
        except OSError:
            return None


def _read(folder: Folder, name: str) -> bytes:
    try:
        return folder.read(name, MAX_FILE_BYTES)[0]
    except Unread:
        return b""


def _level_in(lines: bytes, trust_hash: str) -> str:
    """The level in the last line for a hash; malformed lines are skipped."""
    wanted = trust_hash.encode()
    end = len(lines)
    while (place := lines.rfind(wanted, 0, end)) >= 0:
        end = place
        if place and lines[place - 1 : place] != b"\n":
            continue
        line, is_whole, _rest = lines[place : place + HASH_CHARS + 32].partition(b"\n")
        level = _level_of_line(line) if is_whole else None
        if level:
            return level
    return UNREVIEWED


def _level_of_line(line: bytes) -> str | None:
    """The level in a line; None if the line is malformed."""
    words = line.split(b" ")
    is_known = len(words) == 3 and len(words[0]) == HASH_CHARS and len(words[2]) == DAY_CHARS
    return LEVELS.get(words[1]) if is_known else None
