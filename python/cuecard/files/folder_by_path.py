"""A folder on Windows. Each component of its path is checked before each use.

Windows cannot open files relative to an open folder. Between the check and the use, another program on this machine
could still replace a component by a link. Links that a repository contains are always refused.
"""

import os
import stat
from collections.abc import Callable, Iterator

from .folder import Folder, RefusedError

# This bit of a reparse tag says that an entry leads to another place.
NAME_SURROGATE = 0x20000000


class FolderByPath(Folder):
    """A `Folder` at the path `outer`, in which links are allowed, and the names `inner` below this path."""

    def __init__(self, outer: str, inner: tuple[str, ...] = ()) -> None:
        """Check the folder at `outer`, and each folder on the path `inner` below it. Raises OSError."""
        super().__init__(-1, os.path.join(outer, *inner))
        self._outer = outer
        self._inner = inner
        self._check()

    def scan(self) -> Iterator["os.DirEntry[str]"]:
        """All entries. Raises OSError."""
        self._check()
        with os.scandir(self.path) as entries:
            yield from entries

    def date_now(self) -> None:
        """Set the modification time of the folder to now. Raises OSError."""
        self._check()
        os.utime(self.path)

    def sync(self) -> str:
        """Do nothing and return "": on Windows the system makes names durable by itself."""
        return ""

    def _check(self) -> None:
        if not stat.S_ISDIR(os.stat(self._outer).st_mode):
            raise NotADirectoryError(20, "it is not a folder", self._outer)
        path = self._outer
        for name in self._inner:
            path = os.path.join(path, name)
            status = os.lstat(path)
            if is_link(status):
                raise RefusedError(path, "it is a link")
            if not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(20, "it is not a folder", path)

    def _checked(self, name: str) -> str:
        """The path of an entry, which need not exist. Raises RefusedError if it is a link, or another OSError."""
        self._check()
        path = self._path_of(name)
        try:
            is_refused = is_link(os.lstat(path))
        except FileNotFoundError:
            return path
        if is_refused:
            raise RefusedError(path, "it is a link")
        return path

    def _is_link(self, name: str) -> bool:
        try:
            return is_link(os.lstat(self._path_of(name)))
        except OSError:
            return False

    def _open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return os.open(self._checked(name), flags, mode)

    def _open_folder(self, name: str) -> Folder:
        return FolderByPath(self._outer, (*self._inner, name))

    def _status(self, name: str) -> os.stat_result:
        self._check()
        return os.lstat(self._path_of(name))

    def _make_folder(self, name: str, mode: int) -> None:
        os.mkdir(self._checked(name), mode)

    def _rename(self, name: str, new_name: str) -> None:
        self._check()
        os.replace(self._path_of(name), self._path_of(new_name))

    def _remove(self, name: str) -> None:
        self._check()
        os.unlink(self._path_of(name))

    def _remove_folder(self, name: str) -> None:
        os.rmdir(self._checked(name))

    def _replace(
        self,
        name: str,
        written: tuple[int, str],
        modified: int | None,
        announce: "Callable[[os.stat_result], None] | None",
    ) -> os.stat_result:
        handle, temporary = written
        # Windows cannot rename an open file.
        os.close(handle)
        try:
            if modified is not None:
                os.utime(self._checked(temporary), ns=(modified, modified))
            if announce:
                announce(self._status(temporary))
            self._rename(temporary, name)
        except OSError:
            self._remove(temporary)
            raise
        return self._status(name)


def is_link(status: os.stat_result) -> bool:
    """Whether an entry is a link, a junction or a mount point. Files that are stored in a cloud do not count."""
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0) & NAME_SURROGATE)
