"""Opens the files of a store from the project downwards, never through a link (SPEC 14.2, 43)."""

import os

from .data_folder import allowed_target
from .folder import KIND, LINK, REGULAR, Folder, RefusedError, Unread, read_whole
from .open_folder import open_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_RECORD_BYTES = 256 << 10
# The folders between a project and its memories.
WAY = (".claude", "memory")


def store_of(root: str) -> str:
    """The path of a project's store."""
    return os.path.join(root, *WAY)


def open_store(memory_dir: str, *, make: bool = False) -> Folder:
    """Open the folder of a store; with `make` it is created if it is missing. Raises RefusedError or another OSError.

    Links in the path of the project are followed. A link below the project is refused, unless the user has allowed its
    target (`cuecard trust --link`).
    """
    root = os.path.dirname(os.path.dirname(memory_dir))
    folder = open_folder(root)
    for name in WAY:
        with folder:
            try:
                following = folder.make_folder(name) if make else folder.folder(name)
            except RefusedError:
                target = target_of_link(folder.path, name)
                if not target:
                    raise
                following = open_folder(target)
        folder = following
    return folder


def target_of_link(folder: str, name: str) -> str:
    """The real path to which the link `name` in a folder leads, if the user has allowed this target; else ""."""
    link = os.path.join(os.path.realpath(folder), name)
    allowed = allowed_target(link)
    return allowed if allowed and os.path.realpath(link) == allowed else ""


def find_refused_link(root: str) -> str:
    """The path of a link at `.claude` or `.claude/memory` that the user has not allowed; "" if there is none."""
    path = root
    for name in WAY:
        link = os.path.join(path, name)
        try:
            is_link = os.lstat(link).st_mode & KIND == LINK
        except (OSError, ValueError):
            return ""
        target = target_of_link(path, name) if is_link else ""
        if is_link and not target:
            return link
        path = target or link
    return ""


def has_store(root: str) -> bool:
    """Whether a project has a memory folder that can be opened."""
    try:
        open_store(os.path.join(root, *WAY)).close()
    except (OSError, ValueError):
        return False
    return True


class StoreFiles:
    """Access to the files of a store by their paths relative to the project. Close it after use."""

    def __init__(self, memory_dir: str) -> None:
        """Open the store at `memory_dir`. If that fails, the object has no files; `folder` raises the error."""
        self._store: Folder | None = None
        # The error of opening the store; None if the store is open or does not exist.
        self._problem: OSError | None = None
        try:
            self._store = open_store(memory_dir)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            pass
        except OSError as error:
            self._problem = error
        # The folders that were opened, by name; None stands for a missing folder.
        self._folders: dict[str, Folder | None] = {}

    def close(self) -> None:
        """Close all open folders."""
        for folder in (*self._folders.values(), self._store):
            if folder:
                folder.close()

    def __enter__(self) -> "StoreFiles":
        """The object, which is closed at the end of the `with` statement."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close all open folders."""
        self.close()

    def read(self, path: str, limit: int = MAX_RECORD_BYTES) -> tuple[bytes, os.stat_result]:
        """Bytes and status of the regular file at a path such as `.claude/memory/decisions/a.json`. Raises Unread.

        A path that leaves the store or goes through a link `is outside the store`.
        """
        folder, name = self._find(path)
        try:
            return folder.read(name, limit)
        except Unread as unread:
            if unread.words == Unread.UNREADABLE and folder.kind(name) == LINK:
                raise Unread(Unread.OUTSIDE) from None
            raise

    def read_if_any(self, path: str) -> bytes | None:
        """The bytes of the regular file at a path; None if it cannot be read."""
        try:
            return self.read(path)[0]
        except Unread:
            return None

    def status(self, path: str) -> os.stat_result:
        """The status of the entry at a path. Raises Unread, also if the entry is a link."""
        folder, name = self._find(path)
        try:
            status = folder.status(name)
        except (FileNotFoundError, NotADirectoryError):
            raise Unread(Unread.MISSING) from None
        except (OSError, ValueError):
            raise Unread(Unread.UNREADABLE) from None
        if status.st_mode & KIND == LINK:
            raise Unread(Unread.OUTSIDE)
        return status

    def remove(self, path: str) -> None:
        """Remove the file at a path. Raises Unread, OSError."""
        folder, name = self._find(path)
        folder.remove(name)

    def is_outside(self, path: str) -> bool:
        """Whether a path leaves the store or goes through a link."""
        try:
            self.status(path)
        except Unread as unread:
            return unread.words == Unread.OUTSIDE
        return False

    def exists(self, path: str) -> bool:
        """Whether the path has an entry; a link counts as an entry, and so does a path outside the store."""
        try:
            folder, name = self._find(path)
        except Unread as unread:
            return unread.words != Unread.MISSING
        return folder.kind(name) != 0

    def folder(self, name: str) -> Folder | None:
        """The store's folder `name`; None if it is missing. Raises RefusedError if it is a link, or another OSError."""
        if name not in self._folders:
            if self._problem:
                raise self._problem
            if self._store is None:
                return None
            try:
                self._folders[name] = self._store.folder(name)
            except (FileNotFoundError, NotADirectoryError):
                self._folders[name] = None
        return self._folders[name]

    def _find(self, path: str) -> tuple[Folder, str]:
        """Split a path into the open folder of the file and the name of the file. Raises Unread."""
        named = path.split("/")
        if len(named) == 4 and named[0] == WAY[0] and named[1] == WAY[1] and "" not in named:
            # The fast way for most paths: a memory in a category folder that is already open.
            known = self._folders.get(named[2])
            if known and named[3] not in (".", ".."):
                return known, named[3]
        parts: list[str] = []
        for part in named:
            if part == "..":
                if not parts:
                    raise Unread(Unread.OUTSIDE)
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        if tuple(parts[:2]) != WAY or len(parts) < 3 or path.startswith("/") or "\0" in path:
            raise Unread(Unread.OUTSIDE)
        folder = self._store
        try:
            for depth, name in enumerate(parts[2:-1]):
                # The first folder is that of a category; it stays open for later calls.
                if folder is not None:
                    folder = folder.folder(name) if depth else self.folder(name)
        except RefusedError:
            raise Unread(Unread.OUTSIDE) from None
        except (FileNotFoundError, NotADirectoryError):
            folder = None
        except (OSError, ValueError):
            raise Unread(Unread.UNREADABLE) from None
        if folder is None:
            raise Unread(Unread.MISSING)
        return folder, parts[-1]


