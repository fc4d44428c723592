"""Limits the background runs of a day. A file is created before each run; its tokens are written to it afterwards.

    DATA/stores/KEY/background/
        2026-01-31-1   the number of tokens of the first run on that day (UTC)

Only one process can create each file, so the limit also applies to runs at the same time.
"""

import time
from contextlib import suppress

from ...files.folder import PRIVATE_FILE, Unread
from ...files.user_folder import open_store_folder

FOLDER = "background"
MAX_BYTES = 64


def take_run(memory_dir: str, runs: int, tokens: int, expected_tokens: int) -> str:
    """Reserve a run and return its name; "" if the daily limit of runs or tokens is reached. Raises OSError.

    `expected_tokens` count for the limit until `note_tokens` replaces them with the real number.
    """
    folder = open_store_folder(memory_dir, FOLDER, make=True)
    if folder is None:
        return ""
    day = time.strftime("%Y-%m-%d", time.gmtime())
    with folder:
        names = [entry.name for entry in folder.scan()]
        for name in names:
            if not name.startswith(day):
                with suppress(OSError):
                    folder.remove(name)
        taken = 0
        for name in names:
            with suppress(Unread, ValueError):
                taken += int(folder.read(name, MAX_BYTES)[0]) if name.startswith(day) else 0
        if taken + expected_tokens > tokens:
            return ""
        for number in range(1, runs + 1):
            with suppress(FileExistsError):
                folder.create(f"{day}-{number}", str(expected_tokens).encode(), PRIVATE_FILE)
                return f"{day}-{number}"
    return ""


def note_tokens(memory_dir: str, run: str, tokens: int) -> None:
    """Write down how many tokens a run used. Raises OSError."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is not None:
        with folder:
            folder.replace(run, str(tokens).encode(), mode=PRIVATE_FILE)
