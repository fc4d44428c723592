"""The command `cuecard mcp`: serves until the client disconnects (docs/reference/mcp.md, "Channel")."""

import os
import sys

from .channel import Channel
from .server import Server

INTERRUPTED = 130
USAGE = "usage: cuecard mcp [--root FOLDER]"


def main(arguments: list[str]) -> int:
    """Serve on standard input and output. The exit status is 0 at the end of the input, 2 for invalid arguments."""
    root = read_root(arguments)
    if root is None:
        print(USAGE, file=sys.stderr)  # noqa: T201 - standard error is for people here
        return 2
    return serve(root)


def read_root(arguments: list[str]) -> str | None:
    """The folder given with `--root`; "" without `--root`; None for invalid arguments."""
    if not arguments:
        return ""
    if len(arguments) == 2 and arguments[0] == "--root" and arguments[1]:
        return arguments[1]
    if len(arguments) == 1 and arguments[0].startswith("--root="):
        return arguments[0][len("--root=") :] or None
    return None


def serve(root: str) -> int:
    """Answer until the input ends.

    The project is at `root`. If `root` is "", the project is found from `CLAUDE_PROJECT_DIR` or the working directory,
    as the hooks find it, so that the server and the hooks use the same memories.
    """
    # The search for pydantic plugins takes a tenth of the time of a first write, and cuecard has no such plugin.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    host_project = os.environ.get("CLAUDE_PROJECT_DIR", "").strip()
    if not root and host_project:
        try:
            os.chdir(host_project)
        except OSError as error:
            _say(f"`CLAUDE_PROJECT_DIR` cannot be used: {error.strerror or error}")
    try:
        channel = Channel()
        channel.serve(Server(os.path.abspath(root) if root else None, _say))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The client has closed the connection; there is nothing left to do.
        pass
    return 0


def _say(words: str) -> None:
    """Write a line to standard error, which ends up in the client's log."""
    try:
        os.write(2, f"cuecard mcp: {words}\n".encode("utf-8", "backslashreplace"))
    except OSError:
        # Standard error is closed, so nobody can read the line.
        return
