"""Impacts and weights of terms: fielded BM25 in integers (SPEC 21.1, 21.2).

Only sums, products, quotients and floors of f64 in a fixed order: both backends come to the same bits.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# The values for a plain index: weights of title, tags and body.
WEIGHTS = (3.0, 4.0, 1.0)
K1 = 1.2
B = 0.75
# Average lengths of title, tags, questions and body in every snapshot, so that a score depends on living documents
# alone: rounded means of the projects that the gate has learned from.
AVERAGE_LENGTHS = (5.0, 3.0, 20.0, 120.0)

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
# A number for each field: title, tags, questions and body, or title, tags and body in a plain index.
OfFields = tuple[float, ...]

# k1, and weight and b of the fields (SPEC 22.8).
Numbers = tuple[float, OfFields, OfFields]


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
    in_list = min(in_list, documents)
    ratio = ((documents - in_list) + 0.5) / (in_list + 0.5)
    return max(1, int(256.0 * natural_log(1.0 + ratio) + 0.5))


def weight(idf: int, q: int) -> int:
    """The weight of a query's term, `q` from 1 to 256 (SPEC 21.3)."""
    return min(MAX_WEIGHT, max(1, (idf * q + 128) >> 8))


def weigh(terms: "Iterable[tuple[str, int]]", documents: int, frequencies: "Mapping[str, int]") -> dict[str, int]:
    """The weight of each term of a query, with its `q`, that stands in a document (SPEC 21.3).

    `frequencies` tell in how many of the `documents` each of the terms stands.
    """
    counted = [(term, q, frequencies[term]) for term, q in [*terms][:MAX_QUERY_TERMS]]
    return {term: weight(idf(documents, in_list), q) for term, q, in_list in counted if in_list}


def impacts(
    numbers: Numbers, averages: OfFields, lengths: "Sequence[int]", counts: "Mapping[str, Sequence[int]]"
) -> dict[str, int]:
    """What each term of a document adds to its score, 1 to 255, by how often it stands in each field (SPEC 21.1)."""
    k1, weights, bs = numbers
    # What the counts in each field are divided by: 1 - b + b * length / average.
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
        # Without weight and k1 both would be 0.
        s = x / (k1 + x) if x else 0.0
        found[term] = min(255, max(1, int(255.0 * s + 0.5)))
    return found
