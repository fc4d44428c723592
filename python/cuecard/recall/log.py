"""The log: one line for each thing that went wrong (SPEC 14.4)."""

import os
import time

from ..store.derived import ensure_derived_folder
from .environment import Environment

MAX_LOG_BYTES = 1 << 20
MAX_NOTE_CHARS = 500


def append(environment: Environment, memory_dir: str, event: str, notes: list[str]) -> None:
    """Append a line a note about an event. A log that cannot be written is given up: there is nobody left to tell."""
    if not notes:
        return
    try:
        path = log_path(environment, memory_dir)
        # What lies in a store is text of others, and a link there could make any file the log.
        if path and (environment.log or not os.path.islink(path)):
            if memory_dir and not environment.log:
                ensure_derived_folder(memory_dir)
            _append_lines(path, event, notes)
    except (OSError, ValueError):
        pass


def log_path(environment: Environment, memory_dir: str) -> str:
    """`CUECARD_LOG`, else the store's own log, else the user's; "" where the log is off."""
    if environment.log:
        return "" if environment.log == "off" else environment.log
    if memory_dir:
        return os.path.join(memory_dir, ".cuecard", "log", "hook.log")
    return environment.state_home and os.path.join(environment.state_home, "cuecard", "hook.log")


def _append_lines(path: str, event: str, notes: list[str]) -> None:
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    if os.path.exists(path):
        # A pipe or a device could block.
        if not os.path.isfile(path):
            return
        if os.path.getsize(path) > MAX_LOG_BYTES:
            os.replace(path, os.path.splitext(path)[0] + ".log.1")
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    lines = []
    for note in notes:
        shown = "".join([" " if char < " " or char == "\x7f" else char for char in note])[:MAX_NOTE_CHARS]
        lines.append(f"{stamp} {event}: {shown}\n")
    with open(path, "ab") as file:
        file.write("".join(lines).encode("utf-8", "replace"))
