"""Parses a line of `index.md` (SPEC 5).

`- [CATEGORY] title -> path #tags:first,second`
"""

from ...basics.chars import WHITESPACE, fold, scrub
from ..requests.results import IndexLine

MAX_LINE_BYTES = 8192
ARROW = "->"
TAGS_MARK = "#tags:"
_CATEGORY_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ_")

# category, title, path, tags
Line = tuple[str, str, str, list[str]]


def parse_index_line(line: str) -> IndexLine | None:
    """The category, title, path and tags of an index line; None if the text is not an index line.

    Tags are in lower case, without repetitions, sorted by code point.
    """
    found = read_line(scrub(line).strip(WHITESPACE))
    return None if isinstance(found, str) else IndexLine(*found)


def read_line(line: str) -> Line | str:
    """Category, title, path and tags of a stripped line, or the part that is wrong: `category`, `title` or `tags`."""
    opened = after_blanks(line, 1)
    if line[:1] != "-" or opened == 1 or line[opened : opened + 1] != "[":
        return "category"
    closed = line.find("]", opened)
    category = line[opened + 1 : closed]
    if closed < 0 or not category or not _CATEGORY_CHARS.issuperset(category):
        return "category"
    begin = after_blanks(line, closed + 1)
    if begin == closed + 1:
        return "category"

    # Take the first arrow with a title in front of it and a valid path and tags behind it.
    reason = "title"
    arrow = line.find(ARROW, begin + 1)
    while arrow >= 0:
        title = line[begin:arrow]
        if title[-1] in WHITESPACE:
            if "\n" in title.rstrip(WHITESPACE):
                break
            behind = arrow + len(ARROW)
            tail = read_tail(line, behind)
            if tail:
                return category, title.rstrip(WHITESPACE), *tail
            # A stripped line does not end in a blank, so a blank behind the arrow means that a path follows.
            if after_blanks(line, behind) > behind:
                reason = "tags"
        arrow = line.find(ARROW, arrow + 1)

    # The title is empty, as in `- [DECISION]   -> path`.
    if line.startswith(ARROW, begin) and line[closed + 2 : begin - 1].strip("\n"):
        tail = read_tail(line, begin + len(ARROW))
        if tail:
            return category, "", *tail
    return reason


def read_tail(line: str, position: int) -> tuple[str, list[str]] | None:
    """The path and tags after the arrow; None if anything else follows the arrow."""
    begin = after_blanks(line, position)
    if begin == position or begin == len(line):
        return None
    if line.isascii():
        # In ASCII text, `str.split` and `WHITESPACE` have the same blanks.
        end = begin + len(line[begin:].split(None, 1)[0])
    else:
        end = begin
        while end < len(line) and line[end] not in WHITESPACE:
            end += 1
    path = line[begin:end]
    if end == len(line):
        return path, []
    mark = after_blanks(line, end)
    listed = line[mark + len(TAGS_MARK) :]
    if not line.startswith(TAGS_MARK, mark) or not listed or "\n" in listed:
        return None
    tags = {fold(tag.strip(WHITESPACE)) for tag in listed.split(",")}
    tags.discard("")
    return path, sorted(tags)


def after_blanks(line: str, position: int) -> int:
    """The first position from `position` on that is not a blank."""
    while position < len(line) and line[position] in WHITESPACE:
        position += 1
    return position
