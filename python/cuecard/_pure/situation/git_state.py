"""Reads the branch and the changed files from a Git repository's files, without running Git (SPEC 35)."""

import os
import time

from ...basics.chars import read_whole, whole_lines
from ...files.folder import KIND, PRIVATE_FILE, REGULAR, Unread
from ...files.store_files import read_bounded
from ...files.user_folder import open_store_folder, read_kept

# A larger index is not read.
MAX_INDEX_BYTES = 8 << 20
MAX_ENTRIES = 20_000
# How many changed files are returned.
MAX_CHANGED = 64
# The most bytes that are read of `HEAD`, and of the `.git` file of a worktree.
MAX_POINTER_BYTES = 4096
# How many seconds the list of changed files is reused while the index does not change.
LIFE = 10
CACHE = "git"
HEADER = "cuecard changed 1"
MAX_CACHE_BYTES = 1 << 20
BRANCHES = "ref: refs/heads/"
# The placeholder that `HEAD` contains in a repository with the reftable format.
NO_BRANCH = ".invalid"
MEMORIES = ".claude/memory/"
# Words in the name of a branch that tell the kind of the work, not its subject.
KINDS_OF_WORK = frozenset(
    ("feature", "feat", "fix", "bugfix", "hotfix", "chore", "main", "master", "develop", "dev", "release")
)
BLANKS = " \t\r\n"
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_LOW = 2**32 - 1
_SECOND = 1_000_000_000

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .git_index import IndexEntry


class GitState:
    """Branch and changed files of a working tree."""

    def __init__(self, branch: str | None = None, changed: list[str] | None = None, cache: str = "") -> None:
        """`branch` is None if no branch is checked out; `cache` is the text of the cache file to write, "" for none.

        `changed` are the first 64 files, sorted, whose size or time differs from the index. The paths are relative to
        the project and use `/`.
        """
        self.branch = branch
        self.changed = changed or []
        self._cache = cache

    def write(self, memory_dir: str) -> None:
        """Write the cache file that the next prompts read; do nothing if it is up to date. Raises OSError."""
        if not self._cache:
            return
        folder = open_store_folder(memory_dir, make=True)
        if folder:
            with folder:
                folder.replace(CACHE, self._cache.encode(), mode=PRIVATE_FILE, durable=False)


def read_git_state(project: tuple[str, str], cwd: str | None) -> GitState:
    """Read the Git state of the project. If the host works in another worktree of its repository, read that worktree.

    Without a repository the state is empty.
    """
    folder = working_folder(project[0], cwd)
    top = _find_top(folder)
    git_dir = _git_dir(top) if top else None
    if top is None or git_dir is None:
        return GitState()
    branch = _read_branch(git_dir)
    index = os.path.join(git_dir, "index")
    try:
        status = os.stat(index)
    except (OSError, ValueError):
        return GitState(branch)
    if status.st_mtime_ns < 0:
        return GitState(branch)
    now = int(time.time())
    stamp = f"{HEADER} {status.st_mtime_ns} {status.st_size} "
    cached = _read_cache(project[1], stamp, now)
    if cached is not None:
        return GitState(branch, cached)
    changed = _find_changed(index, top, folder)
    return GitState(branch, changed, "\n".join([f"{stamp}{now}", *changed, ""]))


def branch_words(name: str) -> str:
    """Return the words in the name of a branch that tell the subject of the work, separated by blanks."""
    spaced = "".join([char if char in LETTERS or char >= "\x80" else " " for char in name])
    parts = [part for part in spaced.split(" ") if part]
    return " ".join(
        [part for part in parts if _lower(part) not in KINDS_OF_WORK and not (part.isascii() and part.isdigit())]
    )


def working_folder(root: str, cwd: str | None) -> str:
    """Return the folder that paths in the project at `root` are relative to.

    This is `root` itself. If `cwd` is in another worktree of the repository, it is the top of that worktree.
    """
    top = _find_top(os.path.abspath(cwd)) if cwd else None
    if top is None or not os.path.isfile(os.path.join(top, ".git")):
        return root
    return root if f"{root}{os.sep}".startswith(f"{top.rstrip(os.sep)}{os.sep}") else top


def _find_top(folder: str) -> str | None:
    """Return the nearest folder, from `folder` upwards, that contains `.git`; None if there is none."""
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder


def _git_dir(top: str) -> str | None:
    """Return the Git folder of a working tree; None if its `.git` file does not name one."""
    git = os.path.join(top, ".git")
    if os.path.isdir(git):
        return git
    pointer = _read_text(git)
    if not pointer.startswith("gitdir:"):
        return None
    return os.path.join(top, pointer[len("gitdir:") :].strip(BLANKS))


def _read_branch(git_dir: str) -> str | None:
    head = _read_text(os.path.join(git_dir, "HEAD")).strip(BLANKS)
    name = head[len(BRANCHES) :] if head.startswith(BRANCHES) else ""
    return name if name and name != NO_BRANCH else None


def _read_text(path: str) -> str:
    try:
        return read_bounded(path, MAX_POINTER_BYTES).decode()
    except (Unread, UnicodeDecodeError):
        return ""


def _read_cache(memory_dir: str, stamp: str, now: int) -> list[str] | None:
    """Return the changed files in a store's cache file; None if it is missing, damaged, old or of another index."""
    header, *changed = whole_lines(read_kept(memory_dir, CACHE, limit=MAX_CACHE_BYTES)) or [""]
    made = read_whole(header[len(stamp) :], now) if header.startswith(stamp) else None
    is_young = made is not None and now - made < LIFE
    return changed if is_young and "" not in changed and len(changed) <= MAX_CHANGED else None


def _find_changed(index: str, top: str, folder: str) -> list[str]:
    """Return the files below `folder` that differ from the index, at most `MAX_CHANGED`."""
    from .git_index import read_index

    try:
        entries = read_index(read_bounded(index, MAX_INDEX_BYTES), MAX_ENTRIES)
    except Unread:
        entries = None
    changed: list[str] = []
    below = folder[len(top) :].strip(os.sep).replace("\\", "/")
    beginning = f"{below}/".encode("utf-8", "surrogateescape") if below else b""
    for entry in entries or []:
        if not entry[0].startswith(beginning):
            continue
        try:
            path = entry[0][len(beginning) :].decode()
        except UnicodeDecodeError:
            continue
        is_plain = not path.startswith(MEMORIES) and all(" " <= char != "\x7f" for char in path)
        if is_plain and changed[-1:] != [path] and _is_changed(entry, os.path.join(folder, path)):
            changed.append(path)
            if len(changed) == MAX_CHANGED:
                break
    return changed


def _is_changed(entry: "IndexEntry", path: str) -> bool:
    """Whether the size or time of a file differs from the index, or the path is no longer a regular file."""
    _name, seconds, nanoseconds, size = entry
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return True
    modified, fraction = divmod(max(status.st_mtime_ns, 0), _SECOND)
    # Some programs write an index without nanoseconds.
    return (
        status.st_mode & KIND != REGULAR
        or status.st_size & _LOW != size
        or modified & _LOW != seconds
        or nanoseconds not in (0, fraction)
    )


def _lower(text: str) -> str:
    """Return an ASCII text in lower case, and any other text unchanged."""
    return text.lower() if text.isascii() else text
