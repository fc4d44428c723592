"""Whole files or none, at paths that the user or a host chose: settings of programs, results, reports."""

import os

from .open_folder import open_folder


def replace(path: str, data: bytes) -> str:
    """Put `data` in the place of the file at `path`; a reader sees the old file or the new one. Raises OSError.

    The mode of the old file stays. Returns why the file, which is in its place, may not survive a crash of the
    machine; "" where it does.
    """
    above, name = os.path.split(path)
    with open_folder(above or ".") as folder:
        folder.replace(name, data)
        return folder.sync()
