"""Draws a recording of a terminal (asciinema's cast format, version 2) as one SVG without a script.

The cast may use what `record_session.py` writes: text, line ends, a cleared screen, and the colours below. Each piece
of text becomes an element that is visible from the moment at which it is printed until the screen is cleared. Where
nothing moves, the texts of the first moment are seen; readers whose settings ask for reduced motion see the last
screen. A cast of a single event becomes a picture that does not move.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from html import escape

# In units of the drawing: width and height of a terminal cell, the margin, and the height of the title bar.
CELL, LINE, MARGIN, BAR = 8.4, 19, 18, 34
HOLD_SECONDS = 1.0
CODES = {"0": "", "1": "b", "2": "d", "31": "e", "32": "g", "33": "y", "36": "c"}
STYLE = """\
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#24292f}
.w{fill:#fbfbfa;stroke:#d0d7de}.n{fill:#6e7781}
.b{font-weight:700}.d{fill:#6e7781}.g{fill:#1a7f37}.c{fill:#0550ae}.e{fill:#cf222e}.y{fill:#9a6700}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.w{fill:#161b22;stroke:#30363d}.n{fill:#8b949e}
.d{fill:#8b949e}.g{fill:#56d364}.c{fill:#79c0ff}.e{fill:#ff7b72}.y{fill:#d29922}}
"""


@dataclass
class Piece:
    """A text that is visible in one row from `start` to `end`, in seconds."""

    start: float
    row: int
    column: int
    text: str
    style: str
    end: float = 0.0


def pieces_of(cast: str) -> tuple[list[Piece], float]:
    """The pieces of text in a cast, and how many seconds the recording takes."""
    lines = [json.loads(line) for line in cast.splitlines()]
    pieces: list[Piece] = []
    row = column = 0
    style: list[str] = []
    for time, _kind, data in lines[1:]:
        for part in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|\r\n|[^\x1b\r\n]+", data):
            if part == "\r\n":
                row, column = row + 1, 0
            elif part.endswith("m") and part.startswith("\x1b"):
                codes = [CODES[code] for code in part[2:-1].split(";")]
                style = [] if "" in codes else style + codes
            elif part == "\x1b[2J":
                _end(pieces, time)
                row = column = 0
            elif not part.startswith("\x1b"):
                if part.strip():
                    pieces.append(Piece(time, row, column, part, " ".join(style)))
                column += width_of(part)
    total = lines[-1][0] + HOLD_SECONDS
    _end(pieces, total)
    return pieces, total


def width_of(text: str) -> int:
    """The number of columns that a text takes on a terminal; East Asian letters take two each."""
    return sum([2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text])


def _end(pieces: list[Piece], time: float) -> None:
    for piece in pieces:
        piece.end = piece.end or time


def draw(cast: str) -> str:
    """The SVG of a cast."""
    header = json.loads(cast.partition("\n")[0])
    pieces, total = pieces_of(cast)
    width = round(header["width"] * CELL + 2 * MARGIN)
    height = BAR + header["height"] * LINE + MARGIN
    spans = sorted({(piece.start, piece.end) for piece in pieces})
    names = {span: f"a{number}" for number, span in enumerate(spans)}
    title = escape(header["title"])
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">',
            f"<title>{title}</title>",
            f"<style>{STYLE}{_motion(spans, names, total) if len(spans) > 1 else ''}</style>",
            f'<rect class="w" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9"/>',
            '<circle cx="20" cy="18" r="5.5" fill="#ff5f57"/><circle cx="38" cy="18" r="5.5" fill="#febc2e"/>'
            '<circle cx="56" cy="18" r="5.5" fill="#28c840"/>',
            f'<text class="n" x="{width / 2:g}" y="23" text-anchor="middle">{title}</text>',
            *[_element(piece, f"r {names[piece.start, piece.end]} " if len(spans) > 1 else "") for piece in pieces],
            "</svg>\n",
        ]
    )


def _motion(spans: list[tuple[float, float]], names: dict[tuple[float, float], str], total: float) -> str:
    """The CSS rules that show each piece of text from its start to its end."""
    still = ",".join([f".{names[span]}" for span in spans if span[1] == total])
    first = ",".join([f".{names[span]}" for span in spans if span[0] == 0])
    return "\n".join(
        [
            f".r{{opacity:0}}{first}{{opacity:1}}",
            "@media(prefers-reduced-motion:no-preference){",
            f".r{{animation:{total:g}s step-end infinite}}",
            *[_visible(names[span], span, total) for span in spans],
            "}",
            f"@media(prefers-reduced-motion:reduce){{.r{{opacity:0}}{still}{{opacity:1}}}}\n",
        ]
    )


def _visible(name: str, span: tuple[float, float], total: float) -> str:
    start, end = (f"{100 * time / total:.2f}".rstrip("0").rstrip(".") for time in span)
    until = "" if span[1] >= total else f"{end}%{{opacity:0}}"
    return f".{name}{{animation-name:{name}}}@keyframes {name}{{0%{{opacity:0}}{start}%{{opacity:1}}{until}}}"


def _element(piece: Piece, motion: str) -> str:
    lead = len(piece.text) - len(piece.text.lstrip())
    text = piece.text.strip()
    x = MARGIN + (piece.column + lead) * CELL
    y = BAR + (piece.row + 1) * LINE
    # A reader's font may have other widths; `textLength` keeps every piece in its columns.
    classes = f"{motion}{piece.style}".rstrip()
    place = f'x="{x:g}" y="{y}" textLength="{width_of(text) * CELL:g}"'
    named = f'class="{classes}" ' if classes else ""
    return f"<text {named}{place}>{escape(text, quote=False)}</text>"
