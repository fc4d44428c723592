"""Impacts and weights of terms: fielded BM25 in integers (SPEC 21.1, 21.2).

Only sums, products, quotients and floors of f64 in a fixed order: both twins come to the same bits.
"""

WEIGHTS = (3.0, 4.0, 1.0)
# Of a store, and of a plain index.
STORE_K1 = 2.0
K1 = 1.2
B = 0.75
# Of title, tags and body, in every snapshot: a score depends on the living documents alone. Round values near the
# means of the projects that the gate has learned from.
AVERAGE_LENGTHS = (5.0, 3.0, 120.0)

# What settings may be (SPEC 22.8), and average lengths.
K1_MAX = 10.0
WEIGHT_MAX = 100.0
B_MAX = 1.0
AVERAGE_MAX = 4_294_967_296.0

FULL = 256
MAX_QUERY_TERMS = 4_096
# Beyond it 4,096 terms of impact 255 would leave 32 bits.
MAX_WEIGHT = 4_096

LN_2 = 0.6931471805599453
# 1 / (2i + 1), from i = 15 down.
_SERIES = tuple([1.0 / (2 * i + 1) for i in range(15, -1, -1)])
Triple = tuple[float, float, float]

# The terms of a prompt and of the titles before it are often equally rare.
_MAX_REMEMBERED = 4_096
_remembered: dict[tuple[int, int], int] = {}


class Bm25Settings:
    """k1, and weight and b of title, tags and body."""

    __slots__ = ("bs", "k1", "weights")

    def __init__(self, k1: float = STORE_K1, weights: Triple = WEIGHTS, bs: Triple = (B, B, B)) -> None:
        """k1 from 0 to 10, weights from 0 to 100, bs from 0 to 1 (SPEC 22.8)."""
        self.k1 = k1
        self.weights = weights
        self.bs = bs

    def numbers(self) -> tuple[float, ...]:
        """All of them, to be compared."""
        return (self.k1, *self.weights, *self.bs)


def natural_log(y: float) -> float:
    """ln(y) for y of 1 and more, by the series of the inverse hyperbolic tangent."""
    exponent = 0
    while y >= 2.0:
        y /= 2.0
        exponent += 1
    z = (y - 1.0) / (y + 1.0)
    square = z * z
    total = 0.0
    for share in _SERIES:
        total = total * square + share
    return total * (2.0 * z) + exponent * LN_2


def idf(documents: int, in_list: int) -> int:
    """How rare a term is that stands in `in_list` of `documents`, in 1/256."""
    found = _remembered.get((documents, in_list))
    if found is None:
        in_list = min(in_list, documents)
        ratio = ((documents - in_list) + 0.5) / (in_list + 0.5)
        found = max(1, int(256.0 * natural_log(1.0 + ratio) + 0.5))
        if len(_remembered) == _MAX_REMEMBERED:
            _remembered.clear()
        _remembered[documents, in_list] = found
    return found


def weight(idf: int, q: int) -> int:
    """The weight of a query's term, `q` from 1 to 256 (SPEC 21.3)."""
    return min(MAX_WEIGHT, max(1, (idf * q + 128) >> 8))


def denominators(settings: Bm25Settings, averages: Triple, lengths: tuple[int, int, int]) -> Triple:
    """What a document's term counts are divided by, a field each: 1 - b + b·length / average."""
    title, tags, body = (
        (1.0 - b) + (b * length) / (average or 1.0)
        for b, length, average in zip(settings.bs, lengths, averages, strict=True)
    )
    return title, tags, body


def impact(
    settings: Bm25Settings, averages: Triple, lengths: tuple[int, int, int], counts: tuple[int, int, int]
) -> int:
    """What a term that stands `counts` times in a document adds to its score, 1 to 255 (SPEC 21.1)."""
    return impact_over(settings, denominators(settings, averages, lengths), counts)


def impact_over(settings: Bm25Settings, denominators: Triple, counts: tuple[int, int, int]) -> int:
    """As `impact`, of a document with these denominators."""
    x = 0.0
    for w, count, denominator in zip(settings.weights, counts, denominators, strict=True):
        if count:
            x += (w * count) / denominator
    # Without weight and k1 both would be 0.
    s = x / (settings.k1 + x) if x else 0.0
    return min(255, max(1, int(255.0 * s + 0.5)))


def plain_average(total: int, documents: int) -> float:
    """The average length that a plain index keeps: total / documents."""
    return total / documents if documents else 0.0
