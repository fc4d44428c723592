"""Exchanges the names of two files in the working directory again and again, until the process is killed.

    python swapper.py NAME OTHER

On Linux `renameat2` exchanges them in one step, so that both names exist at every moment.
"""

import ctypes
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

HERE, EXCHANGE = -100, 2
# Without a pause the exchanges take a processor for themselves, and on a busy machine the program then runs between two
# turns of theirs, so that a reader that checks first and opens then would hardly ever be caught.
PAUSE_SECONDS = 0.00001


def main(name: str, other: str) -> None:
    """Print `ready`, then exchange the names forever."""
    exchange = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    names = os.fsencode(name), os.fsencode(other)
    os.write(1, b"ready\n")
    while True:
        if exchange is None or exchange(HERE, names[0], HERE, names[1], EXCHANGE) != 0:
            _exchange_in_steps(name, other)
        time.sleep(PAUSE_SECONDS)


def _exchange_in_steps(name: str, other: str) -> None:
    for old, new in ((name, f"{name}.away"), (other, name), (f"{name}.away", other)):
        # cuecard may have created something under one of the names.
        with suppress(OSError):
            Path(old).rename(new)


if __name__ == "__main__":
    main(*sys.argv[1:])
