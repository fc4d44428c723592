"""The message that tells the user of files that a merge has left in conflict (SPEC 13.4)."""

import os

from ...basics.conflict_markers import find_conflict_markers
from ...files.folder import PRIVATE_FILE, Unread
from ...files.store_files import StoreFiles
from ...files.user_folder import open_store_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.snapshot import Snapshot

# The file in the user's folder of the store that lists what was looked at: path, size, time, and whether it was in
# conflict.
NAME = "conflicts"
MAX_BYTES = 64 << 10
INDEX = ".claude/memory/index.md"
# How many files are looked at besides `index.md`, because a prompt waits for the result.
MAX_FILES = 20
CONFLICT = "conflict"


def tell_of_conflicts(snapshot: "Snapshot", memory_dir: str) -> str:
    """Return the message; "" if there is no such file, or if the user was told of the same files before.

    Files that are memories cannot have markers, so only those that the snapshot lists as unfit are read, and only once.
    Before the message is returned, a file records what was looked at. If it cannot be written, the user is not told,
    because otherwise the message would appear at every prompt.
    """
    folder = open_store_folder(memory_dir, make=True)
    if folder is None:
        return ""
    with folder, StoreFiles(memory_dir) as files:
        recorded = (folder.read_if_any(NAME, MAX_BYTES) or b"").decode("utf-8", "replace").splitlines()
        seen = [_look_at(files, path, recorded) for path in (*sorted(snapshot.unfit)[:MAX_FILES], INDEX)]
        lines = [line for line in seen if line]
        if lines == recorded or not os.access(folder.path, os.W_OK):
            return ""
        try:
            folder.replace(NAME, "".join([f"{line}\n" for line in lines]).encode(), mode=PRIVATE_FILE, durable=False)
        except OSError:
            return ""
    found = [line for line in lines if line.endswith(CONFLICT)]
    if all(line in recorded for line in found):
        return ""
    told = "1 file of the memories has" if len(found) == 1 else f"{len(found)} files of the memories have"
    return f"cuecard: {told} the conflict markers of a merge; `cuecard merge` repairs them"


def _look_at(files: StoreFiles, path: str, recorded: list[str]) -> str:
    """Path, size and modification time of a file, and whether it is in conflict, on a line; "" if there is no file."""
    try:
        status = files.status(path)
        stamp = f"{path}\t{status.st_size}\t{status.st_mtime_ns}\t"
        for line in (stamp, stamp + CONFLICT):
            if line in recorded:
                return line
        return stamp + (CONFLICT if find_conflict_markers(files.read(path)[0]) else "")
    except Unread:
        return ""
