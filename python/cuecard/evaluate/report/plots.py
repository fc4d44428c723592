"""The plots of a report. Each function returns an SVG drawing, or "" if there is nothing to draw."""

from collections.abc import Sequence

from ..calibration import CurvePoint, Reliability
from ..engine import OFF
from ..judged_prompts import JudgedPrompt
from ..scoring import Summary, compare
from .plot_forms import BOTTOM, SQUARE_HEIGHT, WIDTH, Point, Series, Spread, UnitSquare, draw_intervals, draw_spreads
from .report_data import Report, Variant
from .svg import Drawing

_BY_SETTING = {
    OFF: Series("no gate", "s-off", "circle"),
    "eager": Series("eager", "s-eager", "triangle"),
    "balanced": Series("balanced", "s-balanced", "square"),
    "precise": Series("precise", "s-precise", "diamond"),
}
_BASELINE = Series("baseline", "s-base", "cross")
MAX_KINDS = 30
# The width of the name of a strategy, in user units.
NAME_WIDTH = 52.0


def series_of(variant: Variant, report: Report) -> Series:
    """The look of a variant. Each setting of the main strategy has its own look; all baselines have the same look."""
    if variant.strategy != report.variants[0].strategy:
        return _BASELINE
    return _BY_SETTING.get(variant.setting, _BASELINE)


def tradeoff_plot(report: Report, curve: list[CurvePoint]) -> str:
    """Plot recall and precision of each setting and baseline, and `curve`, the results of all thresholds."""
    drawing = Drawing(
        WIDTH,
        SQUARE_HEIGHT,
        "Precision by recall",
        "Each setting and baseline as a point with its 95% intervals: "
        + "; ".join([_pair_words(variant) for variant in report.variants]),
        "tradeoff",
    )
    square = UnitSquare(drawing, "recall@5: wanted memories found", "precision: injected memories that help")
    drawing.path([(square.x(point.recall), square.y(point.precision)) for point in curve], "curve")
    names: dict[tuple[float, float], list[str]] = {}
    for variant in sorted(report.variants, key=lambda variant: variant in report.main):
        recall, precision = [variant.score.all.measures[name] for name in ("R@5", "prec")]
        if recall is None or precision is None:
            continue
        series = series_of(variant, report)
        intervals = variant.score.all.intervals
        if series is not _BASELINE:
            square.cross(intervals["R@5"], intervals["prec"], (recall, precision), series.kind)
        tip = _pair_words(variant)
        drawing.mark(square.x(recall), square.y(precision), series.shape, f"mark {series.kind}", tip, 5.5)
        if series is not _BASELINE:
            names.setdefault((square.x(recall), square.y(precision)), []).append(series.name)
    for (x, y), listed in names.items():
        is_right = x > WIDTH - NAME_WIDTH
        drawing.text(x - 9 if is_right else x + 9, y - 8, ", ".join(listed), "name", "end" if is_right else "start")
    _name_baselines(report, drawing, square)
    return drawing.finish()


def _name_baselines(report: Report, drawing: Drawing, square: UnitSquare) -> None:
    """Write the strategies of the baselines below their marks, on several lines if they would overlap."""
    places = [
        (square.x(recall), square.y(precision), variant.strategy)
        for variant in report.ungated[1:]
        if (recall := variant.score.all.measures["R@5"]) is not None
        and (precision := variant.score.all.measures["prec"]) is not None
    ]
    before, line = -NAME_WIDTH, 0.0
    for x, y, name in sorted(places):
        line = max(y + 19, line + 14) if x - before < NAME_WIDTH else y + 19
        drawing.text(x, line, name, "tick", "middle")
        before = x


