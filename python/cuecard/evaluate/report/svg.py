"""Drawings as SVG text. The page's style sheet gives colours and fonts, so a drawing fits light and dark mode.

`altair` takes 22 MB and 33 times the start-up time of an empty Python, and its page needs a script. `pygal` takes 2 MB
and 5.8 times that time. This file and `plot_forms` have 270 lines.
"""

from html import escape

SHAPES = ("circle", "square", "diamond", "triangle", "down", "cross")


class Drawing:
    """A drawing of a fixed size in user units, which the page scales. Later elements cover earlier elements."""

    def __init__(self, width: float, height: float, title: str, description: str, name: str) -> None:
        """`title` and `description` are for screen readers; `name` must be unique on the page."""
        self.width, self.height = width, height
        self._parts = [
            f'<svg viewBox="0 0 {_number(width)} {_number(height)}" role="img" '
            f'aria-labelledby="{name}-title {name}-desc" xmlns="http://www.w3.org/2000/svg">',
            f'<title id="{name}-title">{escape(title)}</title>',
            f'<desc id="{name}-desc">{escape(description)}</desc>',
        ]

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """Draw a straight line. In all methods `kind` is the CSS class."""
        ends = f'x1="{_number(x1)}" y1="{_number(y1)}" x2="{_number(x2)}" y2="{_number(y2)}"'
        self._parts.append(f'<line {ends} class="{kind}"/>')

    def path(self, points: list[tuple[float, float]], kind: str) -> None:
        """Draw a line through the points."""
        listed = " ".join([f"{_number(x)},{_number(y)}" for x, y in points])
        self._parts.append(f'<polyline points="{listed}" class="{kind}"/>')

    def box(self, x: float, y: float, width: float, height: float, kind: str, tip: str = "") -> None:
        """Draw a rectangle; `tip` is its tooltip."""
        sides = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
        self._parts.append(f'<rect {sides} rx="2" class="{kind}">{_tip(tip)}</rect>')

    def text(self, x: float, y: float, words: str, kind: str = "label", anchor: str = "start") -> None:
        """Draw a text that begins, ends or is centred at a point on its base line (`start`, `end`, `middle`)."""
        place = f'x="{_number(x)}" y="{_number(y)}" text-anchor="{anchor}"'
        self._parts.append(f'<text {place} class="{kind}">{escape(words)}</text>')

    def upright(self, x: float, y: float, words: str, kind: str = "axis") -> None:
        """Draw a text rotated to read upwards, centred at a point."""
        place = f'transform="translate({_number(x)} {_number(y)}) rotate(-90)" text-anchor="middle"'
        self._parts.append(f'<text {place} class="{kind}">{escape(words)}</text>')

    def mark(self, x: float, y: float, shape: str, kind: str, tip: str = "", size: float = 4.5) -> None:
        """Draw one of `SHAPES` with its centre at a point; `tip` is its tooltip."""
        self._parts.append(_mark(x, y, shape, kind, tip, size))

    def finish(self) -> str:
        """The SVG text of the drawing."""
        return "".join([*self._parts, "</svg>"])


def draw_mark(shape: str, kind: str) -> str:
    """The SVG text of one shape in the size of a letter. Screen readers skip it."""
    return f'<svg viewBox="0 0 16 16" aria-hidden="true">{_mark(8, 8, shape, kind, "", 5)}</svg>'


def _mark(x: float, y: float, shape: str, kind: str, tip: str, size: float) -> str:
    if shape == "circle":
        place = f'cx="{_number(x)}" cy="{_number(y)}" r="{_number(size)}"'
        return f'<circle {place} class="{kind}">{_tip(tip)}</circle>'
    corners = " ".join([f"{_number(x + dx * size)},{_number(y + dy * size)}" for dx, dy in _CORNERS[shape]])
    return f'<polygon points="{corners}" class="{kind}">{_tip(tip)}</polygon>'


_CORNERS: dict[str, tuple[tuple[float, float], ...]] = {
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "diamond": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "triangle": ((0, -1.2), (1.15, 0.9), (-1.15, 0.9)),
    "down": ((0, 1.2), (1.15, -0.9), (-1.15, -0.9)),
    "cross": (
        *((-0.35, -1.15), (0.35, -1.15), (0.35, -0.35), (1.15, -0.35), (1.15, 0.35), (0.35, 0.35)),
        *((0.35, 1.15), (-0.35, 1.15), (-0.35, 0.35), (-1.15, 0.35), (-1.15, -0.35), (-0.35, -0.35)),
    ),
}


def _tip(words: str) -> str:
    return f"<title>{escape(words)}</title>" if words else ""


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"
