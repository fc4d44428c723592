"""The picture of the peers benchmark: latency by size, with one panel for each query set.

    python benches/peer_plot.py RESULTS.json PICTURE.svg

Both axes are logarithmic. A line shows the median query; the thin stroke above a point reaches to the 99th percentile.
"""

import json
import math
import sys
from html import escape
from pathlib import Path

from peer_tables import OURS, Engines, middle, write_figure

PANELS = (("short", "4 terms"), ("prompt", "a prompt's words"), ("long", "25 terms"))
# The colours for light and for dark pages. Colour-blind readers can tell them apart too.
COLOURS = {
    "cuecard": ("#0b5fff", "#6ea8ff"),
    "tantivy": ("#c2410c", "#fb923c"),
    "bm25s-numba": ("#0f766e", "#2dd4bf"),
    "bm25s": ("#65a30d", "#a3e635"),
    "bm25-turbo": ("#7e22ce", "#c084fc"),
    "sqlite-fts5": ("#52525b", "#a1a1aa"),
    "rank-bm25": ("#be185d", "#f472b6"),
}
PANEL_WIDTH, PANEL_HEIGHT, LEFT, TOP, GAP, LABELS = 240, 330, 62, 62, 146, 106
WIDTH = LEFT + len(PANELS) * PANEL_WIDTH + (len(PANELS) - 1) * GAP + LABELS
HEIGHT = TOP + PANEL_HEIGHT + 58
LABEL_STEP = 13
Point = tuple[int, float, float]


def read_lines(results: dict[str, Engines], queries: str) -> dict[str, list[Point]]:
    """For every measured engine, a list of size, p50 and p99 in microseconds."""
    lines: dict[str, list[Point]] = {}
    for size, engines in results.items():
        for name in COLOURS:
            p50, p99 = (middle(engines, name, f"warm {queries}", share) for share in ("p50", "p99"))
            if p50 is not None and p99 is not None:
                lines.setdefault(name, []).append((int(size), p50, p99))
    return lines


def make_scale(least: float, most: float, begin: float, length: float) -> "tuple[float, float]":
    """The slope and offset that turn a decimal logarithm into a coordinate."""
    low, high = math.log10(least), math.log10(most)
    slope = length / (high - low) if high != low else 0.0
    return slope, begin - slope * low


def spread_labels(wanted: dict[str, float]) -> dict[str, float]:
    """Heights for labels: as near as possible to the wanted heights, but so that no two labels overlap."""
    placed: dict[str, float] = {}
    last = -math.inf
    for name in sorted(wanted, key=lambda name: wanted[name]):
        last = max(wanted[name], last + LABEL_STEP)
        placed[name] = last
    return placed


def write_unit(microseconds: float) -> str:
    """The label of a tick on the time axis."""
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:g} s"
    return f"{microseconds / 1e3:g} ms" if microseconds >= 1e3 else f"{microseconds:g} µs"


def write_size(size: int) -> str:
    """The label of a tick on the size axis."""
    return f"{size // 1000}k" if size >= 1000 else str(size)