def reliability_plot(found: Reliability | None) -> str:
    """Plot the share of wanted or acceptable memories by the gate's probability, and the number of memories per bin."""
    if found is None:
        return ""
    words = "; ".join(
        [f"probability {part.expected:.2f}, right {part.found:.2f} of {part.count}" for part in found.bins]
    )
    height = SQUARE_HEIGHT + 90
    drawing = Drawing(WIDTH, height, "Reliability of the gate's probabilities", words, "reliability")
    square = UnitSquare(drawing, "", "share that is wanted or acceptable", SQUARE_HEIGHT)
    drawing.line(square.x(0), square.y(0), square.x(1), square.y(1), "ideal")
    floor, most = height - BOTTOM, max([part.count for part in found.bins])
    for part in found.bins:
        tip = (
            f"{part.low:.1f} to {part.high:.1f}: probability {part.expected:.2f}, right {part.found:.2f} "
            f"({part.count} memories)"
        )
        tall = max(1.0, 46 * part.count / most)
        left = square.x(part.low) + 2
        drawing.box(left, floor - tall, square.x(part.high) - left - 2, tall, "box s-balanced", tip)
        drawing.text(
            (square.x(part.low) + square.x(part.high)) / 2, floor - tall - 4, str(part.count), "tick", "middle"
        )
        square.cross(None, part.interval, (part.expected, part.found), "s-balanced")
    drawing.path([(square.x(part.expected), square.y(part.found)) for part in found.bins], "curve")
    for part in found.bins:
        tip = f"probability {part.expected:.2f}, right {part.found:.2f} ({part.count} memories)"
        drawing.mark(square.x(part.expected), square.y(part.found), "square", "mark s-balanced", tip)
    drawing.line(square.x(0), floor, square.x(1), floor, "rule")
    drawing.text((square.x(0) + square.x(1)) / 2, floor + 28, "probability that the gate gives", "axis", "middle")
    drawing.upright(16, floor - 30, "memories")
    return drawing.finish()


def strategies_plot(report: Report) -> str:
    """Plot recall@5 and nDCG@5 of each strategy without a gate."""
    rows = []
    for variant in report.ungated:
        series = series_of(variant, report)
        points = [
            point
            for name, shape in (("R@5", "circle"), ("nDCG@5", "diamond"))
            if (point := _point(variant.score.all, name, Series(name, series.kind, shape), variant.name))
        ]
        if points:
            rows.append((variant.strategy, points))
    words = _words(rows)
    return draw_intervals(rows, "recall@5 (●) and nDCG@5 (◆)", "Strategies without a gate", words, "strategies")


def differences_plot(report: Report) -> str:
    """Plot the differences of the main strategy to each baseline, paired by prompt, all without a gate."""
    first, *others = report.ungated
    rows = []
    for variant in others:
        gaps = compare(first.run, variant.run, report.prompts, resamples=report.resamples)
        points = []
        for name, shape in (("R@5", "circle"), ("nDCG@5", "diamond")):
            if gap := gaps.get(name):
                limits = f"{gap.interval[0]:+.3f} to {gap.interval[1]:+.3f}"
                tip = f"{first.strategy} over {variant.strategy}: {name} {gap.value:+.3f} ({limits}, p {gap.p:.3f})"
                points.append(Point(Series(name, "s-off", shape), gap.value, gap.interval, tip))
        if points:
            rows.append((f"over {variant.strategy}", points))
    if not rows:
        return ""
    x_name = "difference of recall@5 (●) and nDCG@5 (◆)"
    return draw_intervals(rows, x_name, f"{first.strategy} over the baselines", _words(rows), "gaps", is_signed=True)


def kinds_plot(report: Report, measure: str, x_name: str, title: str, name: str) -> str:
    """Plot a measure for each kind of prompt and each setting."""
    rows = []
    for kind in kinds_with(report, measure)[:MAX_KINDS]:
        points = [
            point
            for variant in report.main
            if (
                point := _point(
                    variant.score.groups[kind], measure, series_of(variant, report), f"{kind}, {variant.name}"
                )
            )
        ]
        count = report.main[0].score.groups[kind].prompts
        if points:
            rows.append((f"{kind} ({count})", points))
    return draw_intervals(rows, x_name, title, _words(rows), name) if rows else ""


