"""Files of a store: bounded reads, and whether a path stays inside (SPEC 14.2)."""

from ..system import os

MAX_RECORD_BYTES = 256 << 10
_REGULAR, _DIRECTORY, _LINK = 0o100000, 0o040000, 0o120000


class Unread(Exception):
    """Why a file has no content: it `is missing`, `cannot be read` or `is too large`."""

    MISSING = "is missing"
    UNREADABLE = "cannot be read"
    TOO_LARGE = "is too large"

    def __init__(self, words: str) -> None:
        """Keep the words that follow the file's name in the log."""
        super().__init__(words)
        self.words = words


def read_bounded(path: str, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; raises `Unread`.

    Pipes and devices are never opened: they could block.
    """
    try:
        status = os.stat(path)
        if _kind(status) != _REGULAR:
            raise Unread(Unread.UNREADABLE)
        if status.st_size > limit:
            raise Unread(Unread.TOO_LARGE)
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            return _read_whole(handle, status.st_size, limit)
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        raise Unread(Unread.MISSING) from None
    except (OSError, ValueError):
        raise Unread(Unread.UNREADABLE) from None


def _read_whole(handle: int, size: int, limit: int) -> bytes:
    # One byte more than there should be: a read that does not fill it has met the end.
    data = os.read(handle, size + 1)
    asked = size + 1
    while len(data) == asked:
        if asked > limit:
            raise Unread(Unread.TOO_LARGE)
        data += os.read(handle, asked)
        asked *= 2
    return data


def read_plain(path: str, limit: int) -> tuple[bytes | None, int, int]:
    """What a folder lists as a regular file: its bytes, size and modification time (ns since 1970).

    Without bytes where it cannot be read or is over `limit`.
    """
    # Should it have become something else meanwhile, opening must neither follow nor block.
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags)
        try:
            # Before the content: one that changes meanwhile has another time.
            status = os.fstat(handle)
            data = os.read(handle, limit + 1)
        finally:
            os.close(handle)
    except OSError:
        return None, 0, 0
    return data if len(data) <= limit else None, status.st_size, status.st_mtime_ns


class Containment:
    """Tells paths inside a store from paths that leave it, links followed."""

    __slots__ = ("_folders", "_memory_dir", "_resolved_dir", "_root")

    def __init__(self, root: str, memory_dir: str) -> None:
        """Of the project at `root` with its memories in `memory_dir`."""
        self._root = root
        self._memory_dir = memory_dir
        self._resolved_dir = ""
        # Category folders, and whether each is a folder of its own and no link.
        self._folders: dict[str, bool] = {}

    def locate(self, relative: str) -> str | None:
        """The absolute path of a path relative to the project, or None where it leaves the memory folder."""
        located = self._locate_plain(relative)
        if located or "\0" in relative:
            return located
        path = os.path.join(self._root, relative)
        if not self._resolved_dir:
            self._resolved_dir = os.path.realpath(self._memory_dir)
        try:
            resolved = os.path.realpath(path)
        except OSError:
            return None
        inside = resolved == self._resolved_dir or resolved.startswith(self._resolved_dir + os.sep)
        return path if inside and not _is_link(resolved) else None

    def _locate_plain(self, relative: str) -> str | None:
        """The usual case, `.claude/memory/FOLDER/NAME` with no link in it, for one look at the file."""
        parts = relative.split("/")
        if len(parts) != 4 or parts[:2] != [".claude", "memory"] or "\\" in relative or "\0" in relative:
            return None
        folder, name = parts[2:]
        if folder in ("", ".", "..") or name in ("", ".", ".."):
            return None
        path = f"{self._memory_dir}/{folder}"
        if folder not in self._folders:
            self._folders[folder] = _kind_of(path) == _DIRECTORY
        path = f"{path}/{name}"
        return path if self._folders[folder] and not _is_link(path) else None


def _kind(status: os.stat_result) -> int:
    return status.st_mode & 0o170000


def _kind_of(path: str) -> int:
    try:
        return _kind(os.lstat(path))
    except (OSError, ValueError):
        return 0


def _is_link(path: str) -> bool:
    return _kind_of(path) == _LINK
