"""Reads the files of a plain index, and replaces them atomically (SPEC 21.6)."""

import os

from ...errors import StoreError, WriteError
from ...files.folder import KIND, REGULAR


def absolute_path(path: "str | os.PathLike[str]") -> str:
    """The absolute path as a string, which stays valid when the process changes its working directory."""
    return os.path.abspath(os.fsdecode(path))


def read_file(path: str) -> bytes | None:
    """The bytes of a file; None if the file does not exist. Raises StoreError if it cannot be read."""
    try:
        # Check the kind before opening: opening a pipe would block.
        if os.stat(path).st_mode & KIND != REGULAR:
            raise StoreError(f"`{path}` cannot be read: it is not a regular file", "check its permissions")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"`{path}` cannot be read: {error.strerror}", "check its permissions") from None


def write_whole(path: str, data: bytes, fsync: bool) -> None:
    """Replace a file atomically; with `fsync` the new file survives a crash of the machine. Raises WriteError."""
    from ...files.open_folder import open_folder

    above, name = os.path.split(path)
    try:
        with open_folder(above) as folder:
            folder.replace(name, data, mode=0o666, durable=fsync)
            if fsync and (doubt := folder.sync()):
                raise OSError(5, doubt)
    except OSError as error:
        raise _not_written(path, error) from None


def remove_file(path: str) -> None:
    """Remove a file if it exists. Raises WriteError."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _not_written(path, error) from None


def _not_written(path: str, error: OSError) -> WriteError:
    hint = "make room, or check the permissions; nothing was lost"
    return WriteError(f"`{path}` cannot be written: {error.strerror}", hint)
