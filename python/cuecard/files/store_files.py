"""Where a store's files are opened: from the project down to the memory, never through a link (SPEC 14.2, 50)."""

import os

from .folder import KIND, LINK, REGULAR, Folder, RefusedError, Unread, read_whole
from .open_folder import open_folder
from .user_folder import allowed_target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_RECORD_BYTES = 256 << 10
# The folders that lead from a project to its memories.
WAY = (".claude", "memory")


def store_of(root: str) -> str:
    """The path of a project's store."""
    return os.path.join(root, *WAY)


def open_store(memory_dir: str, *, make: bool = False) -> Folder:
    """The folder of a store. Links on the way to its project are followed; one below the project is refused.

    The exception is a link whose target the user has allowed (`cuecard trust --link`). Raises RefusedError, OSError.
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
    """Where the link `name` in a folder leads, if the user has allowed exactly that; else ""."""
    link = os.path.join(os.path.realpath(folder), name)
    allowed = allowed_target(link)
    return allowed if allowed and os.path.realpath(link) == allowed else ""


def find_refused_link(root: str) -> str:
    """The path of a link at `.claude` or `.claude/memory` that the user has not allowed; "" where there is none."""
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
    """Whether a project has a folder of memories that may be opened."""
    try:
        open_store(os.path.join(root, *WAY)).close()
    except (OSError, ValueError):
        return False
    return True


class StoreFiles:
    """The files of a store by their paths from the project, each opened from its folder. Close it after use."""

    __slots__ = ("_folders", "_problem", "_store")

    def __init__(self, memory_dir: str) -> None:
        """Open the store at `memory_dir`; one that cannot be opened has no files."""
        self._store: Folder | None = None
        # Why it cannot be opened, where that is not because there is none.
        self._problem: OSError | None = None
        try:
            self._store = open_store(memory_dir)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            pass
        except OSError as error:
            self._problem = error
        # The folders that were opened; None for one that is missing.
        self._folders: dict[str, Folder | None] = {}

    def close(self) -> None:
        """Let go of every folder."""
        for folder in (*self._folders.values(), self._store):
            if folder:
                folder.close()

    def __enter__(self) -> "StoreFiles":
        """Close them at the end of the `with` statement."""
        return self

    def __exit__(self, *_error: object) -> None:
        """As `close`."""
        self.close()

    def read(self, path: str, limit: int = MAX_RECORD_BYTES) -> tuple[bytes, os.stat_result]:
        """The bytes and the status of the regular file at a path like `.claude/memory/decisions/a.json`. Raises Unread.

        A path that leaves the store, or has a link on its way, `is outside the store`.
        """
        folder, name = self._find(path)
        try:
            return folder.read(name, limit)
        except Unread as unread:
            if unread.words == Unread.UNREADABLE and folder.kind(name) == LINK:
                raise Unread(Unread.OUTSIDE) from None
            raise

    def status(self, path: str) -> os.stat_result:
        """The status of the entry at a path, which is no link. Raises Unread."""
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
        """Whether a path leaves the store, or has a link on its way."""
        try:
            self.status(path)
        except Unread as unread:
            return unread.words == Unread.OUTSIDE
        return False

    def exists(self, path: str) -> bool:
        """Whether something is at a path; a link counts, wherever it leads."""
        try:
            folder, name = self._find(path)
        except Unread as unread:
            return unread.words != Unread.MISSING
        return folder.kind(name) != 0

    def folder(self, name: str) -> Folder | None:
        """The folder of that name in the store; None where it is missing. Raises RefusedError for a link, OSError."""
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
        """The folder of a file and the file's name in it. Raises Unread."""
        named = path.split("/")
        if len(named) == 4 and named[0] == WAY[0] and named[1] == WAY[1] and "" not in named:
            # Most paths are those of memories whose folder is open.
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
                # The first one is that of a category and is needed again.
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
    """Path and entry of each memory file of a category folder. Raises RefusedError, OSError."""
    place = files.folder(folder)
    for entry in place.scan() if place else ():
        if entry.name.endswith(".json"):
            # A name that is not UTF-8 has no place in the index: its file counts as unreadable.
            name = os.fsencode(entry.name).decode("utf-8", "replace")
            yield f".claude/memory/{folder}/{name}", entry


def stamp_of(entry: "os.DirEntry[str]") -> tuple[int, int]:
    """Size and modification time of a regular file; zeros for anything else, which is never read."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return 0, 0
    return (status.st_size, status.st_mtime_ns) if status.st_mode & KIND == REGULAR else (0, 0)


def read_in_store(memory_dir: str, name: str, limit: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a file directly in a store, such as its index, and its status. Raises Unread."""
    try:
        folder = open_store(memory_dir)
    except (FileNotFoundError, NotADirectoryError):
        raise Unread(Unread.MISSING) from None
    except (OSError, ValueError):
        raise Unread(Unread.UNREADABLE) from None
    with folder:
        return folder.read(name, limit)


def read_bounded(path: str, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes, links followed. Raises Unread.

    For paths that the user names and for files of other programs, never for those of a store.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        raise Unread(Unread.MISSING) from None
    except (OSError, ValueError):
        raise Unread(Unread.UNREADABLE) from None
    try:
        status = os.fstat(handle)
        if status.st_mode & KIND != REGULAR:
            raise Unread(Unread.UNREADABLE)
        if status.st_size > limit:
            raise Unread(Unread.TOO_LARGE)
        return read_whole(handle, status.st_size, limit)
    except OSError:
        raise Unread(Unread.UNREADABLE) from None
    finally:
        os.close(handle)


def read_end(path: str, limit: int) -> bytes:
    """The end of a regular file, links followed: at most `limit` bytes of whole lines. Raises Unread.

    For files of other programs, never for those of a store.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        raise Unread(Unread.MISSING) from None
    except (OSError, ValueError):
        raise Unread(Unread.UNREADABLE) from None
    try:
        status = os.fstat(handle)
        if status.st_mode & KIND != REGULAR:
            raise Unread(Unread.UNREADABLE)
        start = max(0, status.st_size - limit)
        os.lseek(handle, start, 0)
        data = b""
        while len(data) < limit and (more := os.read(handle, limit - len(data))):
            data += more
    except OSError:
        raise Unread(Unread.UNREADABLE) from None
    finally:
        os.close(handle)
    return data.partition(b"\n")[2] if start else data
