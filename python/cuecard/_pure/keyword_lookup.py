"""The keyword retriever with the dictionary of words: finds what a scan of the lines finds (SPEC 22.3)."""

from .keyword import PREFIX_LENGTH, PREFIX_POINTS, TAG_POINTS, TITLE_POINTS
from .postings import read_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .keyword import Query
    from .segment import Segment

IN_TITLE = 1
IN_TAGS = 2
# By the byte of a posting.
POINTS = (0, TITLE_POINTS, TAG_POINTS, TITLE_POINTS + TAG_POINTS)


def score_words(segment: "Segment", query: "Query") -> dict[int, int]:
    """The points of every document whose words the prompt touches, descriptions left aside; by number."""
    words, section, documents = segment.words(), segment.word_postings(), segment.documents()
    scores: dict[int, int] = {}
    for token in query.tokens:
        text = token.encode()
        exact = words.find(text)
        found: dict[int, int] = {}
        if exact is not None:
            for posting in read_list(section, words.entry(exact), documents):
                found[posting >> 8] = POINTS[posting & 3]
        if len(token) >= PREFIX_LENGTH:
            entries = [position for position in words.range(text) if position != exact]
            if query.matches_reverse:
                beginnings = [words.find(text[:length]) for length in range(PREFIX_LENGTH, len(text))]
                entries += [position for position in beginnings if position is not None]
            for position in entries:
                for posting in read_list(section, words.entry(position), documents):
                    found.setdefault(posting >> 8, PREFIX_POINTS)
        for number, points in found.items():
            scores[number] = scores.get(number, 0) + points
    return scores
