"""Lets the user edit a text in an editor of their choice."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from ..errors import UsageError
from ..files.folder import Unread
from ..files.open_folder import open_folder

MAX_BYTES = 1 << 20
FALLBACK = "notepad" if os.name == "nt" else "vi"


def edit_text(text: str, suffix: str) -> tuple[str, Path]:
    """Open a text in an editor. Returns the edited text and the path of its file, which the caller deletes.

    The editor is the command line in `VISUAL`, else in `EDITOR`, else `vi` (`notepad` on Windows). The file is in the
    system's folder for temporary files, and only the user can read it. Raises `UsageError` if the editor does not start
    or fails; then the file stays.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or FALLBACK
    handle, name = tempfile.mkstemp(prefix="cuecard-", suffix=suffix)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        status = subprocess.run([*shlex.split(command, posix=os.name != "nt"), name], check=False).returncode
    except (OSError, ValueError) as error:
        raise UsageError(f"the editor `{command}` does not start: {error}", "set `EDITOR` to a program") from None
    if status:
        raise UsageError(f"the editor `{command}` ended with status {status}", f"the text is in `{name}`")
    folder, file_name = os.path.split(name)
    try:
        # Read the file by its name: the editor may have replaced it.
        with open_folder(folder) as opened:
            return opened.read(file_name, MAX_BYTES)[0].decode("utf-8", "replace"), Path(name)
    except (OSError, Unread) as error:
        raise UsageError(f"`{name}` cannot be read: {error}", "save it under its own name, at most 1 MiB") from None
