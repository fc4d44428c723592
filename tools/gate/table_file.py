"""Writes what was fitted into the file of the gate's table, which both backends read."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from cuecard.basics.gate_table import FEATURES, FILE
from cuecard.basics.tables import read_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from model import Model

TABLE = Path(__file__).resolve().parent.parent.parent / "python/cuecard/assets/tables/gate.txt"
UNIT = 1024
SIGMOID_STEP = 128
SIGMOID_END = 8 * UNIT
COUNT_MAX = 255


def write(model: "Model", thresholds: Mapping[str, int], table: Path = TABLE) -> None:
    """Write the fitted numbers into a file with the gate's table. Its words and its other numbers stay."""
    sigmoid = [round(UNIT / (1 + math.exp(-x / UNIT))) for x in range(0, SIGMOID_END + 1, SIGMOID_STEP)]
    logarithms = [round(UNIT * math.log1p(count)) for count in range(COUNT_MAX + 1)]
    features = zip(FEATURES, model.knots, model.slopes, strict=True)
    found: dict[str, Sequence[Sequence[object]]] = {
        "features": [(one.name, *knots, *slopes, one.kind, one.group, one.words) for one, knots, slopes in features],
        "logits": [
            (name, value, _words_of("logits", name)) for name, value in {"bias": model.bias, **thresholds}.items()
        ],
        "sigmoid_step": [(SIGMOID_STEP,)],
        "sigmoid": [sigmoid[begin : begin + 20] for begin in range(0, len(sigmoid), 20)],
        "logarithms": [logarithms[begin : begin + 20] for begin in range(0, len(logarithms), 20)],
        "general_words": [(word, model.words[word]) for word in sorted(model.words, key=str.encode)],
    }
    text = table.read_text(encoding="utf-8")
    for name, rows in found.items():
        before, heading, rest = text.partition(f"\n[{name}]\n")
        _old, end, after = rest.partition("\n\n")
        text = before + heading + "\n".join([" ".join(map(str, row)) for row in rows]) + (end + after or "\n")
    table.write_text(text, encoding="utf-8")


def _words_of(table: str, name: str) -> str:
    """The words behind the number of a row in the gate's table."""
    (row,) = [line for line in read_lines(FILE, table) if line.partition(" ")[0] == name]
    return row.split(" ", 2)[2]