def scan_memories(files: StoreFiles, folder: str) -> "Iterator[tuple[str, os.DirEntry[str]]]":
    """Path and entry of each memory file of a category folder. Raises RefusedError or another OSError."""
    place = files.folder(folder)
    for entry in place.scan() if place else ():
        if entry.name.endswith(".json"):
            # The index cannot contain a name that is not UTF-8. The replaced name makes the file count as unreadable.
            name = os.fsencode(entry.name).decode("utf-8", "replace")
            yield f".claude/memory/{folder}/{name}", entry


def stamp_of(entry: "os.DirEntry[str]") -> tuple[int, int]:
    """Size and modification time (ns since 1970) of a regular file; zeros for any other entry, which is never read."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return 0, 0
    return (status.st_size, status.st_mtime_ns) if status.st_mode & KIND == REGULAR else (0, 0)


def read_in_store(memory_dir: str, name: str, limit: int) -> tuple[bytes, os.stat_result]:
    """Bytes and status of a file in the top folder of a store, such as its index. Raises Unread."""
    try:
        folder = open_store(memory_dir)
    except (FileNotFoundError, NotADirectoryError):
        raise Unread(Unread.MISSING) from None
    except (OSError, ValueError):
        raise Unread(Unread.UNREADABLE) from None
    with folder:
        return folder.read(name, limit)


def read_bounded(path: str, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; links are followed. Raises Unread.

    Use it for paths that the user names and for files of other programs, never for files of a store.
    """
    handle = _open_readable(path)
    try:
        size = _size_of_regular(handle)
        if size > limit:
            raise Unread(Unread.TOO_LARGE)
        return read_whole(handle, size, limit)
    except OSError:
        raise Unread(Unread.UNREADABLE) from None
    finally:
        os.close(handle)


def read_end(path: str, limit: int) -> bytes:
    """The complete lines in the last `limit` bytes of a regular file; links are followed. Raises Unread.

    Use it for files of other programs, never for files of a store.
    """
    handle = _open_readable(path)
    try:
        start = max(0, _size_of_regular(handle) - limit)
        os.lseek(handle, start, 0)
        data = b""
        while len(data) < limit and (more := os.read(handle, limit - len(data))):
            data += more
    except OSError:
        raise Unread(Unread.UNREADABLE) from None
    finally:
        os.close(handle)
    return data.partition(b"\n")[2] if start else data


def _open_readable(path: str) -> int:
    """Open a file of any kind, without waiting for the writer of a pipe."""
    try:
        return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        raise Unread(Unread.MISSING) from None
    except (OSError, ValueError):
        raise Unread(Unread.UNREADABLE) from None


def _size_of_regular(handle: int) -> int:
    status = os.fstat(handle)
    if status.st_mode & KIND != REGULAR:
        raise Unread(Unread.UNREADABLE)
    return status.st_size
