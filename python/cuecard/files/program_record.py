"""Records which programs the plugin's launchers start (docs/reference/environment.md, "Launchers").

The file `programs` in the user's data folder has a line `NAME=PATH` for each program of this installation. A launcher
starts these programs before any on PATH, because a host may take PATH from a repository.
"""

import os
from pathlib import Path

from .folder import PRIVATE_FILE
from .user_folder import data_path, open_data_folder

FILE = "programs"
NAMES = ("cuecard-hook", "cuecard")
MAX_BYTES = 1 << 14
HEAD = b"# What the launchers of the cuecard plugin start; `cuecard install` and `cuecard init` write this file.\n"


def record_programs() -> list[Path]:
    """Record the programs of this installation; returns them if the file did not have them before.

    The file is replaced as a whole. Nothing is recorded without a data folder, or for an installation without programs.
    Raises OSError.
    """
    found = {name: file for name in NAMES if (file := _find(name)) is not None}
    lines = [b"%b=%b\n" % (name.encode(), os.fsencode(file)) for name, file in found.items()]
    data = open_data_folder(make=True) if lines else None
    if data is None:
        return []
    with data:
        text = HEAD + b"".join(lines)
        if data.read_if_any(FILE, MAX_BYTES) == text:
            return []
        data.replace(FILE, text, mode=PRIVATE_FILE)
    return list(found.values())


def recorded_programs() -> dict[str, str]:
    """The paths that are recorded, by the names of the programs."""
    data = open_data_folder()
    if data is None:
        return {}
    with data:
        lines = os.fsdecode(data.read_if_any(FILE, MAX_BYTES) or b"").splitlines()
    pairs = [line.partition("=") for line in lines]
    return {name: path for name, _, path in pairs if name in NAMES and os.path.isabs(path)}


def record_path() -> str:
    """The path of the file, which need not exist; "" if there is no data folder."""
    data = data_path()
    return data and os.path.join(data, FILE)


def _find(name: str) -> Path | None:
    """The program that was installed with this Python; None if there is none, or if no line can hold its path."""
    import sysconfig  # noqa: PLC0415 - the doctor reads the record and must not load it

    folder = sysconfig.get_path("scripts")
    file = Path(folder or "", name + (".exe" if os.name == "nt" else ""))
    is_usable = file.is_absolute() and file.is_file() and os.access(file, os.X_OK) and "\n" not in str(file)
    return file if is_usable else None
