"""The files of a plain index: mapped, and replaced in one step (SPEC 21.6)."""

import os
from mmap import ACCESS_READ, mmap

from ..errors import StoreError, WriteError


def absolute_path(path: "str | os.PathLike[str]") -> str:
    """A path as text that stays the same when the process changes its folder."""
    return os.path.abspath(os.fsdecode(path))


def map_file(path: str) -> memoryview | None:
    """The bytes of a file, mapped; None where there is none. Raises StoreError."""
    try:
        with open(path, "rb") as file:
            # What is empty cannot be mapped.
            size = os.fstat(file.fileno()).st_size
            return memoryview(mmap(file.fileno(), 0, access=ACCESS_READ)) if size else memoryview(b"")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"`{path}` cannot be read: {error.strerror}", "check its permissions") from None


def write_whole(path: str, data: memoryview, fsync: bool) -> None:
    """Put a file in its place in one step. Raises WriteError."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name[:100]}.{os.getpid()}.tmp")
    try:
        try:
            with open(temporary, "wb") as file:
                file.write(data)
                file.flush()
                if fsync:
                    os.fsync(file.fileno())
            os.replace(temporary, path)
        except OSError:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise
        if fsync and os.name != "nt":
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
    except OSError as error:
        raise _not_written(path, error) from None


def remove_file(path: str) -> None:
    """Remove a file if there is one. Raises WriteError."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _not_written(path, error) from None


def _not_written(path: str, error: OSError) -> WriteError:
    hint = "make room, or check the permissions; nothing was lost"
    return WriteError(f"`{path}` cannot be written: {error.strerror}", hint)
