"""The trust level of a memory on this machine, stored in the user's data folder by trust hash (SPEC 45.2, 45.11)."""

import time

from ..basics.json_reader import read_json_object
from .folder import PRIVATE_FILE, PRIVATE_FOLDER, Folder
from .user_folder import data_path, open_data_folder, store_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Final

OWN: "Final" = "own"
REVIEWED: "Final" = "reviewed"
UNREVIEWED: "Final" = "unreviewed"
# The word in a file for a hash that was revoked.
REVOKED = "revoked"
LEVELS = {b"own": OWN, b"reviewed": REVIEWED, b"revoked": UNREVIEWED}
# The words for text that was replaced, retired or deleted in one store. It has the level only in a file that is not
# active, so that an old version that comes back is unreviewed.
PAST = {b"past-own": OWN, b"past-reviewed": REVIEWED}
OVER = ("retired", "archived")
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
# No line is longer: a hash, a word, a day and the key of a store.
MAX_LINE_CHARS = 160
# The length of a file's name. All hashes in the file begin with its name.
NAME_CHARS = 2


def levels_of(memory_dir: str, files: "Sequence[tuple[str | None, bytes]]") -> list[str]:
    """The level of each memory of a store, given as its trust hash (None if it has none) and the bytes of its file.

    It is `unreviewed` if no level is stored or the file with the level cannot be read.
    """
    said = _said_of(memory_dir, [trust_hash for trust_hash, _data in files if trust_hash])
    levels = []
    for trust_hash, data in files:
        level, is_past = said.get(trust_hash or "", (UNREVIEWED, False))
        levels.append(UNREVIEWED if is_past and not _is_over(data) else level)
    return levels


def past_levels_of(memory_dir: str, hashes: "Iterable[str]") -> dict[str, str]:
    """The former level of each trust hash whose text was replaced, retired or deleted in the store."""
    return {name: level for name, (level, is_past) in _said_of(memory_dir, hashes).items() if is_past}


def _is_over(data: bytes) -> bool:
    """Whether the memory in a file was retired or archived."""
    return (read_json_object(data) or {}).get("record_status") in OVER


def _said_of(memory_dir: str, hashes: "Iterable[str]") -> dict[str, tuple[str, bool]]:
    """For each trust hash the level in its last line, and whether this line is about past text."""
    found = dict.fromkeys(hashes, (UNREVIEWED, False))
    folder = _open() if found else None
    if folder is None:
        return found
    key = store_key(memory_dir).encode()
    files: dict[str, bytes] = {}
    with folder:
        for trust_hash in found:
            name = trust_hash[:NAME_CHARS]
            if name not in files:
                files[name] = folder.read_if_any(name, MAX_FILE_BYTES) or b""
            found[trust_hash] = _said_in(files[name], trust_hash, key)
    return found


def vouched_among(memory_dir: str, prefixes: "Iterable[str]") -> set[str]:
    """The beginnings of trust hashes, of 16 digits, of active memories that the user vouches for in a store.

    Each file of trust is read once.
    """
    wanted: dict[str, set[str]] = {}
    for prefix in prefixes:
        wanted.setdefault(prefix[:NAME_CHARS], set()).add(prefix)
    vouched: set[str] = set()
    folder = _open() if wanted else None
    if folder is None:
        return vouched
    key = store_key(memory_dir).encode()
    with folder:
        for name, of_file in wanted.items():
            *lines, _rest = (folder.read_if_any(name, MAX_FILE_BYTES) or b"").split(b"\n")
            for line in lines:
                prefix = line[:PREFIX_CHARS].decode("ascii", "replace")
                is_wanted = prefix in of_file and _DIGITS.issuperset(line[:HASH_CHARS])
                said = _said_in_line(line, key) if is_wanted else None
                if said and (said[1] or said[0] == UNREVIEWED):
                    vouched.discard(prefix)
                elif said:
                    vouched.add(prefix)
    return vouched


def grant(hashes: "Iterable[str]", level: str) -> None:
    """Record that somebody vouches for memories, as `own` or `reviewed`. Raises OSError if it cannot be stored."""
    _append(hashes, level)


def revoke(hashes: "Iterable[str]") -> None:
    """Record that nobody vouches for memories. Raises OSError if it cannot be stored."""
    _append(hashes, REVOKED)


def leave_behind(memory_dir: str, trust_hash: str, level: str) -> None:
    """Record that a text of this level was replaced, retired or deleted in a store. Other stores are not concerned.

    Raises OSError if it cannot be stored.
    """
    _append([trust_hash], f"past-{level}", store_key(memory_dir))


def bring_back(memory_dir: str, trust_hash: str, level: str) -> None:
    """Record that a text has its former level in a store again. Raises OSError if it cannot be stored."""
    _append([trust_hash], level, store_key(memory_dir))


def _append(hashes: "Iterable[str]", level: str, key: str = "") -> None:
    day = time.strftime("%Y-%m-%d", time.gmtime())
    end = f" {key}" if key else ""
    files: dict[str, list[str]] = {}
    for trust_hash in dict.fromkeys(hashes):
        files.setdefault(trust_hash[:NAME_CHARS], []).append(f"{trust_hash} {level} {day}{end}\n")
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


def _said_in(lines: bytes, trust_hash: str, key: bytes) -> tuple[str, bool]:
    """What the last line for a hash says; malformed lines and lines for stores with another key are skipped."""
    wanted = trust_hash.encode()
    end = len(lines)
    while (place := lines.rfind(wanted, 0, end)) >= 0:
        end = place
        if place and lines[place - 1 : place] != b"\n":
            continue
        line, is_whole, _rest = lines[place : place + MAX_LINE_CHARS].partition(b"\n")
        said = _said_in_line(line, key) if is_whole else None
        if said:
            return said
    return UNREVIEWED, False


def _said_in_line(line: bytes, key: bytes) -> tuple[str, bool] | None:
    """What a line says about its hash; None if it is malformed, or about a store with another key."""
    words = line.split(b" ")
    if len(words) not in (3, 4) or len(words[0]) != HASH_CHARS or len(words[2]) != DAY_CHARS:
        return None
    if words[3:] not in ([], [key]):
        return None
    if words[1] in LEVELS:
        return LEVELS[words[1]], False
    return (PAST[words[1]], True) if words[1] in PAST and len(words) == 4 else None
