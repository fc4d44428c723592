"""Opens the full-screen browser of `cuecard browse` and `cuecard review`."""

from importlib.util import find_spec

from ...basics.installing import INSTALL_VIEWER
from ...errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...api import Store

MEMORIES, INBOX = "memories", "inbox"


def is_installed() -> bool:
    """Whether the library of the screen is there."""
    return find_spec("textual") is not None


def browse(store: "Store", tab: str, *, is_read_only: bool = False) -> None:
    """Show the screen until the person leaves it. Raises `UsageError` if the extra is not installed."""
    if not is_installed():
        raise UsageError("`cuecard browse` needs the extra `viewer`", INSTALL_VIEWER)
    from .browser import Browser

    Browser(store, tab, is_read_only=is_read_only).run(mouse=True)
