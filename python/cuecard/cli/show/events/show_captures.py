"""Shows events of capture and the unfinished work of sessions, one line for each."""

from ....basics.counted import counted
from ... import terminal
from ...terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....observe.doctor.finding import Finding
    from ....store.log.capture_event import CaptureEvent

SESSION_CHARS = 8


def show(events: "list[CaptureEvent]") -> None:
    """Print a line for each event."""
    terminal.print_lines([_line(event) for event in events])


def show_undone(findings: "list[Finding]") -> None:
    """Print the findings about unfinished work of sessions, with hints."""
    for finding in findings:
        if finding.verdict != "ok":
            terminal.report("warning", finding.words, finding.hint, finding.details)


def _line(event: "CaptureEvent") -> str:
    session = f"{visible(event.session)[:SESSION_CHARS]:<{SESSION_CHARS}}"
    words = f"{visible(event.time)}  {session}  {event.kind} {visible(event.what)}"
    named = f"  {visible(event.category or 'draft')} `{visible(event.title)}`" if event.title else ""
    cost = f"  {counted(event.tokens, 'token')}" if event.tokens else ""
    return f"{words}{named}{cost}{': ' if event.why else ''}{visible(event.why)}"
