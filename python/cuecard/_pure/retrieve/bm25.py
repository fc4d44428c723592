"""Impacts and weights of terms by fielded BM25, as integers (SPEC 21.1, 21.2).

All sums, products, quotients and floors of f64 are in a fixed order, so that both backends compute the same bits.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# The values for a plain index: weights of title, tags and body.
WEIGHTS = (3.0, 4.0, 1.0)
K1 = 1.2
B = 0.75
# Fixed average lengths of title, tags, questions and body for all snapshots, so that removed documents have no effect
# on scores: rounded means of the projects on which the gate was trained.
AVERAGE_LENGTHS = (5.0, 3.0, 20.0, 120.0)

FULL = 256
MAX_QUERY_TERMS = 4_096
# With a greater weight the sum over 4,096 terms of impact 255 would not fit in 32 bits.
MAX_WEIGHT = 4_096

LN_2 = 0.6931471805599453
# 1 / (2i + 1), from i = 15 down.
_SERIES = tuple([1.0 / (2 * i + 1) for i in range(15, -1, -1)])
# A number for each field: title, tags, questions and body, or title, tags and body in a plain index.
OfFields = tuple[float, ...]

# k1, and weight and b of the fields (SPEC 22.8).
Numbers = tuple[float, OfFields, OfFields]


def natural_log(y: float) -> float:
    """ln(y) for y >= 1, by the series of the inverse hyperbolic tangent."""
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
    """The inverse document frequency, in 1/256, of a term that `in_list` of `documents` have."""
    in_list = min(in_list, documents)
    ratio = ((documents - in_list) + 0.5) / (in_list + 0.5)
    return max(1, int(256.0 * natural_log(1.0 + ratio) + 0.5))


def weight(idf: int, q: int) -> int:
    """The weight of a term of a query by its idf and its `q`, the weight in the query from 1 to 256 (SPEC 21.3)."""
    return min(MAX_WEIGHT, max(1, (idf * q + 128) >> 8))


def weigh(terms: "Iterable[tuple[str, int]]", documents: int, frequencies: "Mapping[str, int]") -> dict[str, int]:
    """The weight of each term of a query that any document has; `terms` are pairs of term and `q` (SPEC 21.3).

    `frequencies` has for each term the number of `documents` that have it.
    """
    counted = [(term, q, frequencies[term]) for term, q in [*terms][:MAX_QUERY_TERMS]]
    return {term: weight(idf(documents, in_list), q) for term, q, in_list in counted if in_list}


def impacts(
    numbers: Numbers, averages: OfFields, lengths: "Sequence[int]", counts: "Mapping[str, Sequence[int]]"
) -> dict[str, int]:
    """The impact of each term on the score of a document, 1 to 255, by its counts in the fields (SPEC 21.1)."""
    k1, weights, bs = numbers
    # The weight of each field, and the divisor of the counts in it: 1 - b + b * length / average.
    fields = [
        (w, (1.0 - b) + (b * length) / (average or 1.0))
        for w, b, length, average in zip(weights, bs, lengths, averages, strict=True)
    ]
    found = {}
    for term, of_term in counts.items():
        x = 0.0
        for (w, denominator), count in zip(fields, of_term, strict=True):
            if count:
                x += (w * count) / denominator
        # If x is 0, k1 can be 0 too, and the quotient would not be defined.
        s = x / (k1 + x) if x else 0.0
        found[term] = min(255, max(1, int(255.0 * s + 0.5)))
    return found
