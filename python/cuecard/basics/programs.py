"""Finds programs on PATH."""

import os


def find_program(name: str, path: str | None = None) -> str | None:
    """The path of a program, as `shutil.which` finds it: on `path`, which is PATH where none is given.

    Unlike `shutil.which` it leaves out folders that are not absolute: these lie in the working directory, which may be
    a cloned repository. `shutil` also loads four modules for archives; it is used on Windows and without a PATH.
    """
    if path is None:
        path = os.environ.get("PATH")
    if path is None or os.name == "nt":
        from shutil import which

        return which(name, path=path)
    for folder in dict.fromkeys(path.split(os.pathsep)) if path else ():
        file = os.path.join(folder, name)
        if os.path.isabs(folder) and os.access(file, os.F_OK | os.X_OK) and not os.path.isdir(file):
            return file
    return None
