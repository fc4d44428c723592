"""Shows statistics of logged events: a page with bars for people, lines for pipes."""

from ....basics.counted import counted
from ....observe.event_verdict import OUTCOMES, SILENCES
from ... import terminal
from ...terminal import visible
from ..plain_words import percent
from .show_events import milliseconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.table import Table

    from ....observe.event_statistics import EventStatistics

# How many of the memories that were never shown are listed, the oldest first; `--json` lists all.
SHOWN_MEMORIES = 8
# A name in a table is this short.
SHORT = 40
# The width of a row without its label and bar, the longest bar, and the width of a latency row without its bar.
ROW_CHARS = 20
BAR_CHARS = 24
LATENCY_CHARS = 42

# A label, its count, and the share of the sum of all counts.
Row = tuple[str, int, float]


def show(found: "EventStatistics") -> None:
    """Print the statistics; sections without data are left out."""
    if terminal.is_person_watching():
        _show_page(found)
    else:
        terminal.print_lines(_lines(found))


def _summary(found: "EventStatistics") -> list[str]:
    """The lines about numbers of events and answers, tokens, the judge and sent data."""
    days = " to ".join(dict.fromkeys([(moment or "").partition("T")[0] for moment in (found.first, found.last)]))
    lines = [f"{counted(found.prompts, 'prompt')} in {counted(found.sessions, 'session')}, {days}"]
    if found.prompts:
        words = f"answered {found.answered:,}: {percent(found.answered / found.prompts)} of all"
        asking = f", {percent(found.answered / found.asking)} of the {found.asking:,} that ask for something"
        lines.append(words + (asking if found.asking else ""))
    if found.needs:
        lines.append(f"{counted(found.needs, 'moment')} of need, memories shown at {found.needs_answered:,}")
    if found.tokens_mean is not None:
        lines.append(
            f"tokens of an answer: {found.tokens_mean:.0f} on average, p95 {found.tokens_p95:,}, "
            f"{found.tokens_sum:,} in all"
        )
    if found.named:
        mean = found.named_tokens / found.named
        named = counted(found.named, "line")
        lines.append(f"titles that may concern the prompt: {named}, {mean:.0f} tokens on average")
    judge = found.judge
    if judge:
        failed = f", failed {judge.failed:,}" if judge.failed else ""
        took = f"p50 {milliseconds(judge.p50_micros)}, p95 {milliseconds(judge.p95_micros)}"
        lines.append(f"judge asked {judge.asked:,}{failed}: kept {judge.kept:,} of {judge.candidates:,}, {took}")
    for sent in found.sent:
        leaves = "left this machine" if sent.leaves else "stayed on this machine"
        size = f"{counted(sent.requests, 'request')}, {sent.bytes:,} bytes"
        lines.append(f"sent to {visible(sent.host)} ({visible(sent.what)}): {size}, {leaves}")
    return lines


def _sections(found: "EventStatistics") -> dict[str, list[Row]]:
    """The rows of counts by heading; empty sections are left out."""
    tiers = {OUTCOMES[name]: count for name, count in found.tiers.items() if count}
    silences = {SILENCES.get(code, code or "no reason was logged"): count for code, count in found.silences.items()}
    sections = {"why silent": _shares(silences), "shown": _shares(tiers)}
    if found.captures:
        sections["capture"] = _shares(found.captures)
    if len(found.hosts) > 1:
        sections["hosts"] = _shares(found.hosts)
    return {heading: rows for heading, rows in sections.items() if rows}


def _shares(counts: dict[str, int]) -> list[Row]:
    total = sum(counts.values())
    return [(visible(name), count, count / total) for name, count in counts.items()]


def _age(days: int | None) -> str:
    return "no date" if days is None else counted(days, "day")


