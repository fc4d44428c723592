"""Remembers the folders that `install` created for a host's file, so that `uninstall` removes no other folder.

Their paths are the lines of `made_folders` in the user's data folder. Without a data folder nothing is remembered, and
`uninstall` leaves the folders where they are.
"""

import os
from contextlib import suppress
from pathlib import Path

from ..files.folder import PRIVATE_FILE
from ..files.user_folder import open_data_folder

NAME = "made_folders"
MAX_BYTES = 1 << 18


def remember(folders: list[Path]) -> None:
    """Add folders that `install` has just created to the file `made_folders`."""
    if folders:
        _write(dict.fromkeys([*_read(), *[_line(folder) for folder in folders]]))


def forget(folder: Path) -> None:
    """Remove a folder from the file `made_folders`."""
    _write(dict.fromkeys([line for line in _read() if line != _line(folder)]))


def is_remembered(folder: Path) -> bool:
    """Whether `install` created this folder, according to the file `made_folders`."""
    return _line(folder) in _read()


def _line(folder: Path) -> bytes:
    return os.fsencode(os.path.abspath(folder)).replace(b"\n", b"?")  # noqa: PTH100 - links are not followed


def _read() -> list[bytes]:
    data = open_data_folder()
    if data is None:
        return []
    with data:
        return (data.read_if_any(NAME, MAX_BYTES) or b"").splitlines()


def _write(lines: "dict[bytes, None]") -> None:
    data = open_data_folder(make=True)
    if data is None:
        return
    with data, suppress(OSError):
        if lines:
            data.replace(NAME, b"".join([line + b"\n" for line in lines]), mode=PRIVATE_FILE, durable=False)
        else:
            data.remove(NAME)
