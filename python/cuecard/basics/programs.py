"""Finds programs on PATH."""

import os

from .surroundings import offers_programs

IS_WINDOWS = os.name == "nt"
# The extensions of programs if the variable `PATHEXT` is not set.
EXTENSIONS = ".COM;.EXE;.BAT;.CMD"


def find_program(name: str, path: str | None = None) -> str | None:
    """The path of a program in the folders of `path` (by default the variable PATH), or None.

    Unlike `shutil.which` this skips folders that are not absolute or belong to the project (SPEC 44.5) and, on Windows,
    the working directory, because that may be a cloned repository. `shutil` also loads four modules for archives, so it
    is used only if PATH is not set.
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
            if os.path.isabs(folder) and _is_program(file) and offers_programs(folder):
                return file
    return None


def would_start_foreign(name: str, path: str) -> bool:
    """Whether a shell with this PATH may start a program of the project for a name."""
    for folder in path.split(os.pathsep):
        if not os.path.isabs(folder):
            return True
        if any(_is_program(os.path.join(folder, file)) for file in _file_names(name)):
            return not offers_programs(folder)
    return False


def _is_program(file: str) -> bool:
    return os.access(file, os.F_OK | os.X_OK) and not os.path.isdir(file)


def _file_names(name: str) -> list[str]:
    """The file names to look for: on Windows `name` with each extension of programs, unless it already has one."""
    if not IS_WINDOWS:
        return [name]
    extensions = [extension for extension in os.environ.get("PATHEXT", EXTENSIONS).split(";") if extension]
    if name.lower().endswith(tuple([extension.lower() for extension in extensions])):
        return [name]
    return [name + extension for extension in extensions]
