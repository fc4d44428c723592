"""Finds programs on PATH."""

import os

IS_WINDOWS = os.name == "nt"
# The extensions of programs if the variable `PATHEXT` is not set.
EXTENSIONS = ".COM;.EXE;.BAT;.CMD"


def find_program(name: str, path: str | None = None) -> str | None:
    """The path of a program in the folders of `path` (by default the variable PATH), or None.

    Unlike `shutil.which` this skips folders that are not absolute and, on Windows, the working directory, because that
    may be a cloned repository. `shutil` also loads four modules for archives, so it is used only if PATH is not set.
    """
    if path is None:
        path = os.environ.get("PATH")
    if path is None:
        if IS_WINDOWS:
            return None
        from shutil import which

        return which(name, path=path)
    for folder in dict.fromkeys(path.split(os.pathsep)) if path else ():
        for file_name in _file_names(name):
            file = os.path.join(folder, file_name)
            if os.path.isabs(folder) and os.access(file, os.F_OK | os.X_OK) and not os.path.isdir(file):
                return file
    return None


def _file_names(name: str) -> list[str]:
    """The file names to look for: on Windows `name` with each extension of programs, unless it already has one."""
    if not IS_WINDOWS:
        return [name]
    extensions = [extension for extension in os.environ.get("PATHEXT", EXTENSIONS).split(";") if extension]
    if name.lower().endswith(tuple([extension.lower() for extension in extensions])):
        return [name]
    return [name + extension for extension in extensions]
