"""Parses `index.md` into an `IndexMd`; a line that cannot be read does not affect the other lines (SPEC 6)."""

from ...basics.chars import WHITESPACE
from ..memory.index_line import MAX_LINE_BYTES, read_line
from ..requests.results import IndexEntry, ScorePart
from ..text.tokenize import tokenize
from .keyword import Query, explain_entry, order, shortlist


class IndexMd:
    """The memories listed in `index.md`, in the order of their lines. Immutable.

    Shortlists refer to a memory by its position, from 0.
    """

    def __init__(self, data: bytes) -> None:
        """Parse the bytes of an `index.md`; lines that cannot be read are kept in `bad_lines`."""
        self.entries: list[IndexEntry] = []
        # Number and reason of each line that begins like a memory but cannot be read as a memory. The reasons are
        # `category`, `title`, `tags` (the text after the path is not a list of tags), `encoding` (not UTF-8) and
        # `length` (over 8 KiB).
        self.bad_lines: list[tuple[int, str]] = []
        for number, raw in enumerate(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"), 1):
            if len(raw) > MAX_LINE_BYTES:
                self.bad_lines.append((number, "length"))
                continue
            try:
                line = raw.decode().strip(WHITESPACE)
            except UnicodeDecodeError:
                self.bad_lines.append((number, "encoding"))
                continue
            if not line.startswith("-"):
                continue
            found = read_line(line)
            if isinstance(found, str):
                self.bad_lines.append((number, found))
            else:
                self.entries.append(IndexEntry(*found, number))

    def shortlist(self, prompt: str, revision: str, descriptions: list[tuple[str, str]]) -> list[tuple[int, int]]:
        """Position and score of every memory with a score above 0, best first (SPEC 7.4)."""
        entries = [(position, entry[0], entry[1], entry[3]) for position, entry in enumerate(self.entries)]
        return shortlist(Query(prompt, revision, descriptions), entries)

    def rank(self, shortlist: list[tuple[int, int]], verdicts: list[int | None]) -> list[tuple[int, int]]:
        """The shortlist after the deep check of its first members (SPEC 8.3).

        `verdicts` has one value for each checked member: None removes the member, a number is added to its score.
        Raises IndexError if a position is out of range.
        """
        for position, _score in shortlist:
            self._at(position)
        checked = [
            (position, score + verdict)
            for (position, score), verdict in zip(shortlist, verdicts, strict=False)
            if verdict is not None
        ]
        return order(checked + shortlist[len(verdicts) :], lambda position: self.entries[position][0])

    def explain(
        self, position: int, prompt: str, revision: str, descriptions: list[tuple[str, str]]
    ) -> list[ScorePart]:
        """The parts of a memory's score: kind, prompt token, matched token, points (SPEC 7.5)."""
        query = Query(prompt, revision, descriptions)
        category, title, _path, tags, _line = self._at(position)
        parts = explain_entry(query, category, frozenset(tokenize(title, "current")), frozenset(tags))
        return [ScorePart(*part) for part in parts]

    def _at(self, position: int) -> IndexEntry:
        if not 0 <= position < len(self.entries):
            raise IndexError("index position out of range")
        return self.entries[position]
