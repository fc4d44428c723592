"""Shows the doctor's findings as a page for people, as lines for pipes, or as a document for programs."""

from ...basics.light_dataclass import replace
from ...cli import terminal
from ...observe.doctor.finding import VERDICTS, worst
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.table import Table

    from ...observe.doctor.finding import Finding

COLOURS = {"ok": "green", "warn": "yellow", "fail": "bold red"}
# The number of details that are shown; `--json` has all of them.
SHOWN_DETAILS = 5


def show(findings: "list[Finding]") -> None:
    """Print findings, then the number of each verdict. A hint that adjacent findings share is printed once."""
    following = [finding.hint for finding in findings[1:]]
    findings = [
        replace(finding, hint="") if finding.hint == hint else finding
        for finding, hint in zip(findings, [*following, ""], strict=True)
    ]
    if terminal.is_person_watching():
        terminal.show(_table(findings))
    else:
        width = max(len(finding.name) for finding in findings)
        terminal.print_lines([line for finding in findings for line in _lines(finding, width)])
    terminal.print_lines([_summary(findings)])


def as_document(findings: "list[Finding]") -> dict[str, object]:
    """The findings as an object for `--json`."""
    return {"verdict": worst(findings), "findings": [finding.as_dict() for finding in findings]}


def _lines(finding: "Finding", width: int) -> list[str]:
    indent = " " * (width + 8)
    below = [indent + line for _style, line in _below(finding)]
    return [f"{finding.verdict:<4}  {finding.name:<{width}}  {visible(finding.words)}", *below]


def _below(finding: "Finding") -> list[tuple[str, str]]:
    """The lines under a finding, each with its style."""
    lines = [("", visible(detail)) for detail in finding.details[:SHOWN_DETAILS]]
    hidden = len(finding.details) - SHOWN_DETAILS
    if hidden > 0:
        lines.append(("dim", f"and {hidden} more"))
    if finding.hint:
        lines.append(("cyan", f"hint: {visible(finding.hint)}"))
    return lines


def _table(findings: "list[Finding]") -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        words = Text(visible(finding.words))
        for style, line in _below(finding):
            words.append(f"\n{line}", style)
        table.add_row(Text(finding.verdict, COLOURS[finding.verdict]), finding.name, words)
    return table


def _summary(findings: "list[Finding]") -> str:
    counts = {verdict: sum(finding.verdict == verdict for finding in findings) for verdict in VERDICTS}
    return "\n" + ", ".join([f"{count} {verdict}" for verdict, count in counts.items() if count])
