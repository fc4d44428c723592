"""The measures of a run. A measure is the ratio of two sums: each prompt adds to a numerator and a denominator.

| measure | applies to | value |
| --- | --- | --- |
| `R@3`, `R@5` | answerable prompts | wanted memories among the first k injected, over min(k, wanted memories) |
| `nDCG@5` | answerable prompts | gains 3 (wanted) and 1 (acceptable), log2 discount, over the best possible |
| `MRR` | answerable prompts | 1 over the rank of the first wanted memory |
| `hit` | answerable prompts | share for which a wanted memory is injected |
| `prec` | injected memories | share wanted or acceptable |
| `precM` | prompts with an injected memory | mean of the precision of each prompt |
| `false` | unanswerable prompts | share for which a memory is injected |
| `silent` | answerable prompts | share for which no memory is injected |
| `n_inj` | all prompts | mean number of injected memories |

A prompt is answerable if its judgments name a wanted memory. Ranks count the prompt's injected memories, best first.
The definitions are those of the project's judged sets.
"""

import math
from collections.abc import Sequence

from .judged_prompts import ACCEPTABLE, WANTED, JudgedPrompt

MEANINGS = {
    "R@3": "share of the wanted memories that are among the first three",
    "R@5": "share of the wanted memories that are among the first five",
    "nDCG@5": "how near to the top the wanted and acceptable memories are, from 0 to 1",
    "MRR": "1 divided by the rank of the first wanted memory",
    "hit": "share of answerable prompts that get a wanted memory",
    "prec": "share of injected memories that are wanted or acceptable",
    "precM": "mean of the precision of each prompt that gets a memory",
    "false": "share of prompts without an answer that get a memory",
    "silent": "share of prompts with an answer that get no memory",
    "n_inj": "mean number of memories injected for a prompt",
}
MEASURES = tuple(MEANINGS)
DEPTH = 5
_GAINS = {WANTED: 3.0, ACCEPTABLE: 1.0}

# What a prompt adds to numerator and denominator of each measure. Measures that do not apply to the prompt are absent.
Row = dict[str, tuple[float, float]]


def measure(prompt: JudgedPrompt, results: Sequence[str]) -> Row:
    """What a prompt adds to each measure. `results` are the injected memories, best first, without repetition."""
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
    """The value of a measure for a set of prompts; None if the measure applies to no prompt."""
    parts = [row[name] for row in rows if name in row]
    whole = sum([part[1] for part in parts])
    return sum([part[0] for part in parts]) / whole if whole else None


def _gain(prompt: JudgedPrompt, results: Sequence[str]) -> float:
    return _discount([_GAINS.get(prompt.judgments.get(memory, 0), 0.0) for memory in results[:DEPTH]])


def _best_gain(prompt: JudgedPrompt) -> float:
    return _discount(sorted([_GAINS[grade] for grade in prompt.judgments.values() if grade], reverse=True)[:DEPTH])


def _discount(gains: Sequence[float]) -> float:
    return sum([gain / math.log2(place + 2) for place, gain in enumerate(gains)])
