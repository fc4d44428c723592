"""The trust level of a memory on this machine, stored in the user's data folder by trust hash (SPEC 52.2)."""

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
# Longer files are ignored; with such files, millions of memories would have a trust level.
MAX_FILE_BYTES = 4 << 20
HASH_CHARS = 64
DAY_CHARS = 10
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
        words = line.split(b" ")
        if is_whole and len(words) == 3 and words[1] in LEVELS and len(words[2]) == DAY_CHARS:
            return LEVELS[words[1]]
    return UNREVIEWED