def draw_panel(lines: dict[str, list[Point]], left: float, title: str, bounds: "tuple[float, float]") -> list[str]:
    """The panel of one query set: a grid, and lines with labels at their ends."""
    sizes = sorted({size for points in lines.values() for size, _, _ in points})
    across, from_left = make_scale(sizes[0], sizes[-1], left, PANEL_WIDTH)
    down, from_top = make_scale(bounds[1], bounds[0], TOP, PANEL_HEIGHT)

    def x(size: float) -> float:
        return across * math.log10(size) + from_left

    def y(microseconds: float) -> float:
        return down * math.log10(microseconds) + from_top

    bottom, right = TOP + PANEL_HEIGHT, left + PANEL_WIDTH
    drawn = [f'<text class="title" x="{left}" y="{TOP - 14}">{escape(title)}</text>']
    for power in range(round(math.log10(bounds[0])), round(math.log10(bounds[1])) + 1):
        height = y(10**power)
        drawn.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{height:.1f}" y2="{height:.1f}"/>')
        drawn.append(f'<text class="end" x="{left - 8}" y="{height + 4:.1f}">{write_unit(10.0**power)}</text>')
    drawn += [f'<text class="middle" x="{x(size):.1f}" y="{bottom + 18}">{write_size(size)}</text>' for size in sizes]
    drawn.append(f'<text class="middle" x="{left + PANEL_WIDTH / 2}" y="{bottom + 38}">documents</text>')
    ends = {name: y(points[-1][1]) for name, points in lines.items()}
    heights = spread_labels({name: end for name, end in ends.items() if lines[name][-1][0] == sizes[-1]})
    for name in sorted(lines, key=lambda name: name == OURS):
        points, kind = lines[name], f"c{list(COLOURS).index(name)}"
        weight = " ours" if name == OURS else ""
        path = " ".join(f"{x(size):.1f},{y(p50):.1f}" for size, p50, _ in points)
        drawn.append(f'<polyline class="line {kind}{weight}" points="{path}"/>')
        for size, p50, p99 in points:
            place = f"{x(size):.1f}"
            told = f"{name}, {size:,} documents: p50 {write_figure(p50)} µs, p99 {write_figure(p99)} µs"
            drawn.append(f'<line class="tail {kind}" x1="{place}" x2="{place}" y1="{y(p50):.1f}" y2="{y(p99):.1f}"/>')
            dot = f'<circle class="dot {kind}" cx="{place}" cy="{y(p50):.1f}" r="{4 if weight else 2.8}">'
            drawn.append(f"{dot}<title>{escape(told)}</title></circle>")
        # The name of an engine that stops at a smaller size is before its last point, so that it does not cover other
        # lines.
        early = points[-1][0] < sizes[-1]
        begin = x(points[-1][0]) + (-10 if early else 8)
        height = ends[name] - 4 if early else heights[name] + 4
        anchor = ' text-anchor="end"' if early else ""
        drawn.append(
            f'<text class="name {kind}{weight}" x="{begin:.1f}" y="{height:.1f}"{anchor}>{escape(name)}</text>'
        )
    return drawn


def paint(page: str, ink: str, grid: str, shade: int) -> str:
    """The CSS rules for colours. They use no CSS variables, because some viewers do not support them."""
    rules = [f".page{{fill:{page}}}text{{fill:{ink}}}.grid{{stroke:{grid}}}"]
    for number, shades in enumerate(COLOURS.values()):
        kind, colour = f".c{number}", shades[shade]
        rules.append(f".line{kind},.tail{kind}{{stroke:{colour}}}.dot{kind},.name{kind}{{fill:{colour}}}")
    return "".join(rules)


def draw(results: dict[str, Engines]) -> str:
    """The SVG of all panels, for light and dark pages."""
    panels = [(title, read_lines(results, queries)) for queries, title in PANELS]
    times = [time for _, lines in panels for points in lines.values() for _, p50, p99 in points for time in (p50, p99)]
    bounds = 10.0 ** math.floor(math.log10(min(times))), 10.0 ** math.ceil(math.log10(max(times)))
    style = (
        "text{font:12px system-ui,sans-serif}.title{font-size:14px;font-weight:600}.end{text-anchor:end}"
        ".middle{text-anchor:middle}.line{fill:none;stroke-width:1.6}.tail{stroke-width:1;opacity:.55}"
        ".line.ours{stroke-width:3.2}.name.ours{font-weight:700}"
        f"{paint('#ffffff', '#27272a', '#e4e4e7', 0)}"
        f"@media(prefers-color-scheme:dark){{{paint('#18181b', '#e4e4e7', '#3f3f46', 1)}}}"
    )
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" aria-label="Latency of a query by number of documents, engine by engine">',
        f"<style>{style}</style>",
        f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="title" x="{LEFT - 44}" y="24">Time of a warm query, top 10: median, and stroke to p99</text>',
    ]
    for place, (title, lines) in enumerate(panels):
        drawn += draw_panel(lines, LEFT + place * (PANEL_WIDTH + GAP), title, bounds)
    return "\n".join([*drawn, "</svg>", ""])


def main() -> None:
    """Read the results and write the picture."""
    source, target = map(Path, sys.argv[1:])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(draw(json.loads(source.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
