"""The hook's error log: one line for each problem (SPEC 14.4)."""

import os

from ...basics.surroundings import resolve
from ...basics.timestamp import utc_stamp
from ...files.environment import Environment
from ...files.folder import KIND, PRIVATE_FILE, REGULAR, Folder
from ...files.open_folder import open_folder
from ...files.user_folder import data_path, open_store_folder, store_path
from ..text.possible_secret import legible_note

FOLDER = "log"
FILE = "hook.log"
MAX_LOG_BYTES = 1 << 20


def append(environment: Environment, memory_dir: str, event: str, notes: list[str]) -> None:
    """Append one line for each note to the log, without words that may be secrets.

    Write errors are ignored: the hook has nowhere to report them.
    """
    if not notes:
        return
    try:
        if environment.log == "off":
            return
        named = _log_in_data(environment.log)
        if named or not memory_dir:
            path = log_path(environment, memory_dir)
            if path:
                path = os.path.realpath(path)
                os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
                with open_folder(os.path.dirname(path) or ".") as folder:
                    _append_lines(folder, os.path.basename(path), event, notes)
        else:
            kept = open_store_folder(memory_dir, FOLDER, make=True)
            if kept:
                with kept:
                    _append_lines(kept, FILE, event, notes)
    except (OSError, ValueError):
        pass


def log_path(environment: Environment, memory_dir: str) -> str:
    """Return the path of the log; "" if the log is switched off or no folder is known.

    This is the value of `CUECARD_LOG` if it lies in the data folder, else the store's log in the user's data folder,
    else, without a store, a log in the user's state folder.
    """
    if environment.log == "off":
        return ""
    named = _log_in_data(environment.log)
    if named:
        return named
    if memory_dir:
        kept = store_path(memory_dir)
        return kept and os.path.join(kept, FOLDER, FILE)
    return environment.state_home and os.path.join(environment.state_home, "cuecard", FILE)


def is_refused(environment: Environment) -> bool:
    """Whether `CUECARD_LOG` names a file that is not opened."""
    return environment.log not in ("", "off") and not _log_in_data(environment.log)


def _log_in_data(path: str) -> str:
    """The real path of the log that `CUECARD_LOG` names; "" if it is not the user's.

    The variable can come from a repository, so the file must lie in the user's data folder, and its name must not be
    that of other data.
    """
    data = data_path()
    if not data or not os.path.isabs(path) or os.path.splitext(path)[1] != ".log":
        return ""
    real, folder = resolve(path)[0], resolve(data)[0]
    return real if real and folder and real.startswith(os.path.join(folder, "")) else ""


def _append_lines(folder: Folder, name: str, event: str, notes: list[str]) -> None:
    try:
        status = folder.status(name)
    except FileNotFoundError:
        pass
    else:
        # A pipe or a device could block, and a link could make any file the log.
        if status.st_mode & KIND != REGULAR:
            return
        if status.st_size > MAX_LOG_BYTES:
            folder.rename(name, os.path.splitext(name)[0] + ".log.1")
    stamp = utc_stamp()
    lines = "".join([f"{stamp} {event}: {legible_note(note)}\n" for note in notes])
    folder.append(name, lines.encode("utf-8", "replace"), PRIVATE_FILE)
