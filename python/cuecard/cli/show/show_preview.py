"""Shows what the ledger of a session would contain, and at which stops its agent would be asked."""

from ...basics.counted import counted
from ...cli import terminal
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...capture.ledger.preview import PreviewPart, SessionPreview


def show(preview: "SessionPreview") -> None:
    """Print the entries, and a line for each stop."""
    from ...capture.ledger.entry_text import SessionEntries, render_whole
    from ...capture.ledger.preview import AT_STOP

    asks = sum(bool(part.cause) for part in preview.parts)
    stops = f"{counted(len(preview.stops), 'stop')}, {counted(asks, 'ask')}"
    name = visible(preview.transcript)
    if not preview.is_interactive:
        stops = "a run that nobody watches: it has no ledger, and its agent is never asked"
    terminal.print_lines([f"{name}: {stops}"])
    number = before = 0
    for part in preview.parts:
        text = render_whole([SessionEntries("", part.entries)], before)
        terminal.print_lines([_plain(line) for line in text.splitlines()])
        before += sum(entry["k"] == "prompt" for entry in part.entries)
        if part.event == AT_STOP:
            number += 1
            terminal.print_lines([f"-- stop {number}: {_verdict(part)}"])


def as_document(preview: "SessionPreview") -> dict[str, object]:
    """The preview as an object for `--json`: the entries as the ledger would contain them, and the stops."""
    parts = []
    for part in preview.parts:
        counts = {"prompts": part.prompts, "weight": part.weight}
        asks = {"cause": part.cause or None, "wants_summary": part.wants_summary, "is_read_only": part.is_read_only}
        parts.append({"event": part.event, "position": part.position, **asks, **counts, "entries": part.entries})
    names = {"transcript": preview.transcript, "session": preview.session}
    return {**names, "is_interactive": preview.is_interactive, "parts": parts}


def _verdict(part: "PreviewPart") -> str:
    counts = f"{counted(part.prompts, 'substantial prompt')} with a weight of {part.weight} since the last ask"
    if part.is_read_only:
        return f"the agent may not change anything, so it is not asked; {counts}"
    if not part.cause:
        return f"the agent is not asked; {counts}"
    summary = ", also for a summary of the session" if part.wants_summary else ""
    return f"the agent is asked ({part.cause}){summary}; {counts}"


def _plain(line: str) -> str:
    """The line without characters that could control a terminal; its indentation stays."""
    text = line.lstrip(" ")
    return " " * (len(line) - len(text)) + visible(text)
