"""Notices that a project was moved or cloned again, by the remote of its repository (SPEC 48.12).

A stranger can choose a remote, so it moves nothing: the user is told once which command does.
"""

import re
import shlex

from ..files.checkouts import find_below, find_remote
from ..files.folder import PRIVATE_FILE, Unread
from ..files.store_files import has_store
from ..files.used_stores import MAX_PATH_BYTES, kept_stores
from ..files.user_folder import OF_PROJECT, open_project_folder, place_of, store_key
from .user_notice import leave_user_notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..files.folder import Folder
    from ..files.root import Project

REMOTE_FILE = "remote"
MAX_REMOTE_BYTES = 1000
# `https://user@host:443/path.git`, `ssh://git@host/path` and `git@host:path`. Without a host there is no remote place.
_URL = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/@]*@)?([A-Za-z0-9.-]+)(?::[0-9]+)?/+(.+)")
_SHORT = re.compile(r"(?:[^/@:]+@)?([A-Za-z0-9.-]{2,}):(?!/)(.+)")


def note_remote(project: "Project") -> None:
    """Record the remote of a project, and tell the user the first time if it is that of one that is gone.

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
    """The folder of a project that is gone and had the same place in a repository of the same remote; "" if there is
    none."""
    origin, own = _origin_of(project), store_key(place_of(project[1], OF_PROJECT[0]))
    if not origin[0]:
        return ""
    found: list[tuple[float, str]] = []
    for root, folder, key in kept_stores():
        if _read(folder) == origin and key != own and not has_store(root):
            found.append((folder.status(REMOTE_FILE).st_mtime, root))
    return max(found)[1] if found else ""


def describe_move(old: str, new: str) -> str:
    """A sentence that offers to move what is kept for a project that is gone."""
    command = f"cuecard stores alias {shlex.quote(old)} {shlex.quote(new)}"
    return (
        f"this project has the remote of one that is gone; if you moved it, `{command}` finds its sessions and drafts"
    )


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
