"""Atomic replacement of files at paths that the user or a host chose: settings of programs, results, reports."""

import os

from .open_folder import open_folder


def replace(path: str, data: bytes) -> str:
    """Replace the file at `path` atomically: a reader sees the old file or the new one. Raises OSError.

    The file keeps its mode. Returns why the new file may not survive a crash of the machine; "" if it will.
    """
    above, name = os.path.split(path)
    with open_folder(above or ".") as folder:
        folder.replace(name, data)
        return folder.sync()
