"""The `cuecard` command."""

import sys


def main() -> int:
    """Run the command with the arguments of this process and return its exit status.

    0: done; 1: something is wrong; 2: the arguments are. Standard output is for data alone.
    """
    from .run import run

    return run(sys.argv[1:])
