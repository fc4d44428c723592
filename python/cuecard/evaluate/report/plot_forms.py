"""The three forms of plot that the report uses: points in a unit square, intervals in rows, spreads in rows."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..bootstrap import Interval
from .svg import Drawing

WIDTH = 560.0
SQUARE_HEIGHT = 420.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 18.0, 14.0, 48.0
ROW, GAP = 15.0, 12.0
LABELS = 138.0


@dataclass(frozen=True)
class Series:
    """The look of one series of values in all plots."""

    name: str
    kind: str
    """The CSS class; the page's style sheet gives it a colour."""
    shape: str


@dataclass(frozen=True)
class Point:
    """A value with its interval, drawn in the look of a series."""

    series: Series
    value: float
    interval: Interval | None
    tip: str


@dataclass(frozen=True)
class Spread:
    """The distribution of some values: `mean`, `p10`, `p50`, `p90`, `p99`, `max`, as in `Variant.spread`."""

    name: str
    series: Series
    values: dict[str, float]
    tip: str


class UnitSquare:
    """A plot whose two axes go from 0 to 1."""

    def __init__(self, drawing: Drawing, x_name: str, y_name: str, height: float = SQUARE_HEIGHT) -> None:
        self._drawing = drawing
        self._right, self._floor = WIDTH - RIGHT, height - BOTTOM
        for step in range(6):
            share = step / 5
            drawing.line(self.x(share), TOP, self.x(share), self._floor, "grid")
            drawing.line(LEFT, self.y(share), self._right, self.y(share), "grid")
            drawing.text(self.x(share), self._floor + 17, f"{share:.1f}", "tick", "middle")
            drawing.text(LEFT - 8, self.y(share) + 4, f"{share:.1f}", "tick", "end")
        drawing.text((LEFT + self._right) / 2, self._floor + 38, x_name, "axis", "middle")
        drawing.upright(16, (TOP + self._floor) / 2, y_name)

    def x(self, share: float) -> float:
        """The horizontal position of a share, in user units."""
        return LEFT + share * (self._right - LEFT)

    def y(self, share: float) -> float:
        """The vertical position of a share, in user units."""
        return self._floor - share * (self._floor - TOP)

    def cross(self, x: Interval | None, y: Interval | None, at: tuple[float, float], kind: str) -> None:
        """Draw the intervals of the point `at` in both directions. An interval that is None is not drawn."""
        if x:
            self._drawing.line(self.x(x[0]), self.y(at[1]), self.x(x[1]), self.y(at[1]), f"whisker {kind}")
        if y:
            self._drawing.line(self.x(at[0]), self.y(y[0]), self.x(at[0]), self.y(y[1]), f"whisker {kind}")


def draw_intervals(
    rows: Sequence[tuple[str, Sequence[Point]]],
    x_name: str,
    title: str,
    description: str,
    name: str,
    *,
    is_signed: bool = False,
) -> str:
    """Draw labelled rows of points with intervals. Each point is on a separate line.

    The axis goes from 0 to 1; with `is_signed` it contains negative values too.
    """
    height = TOP + sum([len(points) * ROW + GAP for _label, points in rows]) + BOTTOM - 6
    drawing = Drawing(WIDTH, height, title, description, name)
    floor, right = height - BOTTOM, WIDTH - RIGHT - 42
    low, ticks = _signed_ticks(rows) if is_signed else (0.0, [step / 5 for step in range(6)])

    def x(value: float) -> float:
        return LABELS + (value - low) / (ticks[-1] - low) * (right - LABELS)

    for tick in ticks:
        drawing.line(x(tick), TOP - 4, x(tick), floor, "ideal" if is_signed and not tick else "grid")
        drawing.text(x(tick), floor + 17, f"{tick:+.2f}" if is_signed and tick else f"{tick:.1f}", "tick", "middle")
    drawing.text((LABELS + right) / 2, floor + 38, x_name, "axis", "middle")
    top = TOP
    for position, (label, points) in enumerate(rows):
        if position:
            drawing.line(8, top - GAP / 2, WIDTH - RIGHT, top - GAP / 2, "rule")
        drawing.text(LABELS - 14, top + len(points) * ROW / 2 + 4, _fit(label, 21), "label", "end")
        for place, point in enumerate(points):
            y = top + place * ROW + ROW / 2
            if point.interval:
                drawing.line(x(point.interval[0]), y, x(point.interval[1]), y, f"whisker {point.series.kind}")
            drawing.mark(x(point.value), y, point.series.shape, f"mark {point.series.kind}", point.tip)
            shown = f"{point.value:+.2f}" if is_signed else f"{point.value:.2f}"
            drawing.text(WIDTH - RIGHT, y + 4, shown, "tick", "end")
        top += len(points) * ROW + GAP
    return drawing.finish()


