"""Draws the lineage of a memory as an SVG without styles, which a strict content policy allows."""

from html import escape

from ..basics.visible_text import visible
from ..store.records.lineage import Lineage, Node

WIDTH, HEIGHT, GAP, INDENT = 320, 44, 14, 36
MAX_CHARS = 40


def draw_lineage(lineage: Lineage) -> str:
    """The memories of a lineage, one below the other, each joined to the one that it is related to."""
    parts: list[str] = []
    size = [0, 0]
    _draw(lineage.root, (0, 0), parts, size)
    width, height = size[0] + WIDTH, size[1]
    label = escape(f"Lineage of {visible(lineage.root.name)}", quote=True)
    place = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    head = f'<svg class="lineage" role="img" aria-label="{label}" {place}>'
    return head + "".join(parts) + "</svg>"


def _draw(node: Node, place: tuple[int, int], parts: list[str], size: list[int]) -> None:
    depth, above = place
    x, y = depth * INDENT, size[1]
    if depth:
        middle = y + HEIGHT // 2
        parts.append(f'<path class="edge" d="M{x - INDENT + 14} {above} V{middle} H{x}"/>')
    kind = "node is-root" if not depth else "node" if node.memory and node.memory.status == "active" else "node is-over"
    title = node.memory.title if node.memory else f"{node.name} (missing)"
    parts.append(f'<rect class="{kind}" x="{x + 1}" y="{y + 1}" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="8"/>')
    parts.append(f'<text class="what" x="{x + 12}" y="{y + 18}">{escape(node.relation or "this memory")}</text>')
    parts.append(f'<text class="name" x="{x + 12}" y="{y + 34}">{escape(_cut(title))}</text>')
    size[0] = max(size[0], x)
    size[1] = y + HEIGHT + GAP
    for child in node.children:
        _draw(child, (depth + 1, y + HEIGHT), parts, size)


def _cut(text: str) -> str:
    text = visible(text)
    return text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1] + "\u2026"
