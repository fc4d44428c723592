"""The `cuecard` command."""

import sys


def main() -> int:
    """Run the command with the arguments of this process and return its exit status.

    The status is 0 for success, 1 for a failure and 2 for wrong arguments. Standard output is only for data.
    """
    arguments = sys.argv[1:]
    if arguments[:1] == ["mcp"]:
        # A client waits for the first answer, so nothing is loaded that the server does not need.
        from ..mcp.command import read_root, serve

        root = read_root(arguments[1:])
        if root is not None:
            return serve(root)
    from .run import run

    return run(arguments)
