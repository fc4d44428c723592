"""An open folder, and all operations inside it; none of them follows a link (SPEC 43).

The files below `.claude/memory` of a cloned repository are untrusted. A `Folder` is therefore an open descriptor, and
each of its methods takes the name of one entry, never a path that could lead to another folder. On Windows, which has
no such system calls, `folder_by_path` checks every component of the path before each use.
"""

import os

# The bits of a mode that say what kind an entry is, and their values for files, folders and links.
KIND, REGULAR, DIRECTORY, LINK = 0o170000, 0o100000, 0o040000, 0o120000
PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
# Folder trees of cuecard are not deeper than this; descending further would only use up descriptors.
MAX_DEPTH = 16
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
# O_NONBLOCK: the call must not block if the entry has become a pipe before it is opened.
_READ = os.O_RDONLY | _NO_LINK | _BINARY | getattr(os, "O_NONBLOCK", 0)
_LIST = os.O_RDONLY | _NO_LINK | getattr(os, "O_DIRECTORY", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _BINARY
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_LINK | _BINARY | getattr(os, "O_NONBLOCK", 0)
_LOCK = os.O_RDWR | os.O_CREAT | _NO_LINK | _BINARY | getattr(os, "O_NONBLOCK", 0)
_HEX = frozenset("0123456789abcdef")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType


class Unread(Exception):
    """A file cannot be used: it `is missing`, `cannot be read`, `is too large` or `is outside the store`."""

    MISSING = "is missing"
    UNREADABLE = "cannot be read"
    TOO_LARGE = "is too large"
    OUTSIDE = "is outside the store"

    def __init__(self, words: str) -> None:
        """Keep `words`, which follow the name of the file in messages."""
        super().__init__(words)
        self.words = words


class RefusedError(OSError):
    """An entry is a link, or is neither a regular file nor a folder, and is therefore not used."""

    def __init__(self, path: str, words: str) -> None:
        """`words` say what is wrong with the entry at `path`."""
        super().__init__(40, words, path)


class Folder:
    """An open folder. Close it, or use it in a `with` statement."""

    def __init__(self, handle: int, path: str) -> None:
        """`handle` is the folder's descriptor, which this object closes. `path` is for messages."""
        self._handle = handle
        self.path = path

    def __enter__(self) -> "Folder":
        """The folder, which is closed at the end of the `with` statement."""
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        """Close the folder."""
        self.close()

    def __del__(self) -> None:
        """Close the folder if nobody has closed it."""
        self.close()

    def close(self) -> None:
        """Close the descriptor; a second call does nothing."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    # Methods that read

    def folder(self, name: str) -> "Folder":
        """Open the folder with that name. Raises RefusedError if it is a link, or another OSError."""
        check_name(name)
        try:
            return self._open_folder(name)
        except OSError:
            if self._is_link(name):
                raise RefusedError(self._path_of(name), "it is a link") from None
            raise

    def make_folder(self, name: str, mode: int = 0o777) -> "Folder":
        """Open the folder with that name; create it if it is missing. Raises RefusedError or another OSError."""
        try:
            return self.folder(name)
        except FileNotFoundError:
            try:
                self._make_folder(name, mode)
            except FileExistsError:
                # Another process has made the folder, or the entry is not a folder; then opening it fails.
                return self.folder(name)
            return self.folder(name)

    def status(self, name: str) -> os.stat_result:
        """The status of an entry; of a link, the status of the link itself. Raises OSError."""
        check_name(name)
        return self._status(name)

    def kind(self, name: str) -> int:
        """The kind of an entry: `REGULAR`, `DIRECTORY`, `LINK` or another kind; 0 if there is no such entry."""
        try:
            return self.status(name).st_mode & KIND
        except (OSError, ValueError):
            return 0

    def scan(self) -> "Iterator[os.DirEntry[str]]":
        """All entries. Call their methods with `follow_symlinks=False` while the folder is open. Raises OSError."""
        with os.scandir(self._handle) as entries:
            yield from entries

    def read(self, name: str, limit: int) -> tuple[bytes, os.stat_result]:
        """The bytes of a regular file of at most `limit` bytes, and its status before the read. Raises Unread."""
        handle, status = self.open_file(name)
        try:
            if status.st_size > limit:
                raise Unread(Unread.TOO_LARGE)
            return read_whole(handle, status.st_size, limit), status
        except OSError:
            raise Unread(Unread.UNREADABLE) from None
        finally:
            os.close(handle)

    def read_if_any(self, name: str, limit: int) -> bytes | None:
        """The bytes of a regular file of at most `limit` bytes; None if it cannot be read."""
        try:
            return self.read(name, limit)[0]
        except Unread:
            return None

    def open_file(self, name: str) -> tuple[int, os.stat_result]:
        """A descriptor of a regular file, which the caller closes, and the file's status. Raises Unread."""
        try:
            check_name(name)
            handle = self._open(name, _READ)
        except (FileNotFoundError, NotADirectoryError):
            raise Unread(Unread.MISSING) from None
        except (OSError, ValueError):
            raise Unread(Unread.UNREADABLE) from None
        try:
            status = os.fstat(handle)
        except OSError:
            os.close(handle)
            raise Unread(Unread.UNREADABLE) from None
        if status.st_mode & KIND != REGULAR:
            os.close(handle)
            raise Unread(Unread.UNREADABLE)
        return handle, status

    # Methods that change something

    def replace(
        self,
        name: str,
        data: "bytes | memoryview",
        *,
        mode: int | None = None,
        durable: bool = True,
        modified: int | None = None,
        announce: "Callable[[os.stat_result], None] | None" = None,
    ) -> os.stat_result:
        """Replace the file `name` atomically: a reader sees the old file or the new one. Raises OSError.

        Without a `mode` the new file gets the mode of the old one. With `durable` the data is on the disk before the
        file gets its name; `sync` makes the name durable too. `modified` is the modification time in ns since 1970, by
        default now. `announce` is called with the status of the written file before the file gets its name. Returns
        the status of the new file after the rename.
        """
        check_name(name)
        return self._replace(name, self._write_beside(name, data, mode, durable), modified, announce)

    def replace_renamed(self, name: str, new_name: str, data: bytes) -> None:
        """Replace a file and rename it: at any time there is a file with exactly one of the two names. Raises OSError.

        If the disk is full, nothing changes. After a crash the file may have the new name and the old content.
        """
        check_name(new_name)
        handle, temporary = self._write_beside(name, data, None, True)
        os.close(handle)
        try:
            self.rename(name, new_name)
            try:
                self.rename(temporary, new_name)
            except OSError:
                self.rename(new_name, name)
                raise
        except OSError:
            self.remove(temporary)
            raise

    def create(self, name: str, data: bytes, mode: int = PRIVATE_FILE) -> None:
        """Write a new file. Raises FileExistsError if the name is taken, or another OSError."""
        check_name(name)
        handle = self._open(name, _CREATE, mode)
        try:
            write_all(handle, data)
        finally:
            os.close(handle)

    def append(self, name: str, data: bytes, mode: int = PRIVATE_FILE, *, durable: bool = False) -> None:
        """Write `data` at the end of a regular file, which is created if it is missing. Raises OSError.

        This is one system call, so appends of other processes do not mix with it. With `durable` the data is on the
        disk afterwards, and after an error the file is cut to its former size, which also removes what other processes
        may have appended meanwhile.
        """
        check_name(name)
        handle = self._open(name, _APPEND, mode)
        try:
            status = os.fstat(handle)
            if status.st_mode & KIND != REGULAR:
                raise RefusedError(self._path_of(name), "it is not a regular file")
            try:
                if os.write(handle, data) != len(data):
                    raise OSError(28, "no space left on the device", self._path_of(name))
                if durable:
                    os.fsync(handle)
            except OSError:
                if durable:
                    self._take_off(handle, status.st_size)
                raise
        finally:
            os.close(handle)

    @staticmethod
    def _take_off(handle: int, size: int) -> None:
        """Cut an open file to its former size; an error is ignored."""
        try:
            os.ftruncate(handle, size)
        except OSError:
            # The caller reports the first error; readers of the file skip an incomplete line.
            return

    def rename(self, name: str, new_name: str) -> None:
        """Rename an entry within this folder; an entry with the new name is replaced. Raises OSError."""
        check_name(name)
        check_name(new_name)
        self._rename(name, new_name)

    def remove(self, name: str) -> None:
        """Remove a file, or a link itself. Raises OSError."""
        check_name(name)
        self._remove(name)

    def remove_tree(self, name: str, depth: int = MAX_DEPTH) -> None:
        """Remove a folder and its content; links in it are not followed. Raises RefusedError or another OSError."""
        with self.folder(name) as below:
            for entry in list(below.scan()):
                if not entry.is_dir(follow_symlinks=False):
                    below.remove(entry.name)
                elif depth:
                    below.remove_tree(entry.name, depth - 1)
        self._remove_folder(name)

    def date_now(self) -> None:
        """Set the modification time of the folder to now. Raises OSError."""
        os.utime(self._handle)

    def sync(self) -> str:
        """Make the names in this folder survive a crash of the machine. Returns why that failed, or ""."""
        try:
            os.fsync(self._handle)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def open_for_lock(self, name: str) -> int:
        """A descriptor of a lock file, which is created if it is missing. Raises RefusedError or another OSError."""
        check_name(name)
        if self.kind(name) not in (0, REGULAR):
            raise RefusedError(self._path_of(name), "it is not a regular file")
        handle = self._open(name, _LOCK)
        if os.fstat(handle).st_mode & KIND != REGULAR:
            os.close(handle)
            raise RefusedError(self._path_of(name), "it is not a regular file")
        return handle

    def _write_beside(self, name: str, data: "bytes | memoryview", mode: int | None, durable: bool) -> tuple[int, str]:
        """Write `data` to a temporary file in this folder. Returns its descriptor and its name. Raises OSError."""
        temporary = temporary_name(name)
        handle = self._open(temporary, _CREATE, 0o666 if mode is None else mode)
        try:
            write_all(handle, data)
            old = self._mode_of(name) if mode is None else None
            if old is not None and hasattr(os, "fchmod"):
                os.fchmod(handle, old)
            if durable:
                os.fsync(handle)
        except OSError:
            os.close(handle)
            self.remove(temporary)
            raise
        return handle, temporary

    def _mode_of(self, name: str) -> int | None:
        """The permissions of a regular file; None if there is no such file."""
        try:
            status = self.status(name)
        except FileNotFoundError:
            return None
        return status.st_mode & 0o7777 if status.st_mode & KIND == REGULAR else None

    def _is_link(self, name: str) -> bool:
        return self.kind(name) == LINK

    # The system calls; `FolderByPath` overrides these methods.

    def _path_of(self, name: str) -> str:
        return os.path.join(self.path, name)

    def _open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return os.open(name, flags, mode, dir_fd=self._handle)

    def _open_folder(self, name: str) -> "Folder":
        return Folder(os.open(name, _LIST, dir_fd=self._handle), self._path_of(name))

    def _status(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._handle, follow_symlinks=False)

    def _make_folder(self, name: str, mode: int) -> None:
        os.mkdir(name, mode, dir_fd=self._handle)

    def _rename(self, name: str, new_name: str) -> None:
        os.replace(name, new_name, src_dir_fd=self._handle, dst_dir_fd=self._handle)

    def _remove(self, name: str) -> None:
        os.unlink(name, dir_fd=self._handle)

    def _remove_folder(self, name: str) -> None:
        os.rmdir(name, dir_fd=self._handle)

    def _replace(
        self,
        name: str,
        written: tuple[int, str],
        modified: int | None,
        announce: "Callable[[os.stat_result], None] | None",
    ) -> os.stat_result:
        """Rename a temporary file to `name`. Returns the status after the rename, because a rename can change it."""
        handle, temporary = written
        try:
            try:
                if modified is not None:
                    os.utime(handle, ns=(modified, modified))
                if announce:
                    announce(os.fstat(handle))
                self._rename(temporary, name)
                return os.fstat(handle)
            finally:
                os.close(handle)
        except OSError:
            self._remove(temporary)
            raise


def check_name(name: str, *, is_windows: bool = os.name == "nt") -> None:
    """Raise RefusedError if `name` is not the name of one entry.

    On Windows a backslash separates components, and a colon names a drive or a stream of a file.
    """
    if name in ("", ".", "..") or "/" in name or "\0" in name or (is_windows and ("\\" in name or ":" in name)):
        raise RefusedError(name, "it is not the name of one entry")


def temporary_name(name: str) -> str:
    """An unpredictable name for the temporary file of `name`; it is hidden and does not end in `.json`."""
    return f".{name[:100]}.{os.urandom(8).hex()}.tmp"


def is_temporary(name: str) -> bool:
    """Whether a name has the form of cuecard's temporary files, or their older form with process ids."""
    stem, _, mark = name.removesuffix(".tmp").rpartition(".")
    if not name.endswith(".tmp") or not stem:
        return False
    is_random = len(mark) == 16 and _HEX.issuperset(mark)
    is_old = mark.isascii() and mark.isdigit()
    # The native hook named its temporary files for the snapshot without a leading dot.
    is_hidden = stem.startswith(".") and len(stem) > 1
    return (is_hidden and (is_random or is_old)) or (stem.startswith("snapshot") and is_old)


def write_all(handle: int, data: "bytes | memoryview") -> None:
    """Write all of `data`, with several calls if needed. Raises OSError."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def read_whole(handle: int, size: int, limit: int) -> bytes:
    """Read an open file of about `size` bytes to its end. Raises Unread for over `limit` bytes, and OSError."""
    # Ask for one byte more than `size`: a read that returns less than asked has reached the end.
    data = os.read(handle, size + 1)
    asked = size + 1
    while len(data) == asked:
        if asked > limit:
            raise Unread(Unread.TOO_LARGE)
        data += os.read(handle, asked)
        asked *= 2
    return data
