"""The gate's coefficients and tables, from the file that `tools/gate/train.py` writes (SPEC 28.2), its thresholds and
its probability."""

from ..basics.chars import scrub
from ..basics.tables import read_numbers, read_rows
from ..errors import UsageError

# Features, logits and probabilities count in 1/1024.
UNIT = 1024

(BIAS,) = read_numbers("gate", "bias")
KNOTS = read_rows("gate", "knots")
SLOPES = read_rows("gate", "slopes")
(PRECISE,) = read_numbers("gate", "precise")
(BALANCED,) = read_numbers("gate", "balanced")
(EAGER,) = read_numbers("gate", "eager")
(SIGMOID_STEP,) = read_numbers("gate", "sigmoid_step")
SIGMOID = read_numbers("gate", "sigmoid")
LOGARITHMS = read_numbers("gate", "logarithms")


def gate_threshold(setting: str) -> int | None:
    """The least logit of a memory that is shown, in 1/1024; None where all are. Raises UsageError for a setting."""
    thresholds = {
        "precise": PRECISE,
        "balanced": BALANCED,
        "eager": EAGER,
        "off": None,
    }
    if setting not in thresholds:
        raise UsageError(f"unknown setting `{scrub(setting)}`", f"use `{'` or `'.join(thresholds)}`")
    return thresholds[setting]


def probability(logit: int) -> int:
    """1 / (1 + e^-x) in 1/1024, of a logit in 1/1024; between the entries of a table straight lines."""
    table = SIGMOID
    step = SIGMOID_STEP
    place = min(abs(logit), step * (len(table) - 1) - 1)
    below, rest = place // step, place % step
    value = table[below] + (table[below + 1] - table[below]) * rest // step
    return value if logit >= 0 else UNIT - value
