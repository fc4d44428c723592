"""Shows the statistics that are read in ten seconds: one line for each question."""

from ....basics.counted import counted
from ....observe.event_statistics import EventStatistics
from ... import terminal
from ...terminal import visible
from ..plain_words import percent
from .show_events import milliseconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST = 5
LABEL = 10


def show(found: EventStatistics, since: str, said: "Mapping[str, int]", waiting: int) -> None:
    """Print the lines; `said` counts verdicts and signs of use by kind, and `waiting` the drafts that wait."""
    lines = lines_of(found, since, said, waiting)
    if terminal.is_person_watching():
        from rich.text import Text

        # A line that is too long goes on in the next row.
        terminal.show(Text("\n".join(lines)))
        return
    terminal.print_lines(lines)


def lines_of(found: EventStatistics, since: str, said: "Mapping[str, int]", waiting: int) -> list[str]:
    """The lines for people and for pipes."""
    span = "this week" if since == "7d" else f"since {since}"
    share = f" ({percent(found.answered / found.prompts)})" if found.prompts else ""
    rows = [(span, f"{counted(found.prompts, 'prompt')} in {counted(found.sessions, 'session')}")]
    rows.append(("shown", f"memories at {counted(found.answered, 'prompt')}{share}"))
    rows.append(("useful", f"{said.get('good', 0)} good, {counted(said.get('used', 0), 'sign')} of use"))
    wrong = said.get("wrong", 0)
    rows.append(("wrong", f"{wrong}" + ("; `cuecard wrong --list` lists them" if wrong else "")))
    if found.tokens_mean is not None:
        rows.append(("tokens", f"{found.tokens_sum:,} in all, {found.tokens_mean:.0f} an answer"))
    if found.latency:
        total = found.latency["total"]
        rows.append(("time", f"{milliseconds(total['p50'])} in half of the prompts, p95 {milliseconds(total['p95'])}"))
    for place, use in enumerate(found.shown_most[:MOST]):
        rows.append(("" if place else "most", f"{use.count:>3} times  {visible(use.name)}"))
    never = len(found.never_shown)
    more = "; `cuecard stats --details` lists them" if never else ""
    rows.append(("never", f"{never:,} of {found.active:,} active memories were not shown{more}"))
    more = "; `cuecard review` shows them" if waiting else ""
    rows.append(("waiting", f"{counted(waiting, 'draft')}{more}"))
    return [f"{label:<{LABEL}} {words}" for label, words in rows]
