"""From arguments to a server that answers until its client hangs up (docs/reference/mcp.md, "Channel")."""

import os
import sys

from .channel import Channel
from .server import Server

INTERRUPTED = 130
USAGE = "usage: cuecard mcp [--root FOLDER]"


def main(arguments: list[str]) -> int:
    """Serve on standard input and output; the exit status is 0 at the end of the input, 2 for other arguments."""
    root = read_root(arguments)
    if root is None:
        print(USAGE, file=sys.stderr)  # noqa: T201 - standard error is for people here
        return 2
    return serve(root)


def read_root(arguments: list[str]) -> str | None:
    """The folder of `--root`, "" without it; None where there is anything else."""
    if not arguments:
        return ""
    if len(arguments) == 2 and arguments[0] == "--root" and arguments[1]:
        return arguments[1]
    if len(arguments) == 1 and arguments[0].startswith("--root="):
        return arguments[0][len("--root=") :] or None
    return None


def serve(root: str) -> int:
    """Answer until the input ends. The project is at `root`; without one it is found from here, or the host's project.

    The host's project is where hooks run: both find the same memories.
    """
    # Looking for plugins of pydantic costs a tenth of a first write, and we bring none.
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
        # The client has hung up, and whatever it asked for is done.
        pass
    return 0


def _say(words: str) -> None:
    """A line for the reader of the client's log."""
    try:
        os.write(2, f"cuecard mcp: {words}\n".encode("utf-8", "backslashreplace"))
    except OSError:
        # There is nobody left to tell.
        return
