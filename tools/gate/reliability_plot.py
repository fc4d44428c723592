"""Draws the reliability diagram of the gate: the share of memories that help, by the gate's probability for them."""

from collections.abc import Sequence

from cuecard.evaluate.calibration import Bin

LEFT, TOP, SIDE = 70, 50, 320
WIDTH, HEIGHT = LEFT + SIDE + 30, TOP + SIDE + 60
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#27272a}.title{font-size:14px;font-weight:600}.end{text-anchor:end}"
    ".middle{text-anchor:middle}.page{fill:#ffffff}.grid{stroke:#e4e4e7}.even{stroke:#71717a;stroke-dasharray:5 4}"
    ".whisker{stroke:#0b5fff;stroke-width:1.6}.line{fill:none;stroke:#0b5fff;stroke-width:1.6}.dot{fill:#0b5fff}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e4e7}.page{fill:#18181b}.grid{stroke:#3f3f46}.even{stroke:#a1a1aa}"
    ".whisker,.line{stroke:#6ea8ff}.dot{fill:#6ea8ff}}"
)


def draw(bins: Sequence[Bin]) -> str:
    """An SVG, for light and dark pages, of the bands with their intervals, and of the diagonal for a perfect gate."""
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" aria-label="Share of memories that help, by the probability that the gate gives them">',
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>',
        '<text class="title" x="18" y="24">Share of memories that help, with 95 % intervals</text>',
    ]
    for tenth in range(0, 11, 2):
        share = tenth / 10
        drawn += [
            f'<line class="grid" x1="{LEFT}" x2="{LEFT + SIDE}" y1="{_y(share)}" y2="{_y(share)}"/>',
            f'<text class="end" x="{LEFT - 8}" y="{_y(share) + 4}">{share:.1f}</text>',
            f'<text class="middle" x="{_x(share)}" y="{TOP + SIDE + 18}">{share:.1f}</text>',
        ]
    drawn += [
        f'<text class="middle" x="{LEFT + SIDE / 2}" y="{TOP + SIDE + 42}">probability of the gate</text>',
        f'<line class="even" x1="{_x(0)}" x2="{_x(1)}" y1="{_y(0)}" y2="{_y(1)}"/>',
        f'<polyline class="line" points="{" ".join(f"{_x(band.expected)},{_y(band.found)}" for band in bins)}"/>',
    ]
    for band in bins:
        x, (low, high) = _x(band.expected), band.interval
        told = f"{band.count:,} memories: {band.expected:.2f} expected, {band.found:.2f} found"
        drawn += [
            f'<line class="whisker" x1="{x}" x2="{x}" y1="{_y(low)}" y2="{_y(high)}"/>',
            f'<circle class="dot" cx="{x}" cy="{_y(band.found)}" r="4"><title>{told}</title></circle>',
        ]
    return "\n".join([*drawn, "</svg>", ""])


def _x(share: float) -> float:
    return round(LEFT + SIDE * share, 1)


def _y(share: float) -> float:
    return round(TOP + SIDE * (1 - share), 1)
