"""Concept graph: the terms that a project's memories have together, and queries widened by them (SPEC 25)."""

from .layout import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .dictionary import Dictionary

HOPS = 2
# What a hop leaves of a weight, in 1/256.
DECAY = 96
EXPANSION_MAX = 16


class ConceptGraph:
    """The graph of a segment, read in place."""

    __slots__ = ("_concepts", "_dictionary", "_ends", "_neighbours", "_weights")

    def __init__(self, section: memoryview, dictionary: "Dictionary") -> None:
        """A view of a section beside the dictionary of the terms; one whose tables do not fit counts as empty."""
        self._dictionary = dictionary
        self._concepts: Sequence[int] = ()
        concepts = int.from_bytes(section[:4], "little")
        ends_start = 4 + 4 * concepts
        neighbours_start = ends_start + 4 * concepts
        edges, rest = divmod(len(section) - neighbours_start, 5)
        if edges < 0 or rest:
            return
        weights_start = len(section) - edges
        self._concepts = numbers(section[4:ends_start], "I")
        self._ends = numbers(section[ends_start:neighbours_start], "I")
        self._neighbours = numbers(section[neighbours_start:weights_start], "I")
        self._weights = section[weights_start:]

    def neighbours(self, term: str) -> list[tuple[str, int]]:
        """The neighbours of a term, best first, with weights of 1 to 255 in 1/256."""
        number = self._dictionary.find(term.encode())
        return [] if number is None else self._name(self._edges(number))

    def expand(self, query: "Sequence[tuple[str, int]]", hops: int = HOPS, decay: int = DECAY) -> list[tuple[str, int]]:
        """The terms that those of a query lead to and that are not among them, heaviest first, at most sixteen.

        `query` has distinct terms with weights of 1 to 256; `decay` is in 1/256. Of several ways to a term the
        heaviest counts.
        """
        front: dict[int, int] = {}
        for term, weight in query:
            number = self._dictionary.find(term.encode())
            if number is not None:
                front[number] = weight
        own = frozenset(front)
        found: dict[int, int] = {}
        for _ in range(hops):
            reached: dict[int, int] = {}
            for number, weight in front.items():
                for neighbour, strength in self._edges(number):
                    activation = weight * strength * decay >> 16
                    if activation > found.get(neighbour, 0) and neighbour not in own:
                        found[neighbour] = reached[neighbour] = activation
            front = reached
        heaviest = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
        return self._name(heaviest[:EXPANSION_MAX])

    def _edges(self, number: int) -> "Iterable[tuple[int, int]]":
        """Number and weight of the neighbours of a term."""
        concepts = self._concepts
        low, high = 0, len(concepts)
        while low < high:
            middle = (low + high) // 2
            if concepts[middle] < number:
                low = middle + 1
            else:
                high = middle
        if low == len(concepts) or concepts[low] != number:
            return ()
        start, end = self._ends[low - 1] if low else 0, self._ends[low]
        if end > len(self._weights):
            return ()
        return zip(self._neighbours[start:end], self._weights[start:end], strict=True)

    def _name(self, edges: "Iterable[tuple[int, int]]") -> list[tuple[str, int]]:
        """The same with texts for numbers, without what has none."""
        named = []
        for number, weight in edges:
            text = self._dictionary.text(number) if number < len(self._dictionary) else b""
            if text:
                try:
                    named.append((text.decode(), weight))
                except UnicodeDecodeError:
                    continue
        return named
