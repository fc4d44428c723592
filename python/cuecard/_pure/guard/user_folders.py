"""Tells which paths are in the user's own folders of cuecard, which tools must not write (SPEC 16.7)."""

import os

from ...files.user_folder import config_path, data_path
from .store_path import could_be, path_components

# What the shell reader has in the place of a variable that names a user's folder, or the folder above it.
_DATA_MARK = "\0CUECARD_HOME"
_ABOVE_MARKS = ("\0LOCALAPPDATA", "\0XDG_CONFIG_HOME", "\0XDG_DATA_HOME")


class UserFolders:
    """The user's data folder and configuration folder."""

    reason = (
        "cuecard's folders of the user hold what the user trusts, allows and has configured: only a person changes "
        "them, with `cuecard` in a terminal"
    )

    def __init__(self, home: str) -> None:
        """`home` is the user's home folder; a folder that contains it is not taken for one of cuecard."""
        named = [path for path in (data_path(), config_path()) if path]
        both = [path for folder in named for path in (folder, os.path.realpath(folder))]
        inside = [path_components(path.lower()) for path in dict.fromkeys(both)]
        self._folders = [names for names in inside if names and not _is_inside(path_components(home), names)]

    def contain(self, path: str) -> bool:
        """Whether a path, absolute or as written in a command, is one of the folders or below one."""
        components = path_components(path)
        first = components[0] if components else ""
        if first == _DATA_MARK or (first in _ABOVE_MARKS and could_be("".join(components[1:2]), "cuecard")):
            return True
        return any(_is_inside(components, names) for names in self._folders)


def _is_inside(components: list[str], names: list[str]) -> bool:
    if len(components) < len(names):
        return False
    pairs = zip(components, names, strict=False)
    return all(one.lower() == name or could_be(one, name) for one, name in pairs)
