"""The command that runs the MCP server: `mcp`."""

from ..arguments import command
from ..parameters import ROOT


@command(ROOT)
def mcp(root: str | None) -> int:
    """Serve the memories to an MCP client on standard input and output.

    The server ends when the client closes the connection. For Claude Code: `claude mcp add cuecard -- cuecard mcp`.
    """
    from ...mcp.command import serve

    return serve(root or "")