def _signed_ticks(rows: Sequence[tuple[str, Sequence[Point]]]) -> tuple[float, list[float]]:
    """The lowest value and the ticks of an axis that contains zero and all intervals."""
    ends = [end for _label, points in rows for point in points for end in (point.interval or (point.value,))]
    step = next(step for step in (0.05, 0.1, 0.2, 0.25, 0.5) if max(0.01, *map(abs, ends)) / step <= 4 or step == 0.5)
    first, last = math.floor(min(0.0, *ends) / step), math.ceil(max(step, *ends) / step)
    ticks = [number * step for number in range(first, last + 1)]
    return ticks[0], ticks


def draw_spreads(
    rows: Sequence[Spread], x_name: str, title: str, description: str, name: str, *, is_log: bool = False
) -> str:
    """Draw a box from p10 to p90 for each row, with a whisker to p99, a line at the median and a mark at the mean."""
    height = TOP + len(rows) * (ROW + GAP + 6) + BOTTOM
    drawing = Drawing(WIDTH, height, title, description, name)
    floor, right = height - BOTTOM, WIDTH - RIGHT - 40
    x, ticks = (_log_scale if is_log else _linear_scale)(rows, LABELS, right)
    for value, shown in ticks:
        drawing.line(x(value), TOP - 4, x(value), floor, "grid")
        drawing.text(x(value), floor + 17, shown, "tick", "middle")
    drawing.text((LABELS + right) / 2, floor + 38, x_name, "axis", "middle")
    for place, row in enumerate(rows):
        y = TOP + place * (ROW + GAP + 6) + ROW
        kind, values = row.series.kind, row.values
        drawing.text(LABELS - 14, y + 4, _fit(row.name, 21), "label", "end")
        drawing.line(x(values["p90"]), y, x(values["p99"]), y, f"whisker {kind}")
        width = max(2.0, x(values["p90"]) - x(values["p10"]))
        drawing.box(x(values["p10"]), y - 8, width, 16, f"box {kind}", row.tip)
        drawing.line(x(values["p50"]), y - 8, x(values["p50"]), y + 8, f"median {kind}")
        drawing.mark(x(values["mean"]), y, row.series.shape, f"mark {kind}", row.tip, 3.6)
        drawing.text(WIDTH - RIGHT, y + 4, _short(values["mean"]), "tick", "end")
    return drawing.finish()


Scale = Callable[[float], float]


def _linear_scale(rows: Sequence[Spread], left: float, right: float) -> tuple[Scale, list[tuple[float, str]]]:
    top = max([1e-9, *[row.values["p99"] for row in rows]])
    step = 10.0 ** math.floor(math.log10(top))
    while top / step < 4:
        step /= 2
    count = math.ceil(top / step)
    end = count * step

    def x(value: float) -> float:
        return left + value / end * (right - left)

    return x, [(number * step, _short(number * step)) for number in range(count + 1)]


def _log_scale(rows: Sequence[Spread], left: float, right: float) -> tuple[Scale, list[tuple[float, str]]]:
    least = min([max(1e-6, row.values["p10"]) for row in rows])
    low = math.floor(math.log10(least))
    high = max(low + 1, math.ceil(math.log10(max([least, *[row.values["p99"] for row in rows]]))))

    def x(value: float) -> float:
        place = (math.log10(max(value, 10.0**low)) - low) / (high - low)
        return left + place * (right - left)

    return x, [(10.0**power, f"{10.0**power:g}") for power in range(low, high + 1)]


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _fit(label: str, length: int) -> str:
    return label if len(label) <= length else f"{label[: length - 1]}…"
