"""Opens the full-screen browser of `cuecard browse` and `cuecard review`."""

from importlib.util import find_spec

from ...basics.installing import INSTALL_VIEWER
from ...errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...retrieval.project_store import ProjectStore


def is_installed() -> bool:
    """Whether the library of the screen is there."""
    return find_spec("textual") is not None


def browse(store: "ProjectStore", *, is_inbox: bool, is_read_only: bool = False) -> None:
    """Show the screen until the person leaves it, first the memories or the inbox.

    Raises `UsageError` if the extra is not installed.
    """
    if not is_installed():
        raise UsageError("`cuecard browse` needs the extra `viewer`", INSTALL_VIEWER)
    from .browser import INBOX, MEMORIES, Browser

    Browser(store, INBOX if is_inbox else MEMORIES, is_read_only=is_read_only).run()
