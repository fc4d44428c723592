"""The folder `.cuecard` of a store: derived state that can be deleted, kept out of the project's commits."""

from ..system import os

IGNORE = b"*\n"


def ensure_derived_folder(memory_dir: str) -> str:
    """Make the folder with its `.gitignore` where they are missing, and return its path. Raises OSError."""
    derived = os.path.join(memory_dir, ".cuecard")
    ignore = os.path.join(derived, ".gitignore")
    try:
        # One that is shorter was left by a process that died.
        is_whole = os.stat(ignore).st_size >= len(IGNORE)
    except FileNotFoundError:
        is_whole = False
    if not is_whole:
        os.makedirs(derived, exist_ok=True)
        handle = os.open(ignore, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            os.write(handle, IGNORE)
        finally:
            os.close(handle)
    return derived
