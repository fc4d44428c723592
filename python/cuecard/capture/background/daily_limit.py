"""How much background runs may do in a day: a file for each run, made before it and told its tokens after it.

    DATA/stores/KEY/background/
        2026-01-31-1   the first run of that day (UTC): how many tokens it took

The file is made by the one process that can make it, so that runs side by side stay within the limit as well.
"""

import time
from contextlib import suppress

from ...files.folder import PRIVATE_FILE, Unread
from ...files.user_folder import open_store_folder

FOLDER = "background"
MAX_BYTES = 64


def take_run(memory_dir: str, runs: int, tokens: int, expected_tokens: int) -> str:
    """The name of a run that may begin now; "" where the limits of the day forbid it. Raises OSError.

    `expected_tokens` count as taken until `note_tokens` tells better, also where that is never told.
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
    """Note what a run has taken. Raises OSError."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is not None:
        with folder:
            folder.replace(run, str(tokens).encode(), mode=PRIVATE_FILE)
