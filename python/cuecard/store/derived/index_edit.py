"""Adds lines to the text of `index.md` and removes lines, with the same result as a rebuild (SPEC 13.3)."""

from bisect import insort
from collections.abc import Collection
from itertools import pairwise
from typing import TYPE_CHECKING

from ..._backend import INDEX_HEADER as HEADER
from ..._backend import engine, rebuild_index
from ...basics.category import FOLDERS
from ...basics.chars import fold

if TYPE_CHECKING:
    Key = tuple[str, str, int, str]

_FOLDER_ORDER = {folder: order for order, (folder, _category) in enumerate(FOLDERS)}
_ARROW = " -> "


class Unsorted(Exception):
    """Raised for a text whose lines are not in the order of a rebuild, so that the place of a new line is not known."""


def edit(text: str, removed: Collection[str], added: list[tuple[str, str, bytes | None]]) -> str:
    """Return the text without the lines of the paths `removed`, and with lines for the records `added`.

    A record is a tuple of the category (which its folder determines), the path and the content. An inactive record gets
    no line. The cost is a pass over all lines, and a few parsed lines for each record. Raises `Unsorted`.
    """
    if not text.startswith(HEADER) or not text.endswith("\n"):
        raise Unsorted
    entries = text[len(HEADER) :].split("\n")[:-1]
    _check_order(entries)
    for path in removed:
        mark = f"{_ARROW}{path}"
        entries = [line for line in entries if mark not in line or _read_key(line)[3] != path]
    for record in added:
        made, _skipped, _is_damaged = rebuild_index([record])
        if made:
            insort(entries, made[len(HEADER) : -1], key=_read_key)
    return HEADER + "".join([f"{line}\n" for line in entries])


def _check_order(entries: list[str]) -> None:
    """Raise `Unsorted` for lines that are not lines of memories, or not in the order of a rebuild.

    The lines are not parsed. This is safe because no title contains an arrow, and no category's name is the beginning
    of another category's name.
    """
    keys = []
    for line in entries:
        if not line.startswith("- [") or _ARROW not in line:
            raise Unsorted
        name, rest = line.split(_ARROW, 1)
        keys.append((name.lower(), rest))
    if any(before >= after for before, after in pairwise(keys)):
        raise Unsorted


def _read_key(line: str) -> "Key":
    """Return the sort key of a line. Raises `Unsorted` for a line that is not the line of a memory."""
    parsed = engine.parse_index_line(line)
    if parsed is None:
        raise Unsorted
    category, title, path, _tags = parsed
    folder = path.rpartition("/")[0].rpartition("/")[2]
    return category, fold(title), _FOLDER_ORDER.get(folder, len(FOLDERS)), path
