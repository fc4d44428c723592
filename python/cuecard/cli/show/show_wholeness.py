"""Shows how many blocks say all parts of a decision, and what the others lack."""

from ...cli import terminal
from ..terminal import visible
from .show_scores import print_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...evaluate.wholeness import Wholeness

# How many missing parts of a decision a line names.
NAMED = 3


def show(found: "Wholeness") -> None:
    """Print the counts for each cut and kind of prompt, then a line for each bug report without a whole block."""
    from ...evaluate.wholeness import STATES, WHOLE

    rows = [
        [f"{cut}, {kind}", str(tally.asked), *[str(tally.states[state]) for state in STATES], f"{tally.tokens:.0f}"]
        for (cut, kind), tally in found.tallies.items()
    ]
    print_table(["memories, asked by", "asked", *STATES, "tokens"], rows)
    lines = []
    for block in found.blocks:
        if block.kind != "bug" or block.state == WHOLE:
            continue
        parts = [f"says `{text}`" for text in block.stale[:1]]
        if block.missing:
            more = len(block.missing) - NAMED
            named = ", ".join([f"`{text}`" for text in block.missing[:NAMED]])
            parts.append(f"lacks {named}" + (f" and {more} more" if more > 0 else ""))
        lines.append(visible(f"{block.cut}  {block.project}/{block.decision}  {block.state}: {'; '.join(parts)}"))
    terminal.print_lines(lines)
