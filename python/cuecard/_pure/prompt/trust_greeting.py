"""The one message per store that tells the user how many memories nobody has vouched for (SPEC 45.6)."""

import os

from ...files.folder import PRIVATE_FILE
from ...files.store_files import StoreFiles
from ...files.trust_levels import UNREVIEWED, levels_of
from ...files.user_folder import open_store_folder
from ..memory.document import ACTIVE
from ..memory.trust_hash import trust_hash
from ..memory.trust_texts import trust_notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.root import Project
    from ..engine.snapshot import Snapshot

NAME = "greeted"
TOLD, NONE = b"told\n", b"none\n"
MAX_BYTES = 16
# Limits on what is counted and read, because a prompt waits for the result.
MAX_COUNT = 100
MAX_FILES = 400
MAX_READ_BYTES = 8 << 20


def greet(snapshot: "Snapshot", project: "Project", has_met_unreviewed: bool) -> str:
    """Return the message about unreviewed memories; "" if the user has seen it before or there are none.

    A file first records that the user was told. If it cannot be written, the user is not told, because otherwise the
    message would appear at every prompt.
    """
    folder = open_store_folder(project[1], make=True)
    if folder is None:
        return ""
    with folder:
        told = folder.read_if_any(NAME, MAX_BYTES)
        if told == TOLD or (told == NONE and not has_met_unreviewed):
            return ""
        if not os.access(folder.path, os.W_OK):
            return ""
        count, is_more = count_unreviewed(snapshot, project)
        count = max(count, int(has_met_unreviewed))
        try:
            folder.replace(NAME, TOLD if count else NONE, mode=PRIVATE_FILE, durable=False)
        except OSError:
            return ""
    return trust_notice(count, is_more) if count else ""


def count_unreviewed(snapshot: "Snapshot", project: "Project") -> tuple[int, bool]:
    """Return how many active memories nobody has vouched for, and whether there may be more beyond the limits."""
    files = StoreFiles(project[1])
    count = looked_at = size = 0
    for position, document in enumerate(snapshot.documents):
        if document.status != ACTIVE or snapshot.store_of(position):
            continue
        if count >= MAX_COUNT or looked_at >= MAX_FILES or size >= MAX_READ_BYTES:
            return count, True
        looked_at += 1
        data = files.read_if_any(document.path)
        if data is None:
            continue
        size += len(data)
        named = trust_hash(data)
        count += named is not None and levels_of(project[1], [(named, data)])[0] == UNREVIEWED
    return count, False
