"""Lines in and out of the text of `index.md`, with what a rebuild would make of it (SPEC 13.3)."""

from bisect import insort
from collections.abc import Collection
from itertools import pairwise
from typing import TYPE_CHECKING

from ..._backend import engine
from ...basics.category import FOLDERS
from ...basics.chars import fold
from ...memory.rebuild import HEADER, rebuild_index

if TYPE_CHECKING:
    Key = tuple[str, str, int, str]

_FOLDER_ORDER = {folder: order for order, (folder, _category) in enumerate(FOLDERS)}
_ARROW = " -> "


class Unsorted(Exception):
    """The text is not one that a rebuild makes, so that a line has no place in it."""


def edit(text: str, removed: Collection[str], added: list[tuple[str, str, bytes | None]]) -> str:
    """The text without the lines of the paths `removed` and with those of the records `added`.

    Records are category by folder, path and content, as a rebuild takes them; inactive ones have no line. Costs
    a pass over the lines and a few parsed ones a record. Raises `Unsorted`.
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
    """Refuse lines that are no lines of memories, or stand in another order than a rebuild's.

    Without parsing them: no title holds an arrow, and no category's name begins another's.
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
    """What decides a line's place."""
    parsed = engine.parse_index_line(line)
    if parsed is None:
        raise Unsorted
    category, title, path, _tags = parsed
    folder = path.rpartition("/")[0].rpartition("/")[2]
    return category, fold(title), _FOLDER_ORDER.get(folder, len(FOLDERS)), path
