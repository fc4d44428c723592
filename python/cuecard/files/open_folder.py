"""Opens a folder by its path. On Windows this needs another class."""

import os

from .folder import Folder


def open_folder(path: str) -> Folder:
    """Open the folder at a path that the user or the system chose; links in the path are followed. Raises OSError."""
    if os.name == "nt":
        from .folder_by_path import FolderByPath  # noqa: PLC0415 - no other system needs it

        return FolderByPath(path)
    return Folder(os.open(path, os.O_RDONLY | os.O_DIRECTORY), path)
