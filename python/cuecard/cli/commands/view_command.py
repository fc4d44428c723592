"""The command that opens the local page: `view`."""

from ...basics.light_dataclass import dataclass
from .. import terminal
from ..arguments import Option, command
from ..parameters import ROOT


@dataclass
class _ViewGiven:
    """The options of `cuecard view`."""

    port: int
    read_only: bool
    no_browser: bool
    root: str | None


@command(
    Option("--port", metavar="N", kind=int, default=0, low=0, help="The port; by default a free one."),
    Option("--read-only", help="Show everything, and change nothing."),
    Option("--no-browser", help="Only print the address."),
    ROOT,
    request=_ViewGiven,
)
def view(given: _ViewGiven) -> None:
    """Look through the memories and the inbox on a local page, and edit and prune them.

    The page is served on this machine only, until you press Ctrl+C, and loads nothing from elsewhere. Its address has
    a token behind the `#`, which is needed for everything. It needs the extra `viewer`.
    """
    from ...api import Store
    from ...viewer.server import serve

    store = Store(given.root, create=True)

    def tell(address: str) -> None:
        terminal.print_lines([address])
        terminal.report("note", "the page is open to this machine only", "Ctrl+C ends it")

    serve(store, port=given.port, is_read_only=given.read_only, opens=not given.no_browser, tell=tell)
