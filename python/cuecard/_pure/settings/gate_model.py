"""The gate's coefficients, thresholds and probability table (SPEC 28.2).

The file is written by `tools/gate/train.py`.
"""

from ...basics.chars import scrub
from ...basics.tables import read_numbers, read_rows
from ...errors import UsageError

# Features, logits and probabilities are in 1/1024.
UNIT = 1024
# The gate's features in the order of its model: first the features of a memory and a prompt, then of the prompt alone.
FEATURES = (
    "lexical_margin",
    "lexical_points",
    "lexical_share",
    "score",
    "score_share",
    "prompt_share",
    "information",
    "window_lead",
    "title_words",
    "prompt_share_of_title",
    "title_information",
    "prompt_share_of_question",
    "question",
    "has_questions",
    "tech_debt",
    "close_scores",
    "unknown_words",
    "prompt_words",
    "general_words",
    "history",
    "question_mark",
    "asks_why",
    "asks_yes_no",
    "edit",
    "tool_prefix",
)

# If the best memory of a prompt is shown, others are shown with a logit that is lower by up to BESIDE than the setting
# asks for, but by at most FAR_BEHIND lower than the best one, because a memory that is further behind seldom helps.
# With a logit of NEVER_HIDDEN or more a memory is shown beside any other: it helps in three of four cases. All are in
# 1/1024.
BESIDE = 256
FAR_BEHIND = 2560
NEVER_HIDDEN = 1024

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


def lowest_shown(least: int, best: int) -> int:
    """Return the lowest logit of a memory that is shown for a prompt, in units of 1/1024.

    `least` is the lowest logit of the setting, and `best` the highest logit of a memory for this prompt.
    """
    return max(least - BESIDE, min(best - FAR_BEHIND, NEVER_HIDDEN)) if best >= least else least


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
    """The gate's judgment of a candidate: its features, the share of each in the logit, and the logit.

    All of these are in units of 1/1024.
    """

    def __init__(self, features: list[int], more: int = 0) -> None:
        """`more` is added to the logit: the shares of a model vector and of a path in the prompt."""
        self.features = features
        self.shares = [
            (slope * value + from_first * max(0, value - first) + from_second * max(0, value - second)) // UNIT
            for value, (first, second), (slope, from_first, from_second) in zip(features, KNOTS, SLOPES, strict=True)
        ]
        self.logit = BIAS + sum(self.shares) + more

    @property
    def probability(self) -> int:
        """The probability, in units of 1/1024, that the memory should be shown."""
        return probability(self.logit)
