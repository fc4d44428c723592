"""Opens a folder, in the way that the system allows."""

import os

from .folder import Folder


def open_folder(path: str) -> Folder:
    """The folder at a path that the user or the system chose; links on the way are followed. Raises OSError."""
    if os.name == "nt":
        from .folder_by_path import FolderByPath  # noqa: PLC0415 - no other system needs it

        return FolderByPath(path)
    return Folder(os.open(path, os.O_RDONLY | os.O_DIRECTORY), path)
