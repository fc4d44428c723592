"""The gate's model, with the numbers of the gate's table: thresholds, and the judgment of a memory (SPEC 28.2)."""

from ...basics.chars import scrub
from ...basics.gate_table import CONSTANTS, FEATURES, LOGITS, GateFeature
from ...basics.tables import read_numbers
from ...errors import UsageError

# Features, logits and probabilities are in 1/1024.
UNIT = 1024

BIAS = LOGITS["bias"]
PRECISE = LOGITS["precise"]
BALANCED = LOGITS["balanced"]
EAGER = LOGITS["eager"]
# If the best memory of a prompt is shown, others are shown with a logit that is lower by up to BESIDE than the setting
# asks for, but by at most FAR_BEHIND lower than the best one. Both numbers are greater where the best memory has
# questions. With a logit of NEVER_HIDDEN or more a memory is shown beside any other.
BESIDE = CONSTANTS["beside"], CONSTANTS["beside_questions"]
FAR_BEHIND = CONSTANTS["far_behind"], CONSTANTS["far_behind_questions"]
NEVER_HIDDEN = CONSTANTS["never_hidden"]

(SIGMOID_STEP,) = read_numbers("gate", "sigmoid_step")
SIGMOID = read_numbers("gate", "sigmoid")
LOGARITHMS = read_numbers("gate", "logarithms")


def gate_threshold(setting: str) -> int | None:
    """Return the lowest logit, in units of 1/1024, of a shown memory; None for "off", which shows all memories.

    Raises UsageError for an unknown setting.
    """
    thresholds = {
        "precise": PRECISE,
        "balanced": BALANCED,
        "eager": EAGER,
        "off": None,
    }
    if setting not in thresholds:
        raise UsageError(f"unknown setting `{scrub(setting)}`", f"use `{'` or `'.join(thresholds)}`")
    return thresholds[setting]


def lowest_shown(least: int, best: int, *, has_questions: bool) -> int:
    """Return the lowest logit of a memory that is shown for a prompt, in units of 1/1024.

    `least` is the lowest logit of the setting, and `best` the highest logit of a memory for this prompt.
    `has_questions` says whether that memory has questions.
    """
    beside, far_behind = BESIDE[has_questions], FAR_BEHIND[has_questions]
    return max(least - beside, min(best - far_behind, NEVER_HIDDEN)) if best >= least else least


def probability(logit: int) -> int:
    """Return 1 / (1 + e^-x) for the logit x, both in units of 1/1024, by linear interpolation in a table."""
    table = SIGMOID
    step = SIGMOID_STEP
    place = min(abs(logit), step * (len(table) - 1) - 1)
    below, rest = place // step, place % step
    value = table[below] + (table[below + 1] - table[below]) * rest // step
    return value if logit >= 0 else UNIT - value


def logarithm(count: int) -> int:
    """Return ln(1 + count) in units of 1/1024. A count beyond the table gets the table's last value."""
    return LOGARITHMS[min(count, len(LOGARITHMS) - 1)]


class Judgment:
    """The gate's judgment of a candidate: the values of its features and their shares in the logit, by name, and the
    logit. All are in units of 1/1024.
    """

    def __init__(self, features: dict[str, int], more: int = 0) -> None:
        """`more` is added to the logit: the shares of a model vector and of a path in the prompt."""
        self.features = features
        self.shares = {feature.name: _share(feature, features[feature.name]) for feature in FEATURES}
        self.logit = BIAS + sum(self.shares.values()) + more

    @property
    def probability(self) -> int:
        """The probability, in units of 1/1024, that the memory should be shown."""
        return probability(self.logit)


def _share(feature: GateFeature, value: int) -> int:
    """What a feature with this value adds to the logit."""
    (first, second), (slope, from_first, from_second) = feature.knots, feature.slopes
    return (slope * value + from_first * max(0, value - first) + from_second * max(0, value - second)) // UNIT
