"""Shows how often what was shown is used, with intervals, and says where there is not enough data."""

from ....observe.use_statistics import ENOUGH, Share, UseStatistics
from ... import terminal
from ..plain_words import percent

LABEL = 22


def show(found: UseStatistics) -> None:
    """Print a line for each question."""
    terminal.print_lines(lines_of(found))


def lines_of(found: UseStatistics) -> list[str]:
    """The lines for people and for pipes."""
    rows = [("used", _words(found.used)), ("wrong of your verdicts", _words(found.wrong))]
    rows += [(f"  {sign}", f"{count} times") for sign, count in found.signs.items()]
    near = found.near
    if near is None:
        rows.append(("near the limit", "nothing is withheld to compare; see `learning.holdout`"))
    else:
        rows.append(("near the limit, shown", _words(near.shown)))
        rows.append(("  withheld", f"{_words(near.withheld)}, by a chance of {near.percent} %"))
        rows.append(("  difference", _difference(near.low, near.high)))
    return [f"{label:<{LABEL}} {words}" for label, words in rows]


def _words(share: Share) -> str:
    counts = f"{share.count} of {share.of}"
    if not share.is_enough:
        return f"{counts}: not enough data, {ENOUGH} are needed"
    return f"{counts}, {percent(share.low)} to {percent(share.high)}"


def _difference(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "not enough data"
    words = f"{low:+.0%} to {high:+.0%}"
    return words if low > 0 or high < 0 else f"{words}: no difference is seen"
