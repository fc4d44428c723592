"""Shows the measures of a run as a table for people, as lines for pipes, or as a document for programs."""

import shutil

from ...cli import terminal
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...evaluate.scoring import Difference, Score

# The measures that fit into a terminal of 80 columns, and the width that all measures need.
FEWER = ("R@5", "nDCG@5", "prec", "false", "silent", "n_inj")
ALL_COLUMNS = 110
# The head of the column with explanations.
MEANING = "what it is"


def show(score: "Score", differences: "dict[str, Difference] | None") -> None:
    """Print the measures of each group, the intervals over all prompts, and the differences if there are any."""
    from ...evaluate.measures import MEANINGS, MEASURES

    names = (
        MEASURES if not terminal.is_person_watching() or shutil.get_terminal_size().columns >= ALL_COLUMNS else FEWER
    )
    rows = [
        [visible(name), str(summary.prompts), *[figure(summary.measures[measure]) for measure in names]]
        for name, summary in score.groups.items()
    ]
    print_table(["group", "prompts", *names], rows)
    limits = [
        [name, figure(score.all.measures[name]), f"{figure(found[0])} to {figure(found[1])}", words]
        for name, words in MEANINGS.items()
        if (found := score.all.intervals[name])
    ]
    print_table(["measure", "all", "95% interval", MEANING], limits)
    if differences is not None:
        gaps = [
            [name, f"{gap.value:+.3f}", f"{gap.interval[0]:+.3f} to {gap.interval[1]:+.3f}", f"{gap.p:.3f}"]
            for name, gap in differences.items()
        ]
        print_table(["measure", "difference", "95% interval", "p"], gaps)
    _report_gaps(score)


def as_document(score: "Score", differences: "dict[str, Difference] | None") -> dict[str, object]:
    """The score and the differences as an object for `--json`."""
    document: dict[str, object] = score.as_dict()
    if differences is not None:
        document["against"] = {name: gap.as_dict() for name, gap in differences.items()}
    return document


def _report_gaps(score: "Score") -> None:
    if score.missing:
        terminal.report("warning", f"the run has no line for {score.missing} prompts; they count as empty answers")
    if score.outside:
        what = f"{score.outside} lines of the run are of other projects; they are left out"
        terminal.report("warning", what, "name their prompts with another `--prompts`")
    if score.unreviewed:
        terminal.report("note", f"no person has reviewed the judgments of {score.unreviewed} prompts")


def figure(value: float | None) -> str:
    """A measure with three decimals; `-` if it is not defined."""
    return "-" if value is None else f"{value:.3f}"


def print_table(head: list[str], rows: list[list[str]]) -> None:
    """Print a table, for a person or in columns for a pipe; nothing without rows."""
    if not rows:
        return
    if terminal.is_person_watching():
        _show_table(head, rows)
        return
    widths = [max([len(row[place]) for row in (head, *rows)]) for place in range(len(head))]
    is_left = [place == 0 or name == MEANING for place, name in enumerate(head)]
    lines = []
    for row in (head, *rows):
        cells = zip(row, widths, is_left, strict=True)
        lines.append(
            "  ".join([cell.ljust(width) if left else cell.rjust(width) for cell, width, left in cells]).rstrip()
        )
    terminal.print_lines([*lines, ""])


def _show_table(head: list[str], rows: list[list[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, header_style="dim", padding=(0, 1), pad_edge=False)
    table.add_column(head[0], overflow="fold")
    for name in head[1:]:
        is_words = name == MEANING
        table.add_column(name, justify="left" if is_words else "right", no_wrap=not is_words)
    for row in rows:
        table.add_row(*[Text(cell, style="bold" if row[0] == "ALL" else "") for cell in row])
    terminal.show(table)
