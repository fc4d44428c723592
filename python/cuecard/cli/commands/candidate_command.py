"""The command `candidate`: finds the memory that new information updates."""

import re

from ...basics.light_dataclass import dataclass
from ...errors import UsageError
from ...files.folder import Unread
from ...files.store_files import StoreFiles, read_bounded
from .. import terminal
from ..arguments import command, option
from ..parameters import AS_JSON, ROOT
from ..show.trust_marks import WITHHELD, is_hidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.options import Category, LifecycleEvent, Tokens
    from ...capture.comparing.candidate import Selection

# A word that begins with a dash and has no blank counts as an option, unless it is a number. argparse, which callers of
# this command know, decides the same way.
_OPTION = re.compile(r"-(?!\d+$|\d*\.\d+$)[^ ]+")


@dataclass
class _CandidateGiven:
    """The arguments and options of `cuecard candidate`."""

    category: "Category" = option(
        "--category", metavar="CATEGORY", is_required=True, help="The category, such as decision."
    )
    new_info: str | None = option("--new-info", metavar="TEXT", help="The new information.")
    new_info_file: str | None = option(
        "--new-info-file", metavar="FILE", help="A file with the new information; it takes precedence over TEXT."
    )
    lifecycle_event: "LifecycleEvent | None" = option(
        "--lifecycle-event",
        metavar="EVENT",
        help="What happened: deprecated, removed, resolved, reversed or superseded.",
    )
    root: str | None = ROOT
    tokens: "Tokens" = option(
        "--tokens",
        metavar="NAME",
        default="current",
        help="How to split text into words: current, or classic as in claude-memory.",
    )
    as_json: bool = AS_JSON


@command(request=_CandidateGiven)
def candidate(given: _CandidateGiven) -> None:
    """Find the memory that new information updates; prints JSON."""
    from ...capture.comparing.candidate import find_candidate

    for name, value in (("--new-info", given.new_info), ("--new-info-file", given.new_info_file)):
        if value and _OPTION.fullmatch(value):
            raise UsageError(f"`{name}` is followed by `{value[:100]}`, which looks like an option", _LIKE_OPTION)
    if given.new_info_file:
        given.new_info = _read_info(given.new_info_file)
    if given.new_info is None:
        raise UsageError("neither `--new-info` nor `--new-info-file` is given", "see `cuecard candidate --help`")
    selection = find_candidate(
        given.category, given.new_info, lifecycle_event=given.lifecycle_event, root=given.root, tokens=given.tokens
    )
    for note in selection.notes:
        terminal.report("warning", note)
    terminal.print_json(_document(selection, given.root))


def _document(selection: "Selection", root: str | None) -> dict[str, object]:
    """The JSON document to print, without the texts of memories that are withheld from agents."""
    from ...files.locate import locate
    from ...store.trust.agent_view import views_of_files

    document = selection.as_dict()
    found = document.get("candidate")
    if selection.candidate is None or not isinstance(found, dict):
        return document
    path, memory_dir = selection.candidate.path, locate(root)[1]
    with StoreFiles(memory_dir) as files:
        data = files.read_if_any(path)
    (view,) = views_of_files(memory_dir, [(path.rpartition("/")[2].removesuffix(".json"), data)])
    if view.is_unreviewed:
        found["trust"] = view.trust
    if is_hidden(view):
        found |= {"title": WITHHELD, "tags": [], "excerpt": None}
    return document


_LIKE_OPTION = "give it a value; a text that begins with a dash goes into a file for `--new-info-file`"


def _read_info(path: str) -> str:
    from ...capture.comparing.candidate import MAX_INFO_CHARS

    try:
        # A character of UTF-8 takes at most four bytes.
        return read_bounded(path, 4 * MAX_INFO_CHARS).decode("utf-8", "replace")
    except Unread as unread:
        raise UsageError(f"the file `{path}` of `--new-info-file` {unread.words}", "name a readable file") from None
