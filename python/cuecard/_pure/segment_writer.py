"""Segments from documents and from other segments: lists merged and renumbered (SPEC 20, 22.6).

In Python a posting is one integer, number·256 + byte, as in `postings`.
"""

from math import isqrt
from struct import pack

from . import layout
from .concept_graph_writer import GraphWriter
from .dictionary import Dictionary, DictionaryWriter
from .layout import Header, write_file
from .postings import PostingsWriter, read_list
from .segment import Segment, Statistics
from .segment_builder import Builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .segment_builder import Lists


class SegmentSource:
    """Documents of a segment to be written: where they come from, and their new numbers."""

    __slots__ = ("lists", "numbers")

    def __init__(self, lists: "Builder | Segment", numbers: "Sequence[int | None]") -> None:
        """`numbers` has the new number of each document, ascending, None for what is left out."""
        self.lists = lists
        self.numbers = numbers


def write_segment(
    header: Header,
    statistics: Statistics,
    parts: list[SegmentSource],
    extra: "Sequence[tuple[int, bytes]]" = (),
    with_norms: bool = False,
    threads: int = 1,
) -> bytes:
    """The bytes of a segment of all parts; those of builders get impacts by `statistics`, others keep theirs.

    They depend neither on how documents were spread over parts nor on `threads`, which the pure twin does not use.
    `extra` has the sections that are not made here; `with_norms` adds the lengths of the tf-idf vectors, and a base
    its graph.
    """
    is_base = not header.base_checksum and not header.base_documents
    graph = GraphWriter(header.documents if with_norms and is_base else 0)
    terms = _merge([_term_lists(part, statistics) for part in parts])
    term_section, posting_section = _write_lists(terms, graph.push)
    sections = [
        (layout.STATISTICS, statistics.write()),
        (layout.TERMS, term_section),
        (layout.TERM_POSTINGS, posting_section),
        (layout.GRAPH, graph.finish()),
        *extra,
    ]
    word_section, word_posting_section = _write_lists(_merge([_word_lists(part) for part in parts]))
    sections += [(layout.WORDS, word_section), (layout.WORD_POSTINGS, word_posting_section)]
    link_section, link_posting_section = _write_lists(_merge([_link_lists(part) for part in parts]))
    sections += [(layout.LINKS, link_section), (layout.LINK_POSTINGS, link_posting_section)]
    if with_norms:
        sections.append((layout.NORMS, _pack_norms(terms, header.documents)))
    sections.sort(key=lambda section: section[0])
    return write_file(header, sections)


def _term_lists(part: SegmentSource, statistics: Statistics) -> "Lists":
    source = part.lists
    if isinstance(source, Builder):
        return source.term_lists(part.numbers, statistics)
    return _read_lists(source.terms(), source.term_postings(), part.numbers)


def _word_lists(part: SegmentSource) -> "Lists":
    source = part.lists
    if isinstance(source, Builder):
        return source.word_lists(part.numbers)
    return _read_lists(source.words(), source.word_postings(), part.numbers)


def _link_lists(part: SegmentSource) -> "Lists":
    source = part.lists
    if isinstance(source, Builder):
        return source.link_lists(part.numbers)
    return _read_lists(source.links(), source.link_postings(), part.numbers)


def _read_lists(dictionary: Dictionary, section: memoryview, numbers: "Sequence[int | None]") -> "Lists":
    """The posting lists of a segment under new numbers, those that lose all postings left out."""
    lists: Lists = {}
    for position in range(len(dictionary)):
        postings = []
        for posting in read_list(section, dictionary.entry(position), len(numbers)):
            number = numbers[posting >> 8]
            if number is not None:
                postings.append(number << 8 | posting & 0xFF)
        if postings:
            lists[dictionary.text(position).decode("utf-8", "replace")] = postings
    return lists


def _merge(all_lists: "list[Lists]") -> "Lists":
    """One list a text; those of the first are taken over and added to."""
    if not all_lists:
        return {}
    merged = all_lists[0]
    for lists in all_lists[1:]:
        for text, postings in lists.items():
            if text in merged:
                merged[text] += postings
            else:
                merged[text] = postings
    return merged


def _write_lists(lists: "Lists", see: "Callable[[list[int]], None] | None" = None) -> tuple[bytes, bytes]:
    """The sections of a dictionary and of its posting lists; `see` is shown every list."""
    dictionary = DictionaryWriter()
    writer = PostingsWriter()
    # The order of code points is that of the bytes of UTF-8.
    for text in sorted(lists):
        postings = lists[text]
        postings.sort()
        largest = max([posting & 0xFF for posting in postings]) if len(postings) > 1 else postings[0] & 0xFF
        dictionary.push(text.encode(), writer.push(postings), len(postings), largest)
        if see:
            see(postings)
    return dictionary.finish(), writer.finish()


def _pack_norms(lists: "Lists", documents: int) -> bytes:
    """The length of each document's tf-idf vector (SPEC 22.6)."""
    squares = [0] * documents
    for postings in lists.values():
        for posting in postings:
            squares[posting >> 8] += (posting & 0xFF) ** 2
    return pack(f"<{documents}I", *[max(1, isqrt(square)) for square in squares])
