"""The best k documents of some posting lists, and the sums of all (SPEC 21.3, 21.4).

Term at a time: lists that can add most come first, and once the k best so far are out of reach for documents that
none of them has, the others only add to what there is.
"""

from .layout import numbers
from .postings import CHUNK, decode, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Accept = Callable[[int], bool]

# Fewer postings than this are added up before a pruning would have paid.
SMALL = 2_000


class List:
    """The posting list of one term of a query."""

    __slots__ = ("entry", "section", "weight")

    def __init__(self, section: memoryview, entry: tuple[int, int, int], weight: int) -> None:
        """`entry` as `Dictionary.entry` has it, its list in `section`."""
        self.section = section
        self.entry = entry
        self.weight = weight

    def bound(self) -> int:
        """The most that it adds to a score."""
        return self.weight * self.entry[2]


class Bonus:
    """What documents get for their category, beside a score above 0."""

    __slots__ = ("_kinds", "_table", "largest")

    def __init__(self, kinds: "Sequence[int]", table: list[int]) -> None:
        """`kinds` is the section of that name, `table` has the points by number of the category's name."""
        self._kinds = kinds
        self._table = table
        self.largest = max(table, default=0)

    def of(self, number: int) -> int:
        """The points of a document."""
        kinds, table = self._kinds, self._table
        kind = kinds[2 * number] if 2 * number < len(kinds) else len(table)
        return table[kind] if kind < len(table) else 0


def exhaustive(
    lists: list[List], documents: int, k: int, bonus: Bonus | None = None, accept: "Accept | None" = None
) -> list[tuple[int, int]]:
    """As `top_k`, every posting added up."""
    sums: dict[int, int] = {}
    for each in lists:
        _add(sums, each)
    return _best(sums, documents, k, 0, bonus, accept)


def top_k(
    lists: list[List], documents: int, k: int, bonus: Bonus | None = None, accept: "Accept | None" = None
) -> list[tuple[int, int]]:
    """Number and score of the best k accepted documents, best first, then by number.

    `accept` is asked only about documents that would be among the best. Postings of numbers that are not below
    `documents` count as absent.
    """
    if k <= 0:
        return []
    ordered = sorted(lists, key=List.bound, reverse=True)
    left = sum(each.entry[1] for each in ordered)
    if left <= SMALL:
        return exhaustive(ordered, documents, k, bonus, accept)
    remaining = sum(each.bound() for each in ordered)
    largest = bonus.largest if bonus else 0
    asked = _Asked(accept) if accept else None
    reached = 0
    floor = 0
    sums: dict[int, int] = {}
    for position, each in enumerate(ordered):
        _add(sums, each)
        reached += each.bound()
        remaining -= each.bound()
        left -= each.entry[1]
        # No document has more than all lists so far and a bonus; to look costs about as much as to add.
        if remaining < reached and len(sums) < left and len(sums) >= k:
            best = _best(sums, documents, k, floor - remaining, bonus, asked)
            floor = max(floor, best[-1][1] if len(best) == k else 0)
            if remaining + largest < floor:
                lowest = floor - remaining - largest
                sums = _complete(sums, ordered[position + 1 :], lowest)
                break
    return _best(sums, documents, k, floor, bonus, asked)


def accumulate(lists: list[List], documents: int) -> dict[int, int]:
    """The sum of weight·impact of every document that has any of the terms."""
    sums: dict[int, int] = {}
    for each in lists:
        _add(sums, each)
    return {number: score for number, score in sums.items() if number < documents}


class _Asked:
    """An `accept` that is asked about each document once."""

    __slots__ = ("_accept", "_answers")

    def __init__(self, accept: "Accept") -> None:
        self._accept = accept
        self._answers: dict[int, bool] = {}

    def __call__(self, number: int) -> bool:
        answer = self._answers.get(number)
        if answer is None:
            answer = self._answers[number] = self._accept(number)
        return answer


def _add(sums: dict[int, int], each: List) -> None:
    weight = each.weight
    for run in runs(each.section, each.entry):
        found = decode(run)
        if sums:
            so_far = sums.get
            for number, byte in zip(found, run[3], strict=True):
                sums[number] = so_far(number, 0) + weight * byte
        else:
            sums.update(zip(found, [weight * byte for byte in run[3]], strict=True))


def _complete(sums: dict[int, int], lists: list[List], lowest: int) -> dict[int, int]:
    """The sums of the documents that have at least `lowest`, with what `lists` add to them."""
    sums = {number: score for number, score in sums.items() if score >= lowest}
    for each in lists:
        for run in runs(each.section, each.entry):
            if len(sums) * 16 < len(run[3]):
                _look_up(sums, run, each.weight)
                continue
            for number, byte in zip(decode(run), run[3], strict=True):
                if number in sums:
                    sums[number] += each.weight * byte
    return sums


def _look_up(sums: dict[int, int], run: tuple[int, int, memoryview, memoryview], weight: int) -> None:
    """Add what a long run has for few documents."""
    found = numbers(run[2], "H")
    first = CHUNK * run[0]
    for document in sums:
        low, high = 0, len(found)
        number = document - first
        while low < high:
            middle = (low + high) // 2
            if found[middle] < number:
                low = middle + 1
            else:
                high = middle
        if low < len(found) and found[low] == number:
            sums[document] += weight * run[3][low]


def _best(
    sums: dict[int, int], documents: int, k: int, floor: int, bonus: Bonus | None, accept: "Accept | None"
) -> list[tuple[int, int]]:
    """The best k of these documents, among which are k accepted ones of `floor` and more, or all."""
    # One integer a document sorts faster than a pair; numbers have 32 bits.
    if bonus:
        points = bonus.of
        keys = [
            score + points(number) << 32 | 0xFFFFFFFF - number
            for number, score in sums.items()
            if score > 0 and number < documents
        ]
    else:
        keys = [
            score << 32 | 0xFFFFFFFF - number
            for number, score in sums.items()
            if score >= floor and score > 0 and number < documents
        ]
    keys.sort(reverse=True)
    if not accept:
        return [(0xFFFFFFFF - (key & 0xFFFFFFFF), key >> 32) for key in keys[:k]]
    best: list[tuple[int, int]] = []
    for key in keys:
        number = 0xFFFFFFFF - (key & 0xFFFFFFFF)
        if len(best) == k:
            break
        if accept(number):
            best.append((number, key >> 32))
    return best
