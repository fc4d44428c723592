"""Whole files or none: what is written replaces the old file in one step and survives a crash.

Only calls of `os`, one system call each: the fault tests kill the process at every one of them.
"""

import os


def replace(path: str, data: bytes) -> str:
    """Put `data` in the place of the file at `path`; a reader sees the old file or the new one. Raises OSError.

    Temporary file in the same folder, fsync, rename, fsync of the folder. The mode of the old file stays. Returns
    why the last of these failed, "" where it did not: the file is in its place then, but may not survive a crash.
    """
    _rename(_write_beside(path, data), path)
    return _sync_folder(os.path.dirname(path))


def replace_renamed(path: str, new_path: str, data: bytes) -> str:
    """As `replace`, where the file gets another name in its folder too: there is exactly one at any time.

    Where there is no room, nothing has changed; after a crash in between the new name may have the old content.
    """
    temporary = _write_beside(path, data)
    try:
        os.rename(path, new_path)
        try:
            os.replace(temporary, new_path)
        except OSError:
            os.rename(new_path, path)
            raise
    except OSError:
        os.unlink(temporary)
        raise
    return _sync_folder(os.path.dirname(new_path))


def replace_derived(path: str, data: bytes, modified: int | None) -> None:
    """As `replace`, for what can be made again: a crash of the machine may bring the whole old file back.

    `modified` is the time the new file bears, in ns since 1970, the present without it.
    """
    _rename(_write_beside(path, data), path, modified)


def _rename(temporary: str, path: str, modified: int | None = None) -> None:
    try:
        if modified is not None:
            os.utime(temporary, ns=(modified, modified))
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def _write_beside(path: str, data: bytes) -> str:
    """Write `data` to a temporary file beside `path`, safe on disk, and return the file's name. Raises OSError."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, temporary_name(name))
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
    try:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest) :]
            mode = mode_of(path)
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(handle, mode)
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        os.unlink(temporary)
        raise
    return temporary


def temporary_name(name: str) -> str:
    """The name of this process's temporary file for the file `name`: hidden, and no `.json`."""
    return f".{name[:100]}.{os.getpid()}.tmp"


def is_temporary(name: str) -> bool:
    """Whether a file name is that of a temporary file of ours; the native hook's for the snapshot is not hidden."""
    return name.endswith(".tmp") and name.startswith((".", "snapshot."))


def mode_of(path: str) -> int | None:
    """The permissions of a file; None where there is none."""
    try:
        return os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        return None


def _sync_folder(folder: str) -> str:
    """Make what was renamed in or out of a folder survive a crash of the machine; why that failed, where it did."""
    if os.name == "nt":
        return ""
    try:
        handle = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        return error.strerror or str(error)
    return ""