def kinds_with(report: Report, measure: str) -> list[str]:
    """The kinds of prompts to which a measure applies."""
    groups = report.variants[0].score.groups
    kinds = sorted({prompt.kind for prompt in report.prompts})
    return [kind for kind in kinds if groups[kind].measures[measure] is not None]


def tokens_plot(report: Report) -> str:
    """Plot the tokens of the block that a prompt gets, by setting."""
    rows = _spreads(report, "tokens", report.main)
    return draw_spreads(rows, "tokens a prompt (estimate)", "Tokens a prompt", _spread_words(rows), "tokens")


def latency_plot(report: Report) -> str:
    """Plot the milliseconds of a recall in a process that has read the memories."""
    rows = _spreads(report, "ms", report.variants)
    if not rows:
        return ""
    return draw_spreads(
        rows, "milliseconds a prompt, logarithmic", "Latency", _spread_words(rows), "latency", is_log=True
    )


def legend(report: Report) -> list[Series]:
    """The series of the settings, in the order of the plots."""
    return [series_of(variant, report) for variant in report.main]


def injected_by_mistake(report: Report, limit: int) -> list[tuple[JudgedPrompt, tuple[str, ...], float]]:
    """Up to `limit` unanswerable prompts for which the default setting injects memories.

    Each item is the prompt, the memories and their highest probability; the item with the highest probability is first.
    """
    answers = {line.key: line for line in report.shipped.run}
    found = []
    for prompt in report.prompts:
        line = answers[prompt.key]
        if prompt.is_unanswerable and line.results:
            chance = max([chance or 0.0 for chance in line.probabilities], default=0.0)
            found.append((prompt, line.results, chance))
    return sorted(found, key=lambda item: -item[2])[:limit]


def missed(report: Report, limit: int) -> list[tuple[JudgedPrompt, tuple[str, ...]]]:
    """Up to `limit` answerable prompts for which the default setting injects no wanted memory.

    Each prompt comes with the memories that are injected instead.
    """
    answers = {line.key: line for line in report.shipped.run}
    found = []
    for prompt in report.prompts:
        results = answers[prompt.key].results
        if prompt.wanted and not prompt.is_unanswerable and not prompt.wanted.intersection(results):
            found.append((prompt, results))
    return found[:limit]


def _point(summary: Summary, measure: str, series: Series, words: str) -> Point | None:
    value = summary.measures[measure]
    if value is None:
        return None
    limits = summary.intervals[measure]
    tip = f"{words}: {measure} {value:.3f}" + (f" ({limits[0]:.3f} to {limits[1]:.3f})" if limits else "")
    return Point(series, value, limits, tip)


def _spreads(report: Report, field: str, variants: list[Variant]) -> list[Spread]:
    rows = []
    for variant in variants:
        values = variant.spread(field)
        if values:
            tip = f"{variant.name}: " + ", ".join([f"{name} {value:.3g}" for name, value in values.items()])
            is_main = variant in report.main
            name = series_of(variant, report).name if is_main else variant.strategy
            label = f"{variant.strategy}, no gate" if is_main and variant.setting == OFF else name
            rows.append(Spread(label, series_of(variant, report), values, tip))
    return rows


def _words(rows: Sequence[tuple[str, list[Point]]]) -> str:
    return "; ".join([point.tip for _label, points in rows for point in points])


def _spread_words(rows: list[Spread]) -> str:
    return "; ".join([row.tip for row in rows])


def _pair_words(variant: Variant) -> str:
    recall, precision = [variant.score.all.measures[name] for name in ("R@5", "prec")]
    shown = ["none" if value is None else f"{value:.3f}" for value in (recall, precision)]
    return f"{variant.name}: recall {shown[0]}, precision {shown[1]}"
