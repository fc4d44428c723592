"""The commands that open the local page and the screen: `view` and `browse`."""

from ...basics.light_dataclass import dataclass
from ...errors import UsageError
from .. import terminal
from ..arguments import command, option
from ..parameters import ROOT


@dataclass
class _ViewGiven:
    """The options of `cuecard view`."""

    port: int = option(
        "--port", metavar="N", kind=int, default=0, low=0, high=65535, help="The port; by default a free one."
    )
    read_only: bool = option("--read-only", help="Show everything, and change nothing.")
    no_browser: bool = option("--no-browser", help="Only print the address.")
    root: str | None = ROOT


@command(request=_ViewGiven)
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


@command(
    option("--inbox", help="Begin with the drafts and memories that wait for you."),
    option("--read-only", help="Show everything, and change nothing."),
    ROOT,
)
def browse(inbox: bool, read_only: bool, root: str | None) -> None:
    """Look through the memories and the inbox in the terminal, and edit and prune them.

    The keys stand at the bottom, and `u` takes the last action back. It needs the extra `viewer`. If an
    agent program has started it, it changes nothing.
    """
    from ...api import Store
    from ...viewer.screen import open_screen

    if not terminal.is_person_present():
        raise UsageError("`cuecard browse` needs a terminal", "`cuecard list` and `cuecard review` print to a pipe")
    is_agent = not terminal.is_typed_by_user()
    if is_agent and not read_only:
        terminal.report("note", "an agent program has started this, so that nothing can be changed")
    open_screen.browse(Store(root, create=True), is_inbox=inbox, is_read_only=read_only or is_agent)