def _lines(found: "EventStatistics") -> list[str]:
    lines = _summary(found)
    for heading, rows in _sections(found).items():
        lines += [f"{heading:<11} {count:>6}  {percent(share):>4}  {name}" for name, count, share in rows]
    for stage, values in found.latency.items():
        cells = "  ".join([f"{name} {milliseconds(micros)}" for name, micros in values.items()])
        lines.append(f"{'latency':<11} {stage:<6}  {cells}")
    lines += [
        f"{'shown most':<11} {use.count:>6}  {visible(use.path)}{f' ({visible(use.scope)})' if use.scope else ''}"
        for use in found.shown_most
    ]
    lines.append(f"never shown: {len(found.never_shown):,} of {found.active:,} active memories")
    shown = found.never_shown[:SHOWN_MEMORIES]
    lines += [f"{'never shown':<11} {_age(one.age_days):>9}  {visible(one.path)}" for one in shown]
    if len(shown) < len(found.never_shown):
        lines.append(f"{'never shown':<11} {len(found.never_shown) - len(shown):>9}  more, which `--json` lists")
    return lines


def _show_page(found: "EventStatistics") -> None:
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    parts: list[Text | Padding] = [
        Text(line, style="" if place else "bold") for place, line in enumerate(_summary(found))
    ]
    for heading, rows in _sections(found).items():
        parts += [Text(f"\n{heading}", style="bold"), Padding(_bars(rows), (0, 0, 0, 2))]
    if found.latency:
        parts += [Text("\nlatency", style="bold"), Padding(_latency(found), (0, 0, 0, 2))]
    if found.shown_most:
        most = found.shown_most[0].count
        shown_most = found.shown_most[:SHOWN_MEMORIES]
        rows = [(terminal.shorten(visible(use.name), SHORT), use.count, use.count / most) for use in shown_most]
        parts += [Text("\nshown most", style="bold"), Padding(_bars(rows, False), (0, 0, 0, 2))]
    if found.never_shown:
        heading = f"\nnever shown: {len(found.never_shown):,} of {found.active:,} active memories, the oldest first"
        parts += [Text(heading, style="bold"), Padding(_unused(found), (0, 0, 0, 2))]
    terminal.show(Group(*parts))


def _grid(*alignments: str) -> "Table":
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    for alignment in alignments:
        grid.add_column(
            justify="right" if alignment == "right" else "left", overflow="fold", no_wrap=alignment != "fold"
        )
    return grid


def _bar_chars(others: int) -> int:
    """The greatest length of a bar in a row with `others` other characters."""
    import shutil

    return max(min(shutil.get_terminal_size().columns - others, BAR_CHARS), 0)


def _bars(rows: list[Row], has_shares: bool = True) -> "Table":
    from rich.text import Text

    width = _bar_chars(max(len(name) for name, _count, _share in rows) + ROW_CHARS)
    grid = _grid("fold", "right", *(["right"] if has_shares else []), "left")
    for name, count, share in rows:
        drawn = terminal.bar(share, width)
        grid.add_row(name, f"{count:,}", *([percent(share)] if has_shares else []), Text(drawn, style="cyan"))
    return grid


def _latency(found: "EventStatistics") -> "Table":
    from rich.text import Text

    width = _bar_chars(LATENCY_CHARS)
    most = max(found.latency["total"]["p95"], 1)
    grid = _grid("left", "right", "right", "right", "left")
    grid.add_row(
        "", *[Text(name, style="dim") for name in found.latency["total"]], Text("p95" if width else "", style="dim")
    )
    for stage, values in found.latency.items():
        drawn = terminal.bar(min(values["p95"] / most, 1), width)
        grid.add_row(stage, *[milliseconds(micros) for micros in values.values()], Text(drawn, style="cyan"))
    return grid


def _unused(found: "EventStatistics") -> "Table":
    from rich.text import Text

    grid = _grid("right", "fold")
    for one in found.never_shown[:SHOWN_MEMORIES]:
        grid.add_row(
            Text(_age(one.age_days), style="dim"),
            Text(visible(one.title)).append(f"\n{terminal.shorten(visible(one.id), SHORT)}", "dim"),
        )
    if len(found.never_shown) > SHOWN_MEMORIES:
        grid.add_row("", Text(f"and {len(found.never_shown) - SHOWN_MEMORIES:,} more", style="dim"))
    return grid
