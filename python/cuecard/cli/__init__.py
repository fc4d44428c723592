"""The `cuecard` command."""

import sys


def main() -> int:
    """Run the command with the arguments of this process and return its exit status.

    0: done; 1: something is wrong; 2: the arguments are. Standard output is for data alone.
    """
    arguments = sys.argv[1:]
    if arguments[:1] == ["mcp"]:
        # A client waits for the first answer: nothing is loaded that the server does without.
        from ..mcp.command import read_root, serve

        root = read_root(arguments[1:])
        if root is not None:
            return serve(root)
    from .run import run

    return run(arguments)
