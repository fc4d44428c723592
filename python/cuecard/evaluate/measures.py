"""What a run is worth: for each prompt a few numbers, for a set of prompts the ratios of their sums.

| measure | over | is |
| --- | --- | --- |
| `R@3`, `R@5` | answerable prompts | wanted memories among the first k, over min(k, wanted memories) |
| `nDCG@5` | answerable prompts | gains 3 (wanted) and 1 (acceptable), log2 discount, over the best possible |
| `MRR` | answerable prompts | 1 over the rank of the first wanted memory |
| `hit` | answerable prompts | share with a wanted memory |
| `prec` | injected memories | share wanted or acceptable |
| `precM` | prompts with something injected | mean of the prompt's own share |
| `false` | unanswerable prompts | share with something injected |
| `silent` | answerable prompts | share with nothing injected |
| `n_inj` | all prompts | mean of memories injected |

Answerable are prompts with a wanted memory; the definitions are those of the judged sets that the project was given.
"""

import math
from collections.abc import Sequence

from .judged_prompts import ACCEPTABLE, WANTED, JudgedPrompt

MEANINGS = {
    "R@3": "wanted memories among the first three, of all wanted",
    "R@5": "wanted memories among the first five, of all wanted",
    "nDCG@5": "the same by their places, acceptable ones too",
    "MRR": "one over the place of the first wanted memory",
    "hit": "answerable prompts that get a wanted memory",
    "prec": "injected memories that are wanted or acceptable",
    "precM": "the same of each prompt, and the mean of that",
    "false": "prompts without an answer that get something",
    "silent": "prompts with an answer that get nothing",
    "n_inj": "memories injected, for each prompt",
}
MEASURES = tuple(MEANINGS)
# Less of these is better; for `n_inj` neither is.
LESS_IS_BETTER = ("false", "silent")
DEPTH = 5
_GAINS = {WANTED: 3.0, ACCEPTABLE: 1.0}

# Measure to what a prompt adds to the numerator and to the denominator; absent where it adds nothing.
Row = dict[str, tuple[float, float]]


def measure(prompt: JudgedPrompt, results: Sequence[str]) -> Row:
    """What a prompt adds to each measure, by the memories that it got, best first and none twice."""
    good = sum([prompt.judgments.get(memory, 0) >= ACCEPTABLE for memory in results])
    row: Row = {"n_inj": (len(results), 1)}
    if results:
        row["prec"] = good, len(results)
        row["precM"] = good / len(results), 1
    if prompt.is_unanswerable:
        row["false"] = float(bool(results)), 1
        return row
    wanted = prompt.wanted
    if wanted:
        first = next((rank for rank, memory in enumerate(results, 1) if memory in wanted), 0)
        for depth in (3, DEPTH):
            row[f"R@{depth}"] = len(wanted.intersection(results[:depth])) / min(depth, len(wanted)), 1
        row["nDCG@5"] = _gain(prompt, results) / _best_gain(prompt), 1
        row["MRR"] = 1 / first if first else 0.0, 1
        row["hit"] = float(first > 0), 1
        row["silent"] = float(not results), 1
    return row


def ratio(rows: Sequence[Row], name: str) -> float | None:
    """A measure of a set of prompts; None where it does not apply to any."""
    parts = [row[name] for row in rows if name in row]
    whole = sum([part[1] for part in parts])
    return sum([part[0] for part in parts]) / whole if whole else None


def _gain(prompt: JudgedPrompt, results: Sequence[str]) -> float:
    return _discount([_GAINS.get(prompt.judgments.get(memory, 0), 0.0) for memory in results[:DEPTH]])


def _best_gain(prompt: JudgedPrompt) -> float:
    return _discount(sorted([_GAINS[grade] for grade in prompt.judgments.values() if grade], reverse=True)[:DEPTH])


def _discount(gains: Sequence[float]) -> float:
    return sum([gain / math.log2(place + 2) for place, gain in enumerate(gains)])
