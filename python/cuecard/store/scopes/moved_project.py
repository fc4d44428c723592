"""Notices that a project was moved or cloned again, by its remote or by what was written in it (SPEC 48.12).

A stranger can choose a remote and files, so it moves nothing: the user is told once which command does.
"""

import re
import shlex

from ...files.checkouts import find_below, find_remote
from ...files.folder import PRIVATE_FILE, Unread
from ...files.store_files import StoreFiles, has_store, store_of
from ...files.used_stores import MAX_PATH_BYTES, kept_stores
from ...files.user_folder import OF_PROJECT, open_project_folder, place_of, store_key
from ..log.user_notice import leave_user_notice
from ..writes.journal import hash_of, read_journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.folder import Folder
    from ...files.root import Project

REMOTE_FILE = "remote"
MAX_REMOTE_BYTES = 1000
# The most files of a store that is gone that are compared with those of a project.
MAX_COMPARED = 50
# `https://user@host:443/path.git`, `ssh://git@host/path` and `git@host:path`. Without a host there is no remote place.
_URL = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/@]*@)?([A-Za-z0-9.-]+)(?::[0-9]+)?/+(.+)")
_SHORT = re.compile(r"(?:[^/@:]+@)?([A-Za-z0-9.-]{2,}):(?!/)(.+)")


def note_remote(project: "Project") -> None:
    """Record the remote of a project, and tell the user the first time if the project seems to be one that is gone.

    Raises OSError.
    """
    origin = _origin_of(project)
    folder = open_project_folder(project[1], make=True)
    if folder is None:
        return
    with folder:
        before = _read(folder)
        if before == origin:
            return
        folder.replace(
            REMOTE_FILE, "".join([f"{line}\n" for line in origin]).encode(), mode=PRIVATE_FILE, durable=False
        )
    old = find_former(project) if before is None else ""
    if old:
        leave_user_notice(project[1], f"cuecard: {describe_move(old, project[0])}")


def find_former(project: "Project") -> str:
    """The folder of a project that is gone, which seems to be this one before it was moved; "" if there is none.

    It had the same place in a repository of the same remote. Without a remote, it is one in whose journal the last
    write of a file left what this project has.
    """
    origin, own = _origin_of(project), store_key(place_of(project[1], OF_PROJECT[0]))
    found: list[tuple[float, str]] = []
    for root, folder, key in kept_stores():
        if key == own or has_store(root):
            continue
        if _read(folder) == origin if origin[0] else _has_written(root, project):
            found.append((_time_of(folder), root))
    return max(found)[1] if found else ""


def offer_of_move(project: "Project") -> str:
    """A sentence that offers to move what is kept of a project that is gone; "" if this one has writes of its own."""
    old = "" if read_journal(project[1]) else find_former(project)
    return describe_move(old, project[0]) if old else ""


def describe_move(old: str, new: str) -> str:
    """A sentence that offers to move what is kept for a project that is gone."""
    command = f"cuecard stores alias {shlex.quote(old)} {shlex.quote(new)}"
    return f"this project seems to be one that is gone; if you moved it, `{command}` finds what was kept of it"


def _has_written(former: str, project: "Project") -> bool:
    """Whether the last write of one of the latest files in a store that is gone left what the project has there."""
    last: dict[str, str | None] = {}
    for operation in read_journal(store_of(former)):
        for path, (_before, after) in operation.changes.items():
            last.setdefault(path, after)
    written = {path: after for path, after in list(last.items())[:MAX_COMPARED] if after is not None}
    with StoreFiles(project[1]) as files:
        return any(hash_of(files.read_if_any(path)) == after for path, after in written.items())


def _time_of(folder: "Folder") -> float:
    """When something was kept in the folder of a store last."""
    return max([entry.stat(follow_symlinks=False).st_mtime for entry in folder.scan()], default=0.0)


def normalise(url: str) -> str:
    """Host and path of a remote, without the rest of its URL; "" for a folder of this machine."""
    found = _URL.fullmatch(url) or _SHORT.fullmatch(url)
    if found is None:
        return ""
    path = found[2].strip("/").removesuffix(".git").strip("/")
    text = f"{found[1].lower()}/{path}"
    return text if path and text.isprintable() and len(text.encode()) < MAX_REMOTE_BYTES else ""


def _origin_of(project: "Project") -> tuple[str, str]:
    """The remote of a project's repository, and its folder below the repository, in ASCII."""
    below = "/".join(find_below(project[0])).encode("ascii", "backslashreplace").decode()
    return normalise(find_remote(project[0])), below if below.isprintable() else ""


def _read(folder: "Folder") -> tuple[str, str] | None:
    try:
        remote, _end, below = folder.read(REMOTE_FILE, MAX_REMOTE_BYTES + MAX_PATH_BYTES)[0].decode().partition("\n")
        return remote, below.rstrip("\n")
    except (Unread, UnicodeDecodeError):
        return None
