"""Exchanges two names of a folder without a pause, until somebody ends this process.

    python swapper.py NAME OTHER

In one step where the system can (`renameat2` of Linux), so that at every moment both names are there.
"""

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path

HERE, EXCHANGE = -100, 2


def main(name: str, other: str) -> None:
    """Say `ready` on standard output, and never return."""
    exchange = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    names = os.fsencode(name), os.fsencode(other)
    os.write(1, b"ready\n")
    while True:
        if exchange is None or exchange(HERE, names[0], HERE, names[1], EXCHANGE) != 0:
            _exchange_in_steps(name, other)


def _exchange_in_steps(name: str, other: str) -> None:
    for old, new in ((name, f"{name}.away"), (other, name), (f"{name}.away", other)):
        # cuecard may have put something in the place of one.
        with suppress(OSError):
            Path(old).rename(new)


if __name__ == "__main__":
    main(*sys.argv[1:])
