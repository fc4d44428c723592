"""Draws the rooms (top folders) of the code as an SVG: `python tools/draw_rooms.py` writes `docs/concepts/rooms.svg`.

The Python rooms are in the order of the contract in `pyproject.toml`, which import-linter checks. The Rust rooms are in
the order of the tables in the two `lib.rs` files.
"""

from __future__ import annotations

import ast
import re
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DRAWING = ROOT / "docs" / "concepts" / "rooms.svg"

WIDTH, MARGIN, GAP, HEIGHT = 900, 20, 6, 26
COLUMNS = {"python": (MARGIN, 420), "rust": (480, 400)}
FILLS = {"python": "#e8f0fb", "seam": "#fdf0cf", "reference": "#e6f4e6", "rust": "#fbe9e2"}


def python_layers() -> list[list[str]]:
    """The rooms of the package, from top to bottom; rooms in the same row do not import each other."""
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    found = re.search(r'^type = "layers"$.*?^layers = (\[.*?^\])', settings, re.DOTALL | re.MULTILINE)
    if found is None:
        sys.exit("error: `pyproject.toml` has no contract of layers")
    return [row.split(" | ") for row in ast.literal_eval(found[1])]


def rust_rooms(crate: str) -> list[str]:
    """The rooms of a crate, from top to bottom."""
    source = (ROOT / "rust" / crate / "src" / "lib.rs").read_text("utf-8")
    return re.findall(r"^//! \| \[?`(\w+)`\]? \|", source, re.MULTILINE)[::-1]


def draw() -> str:
    """The SVG of all rooms."""
    parts: list[str] = []
    left, width = COLUMNS["python"]
    y = _heading(parts, left, 20, "Python: python/cuecard")
    seam = y
    for row in python_layers():
        kind = {"_backend": "seam", "_pure": "reference"}.get(row[0], "python")
        if kind == "seam":
            seam = y + HEIGHT / 2
        share = (width - GAP * (len(row) - 1)) / len(row)
        for place, room in enumerate(row):
            _box(parts, left + place * (share + GAP), y, share, room, kind)
        y += HEIGHT + GAP
    bottom = y
    left, width = COLUMNS["rust"]
    y = _heading(parts, left, 20, "Rust: two doors, rust/python and rust/hook")
    share = (width - GAP) / 2
    doors = y
    _box(parts, left, y, share, "python", "rust")
    _box(parts, left + share + GAP, y, share, "hook", "rust")
    for crate in ("engine", "core"):
        y = _heading(parts, left, y + HEIGHT + 24, f"rust/{crate}")
        for room in rust_rooms(crate):
            _box(parts, left, y, width, room, "rust")
            y += HEIGHT + GAP
        y -= HEIGHT + GAP
    bottom = max(bottom, y + HEIGHT + GAP)
    begin = sum(COLUMNS["python"])
    parts.append(
        f'<path d="M{begin} {seam:g} H{left - 20} V{doors + HEIGHT / 2:g} H{left}" fill="none" stroke="#555" '
        'stroke-width="1.5" marker-end="url(#arrow)"/>'
    )
    legend = "Each room imports only rooms below it. _backend is the one seam: it loads the Rust engine or _pure."
    parts.append(f'<text x="{MARGIN}" y="{bottom + 20:g}">{escape(legend)}</text>')
    height = bottom + 34
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" '
        'font-family="sans-serif" font-size="13" role="img" aria-label="The rooms of the code and their order">\n'
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#555"/></marker></defs>\n'
        f'<rect width="{WIDTH}" height="{height:g}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _heading(parts: list[str], x: float, y: float, words: str) -> float:
    parts.append(f'<text x="{x:g}" y="{y:g}" font-weight="bold">{escape(words)}</text>')
    return y + 10


def _box(parts: list[str], x: float, y: float, width: float, words: str, kind: str) -> None:
    place = f'x="{x:g}" y="{y:g}" width="{width:.4g}" height="{HEIGHT}"'
    parts.append(
        f'<rect {place} rx="4" fill="{FILLS[kind]}" stroke="#8a8a8a"/>'
        f'<text x="{x + width / 2:.4g}" y="{y + 17:g}" text-anchor="middle">{escape(words)}</text>'
    )


if __name__ == "__main__":
    DRAWING.write_text(draw(), encoding="utf-8", newline="\n")
    print(f"{DRAWING.relative_to(ROOT).as_posix()} is written")
