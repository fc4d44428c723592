"""Serves the page on the loopback interface until the person stops it."""

import secrets
import socket
import sys
import webbrowser

from ..basics.installing import INSTALL_VIEWER
from ..errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..retrieval.project_store import ProjectStore

TOKEN_BYTES = 24


def serve(store: "ProjectStore", *, port: int, is_read_only: bool, opens: bool, tell: "Callable[[str], None]") -> None:
    """Serve the page; `tell` gets its address, with the token in the fragment, which no browser sends anywhere.

    Raises `UsageError` if the extra is not installed or the port is taken.
    """
    try:
        import uvicorn

        from .app import make_app
    except ImportError as error:
        raise UsageError(f"the page needs the extra `viewer`: {error}", INSTALL_VIEWER) from None
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    with taken:
        try:
            taken.bind(("127.0.0.1", port))
        except OSError as error:
            raise UsageError(f"port {port} cannot be used: {error.strerror}", "leave out `--port`") from None
        port = taken.getsockname()[1]
        token = secrets.token_urlsafe(TOKEN_BYTES)
        app = make_app(store, token, port, is_read_only=is_read_only)
        address = f"http://127.0.0.1:{port}/#{token}"
        tell(address)
        if opens and sys.stdout.isatty():
            webbrowser.open(address)
        config = uvicorn.Config(app, log_level="error", access_log=False, lifespan="off", server_header=False)
        uvicorn.Server(config).run(sockets=[taken])
