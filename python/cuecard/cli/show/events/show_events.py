"""Shows events of the hook for people and for pipes: a line for each event, or all facts about one event."""

import time

from ...._backend import LOGIT_UNIT as UNIT
from ...._backend import STAGES, probability
from ....basics.counted import counted
from ....models.endpoints.place import is_loopback
from ....observe.event_verdict import OUTCOMES, describe_silence
from ....store.log.events import ID_CHARS
from ... import terminal
from ...terminal import visible
from ..plain_words import percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from ....store.log.events import LoggedEmbedder, LoggedEvent, LoggedJudgment, LoggedMemory, LoggedSent

# The width from which the table also has the columns `tokens` and `took`.
ALL_COLUMNS = 70
COSTS = ("tokens", "took")
# The blanks between two columns.
GAP = 2
# Names in the table of events are this short, so that the first one and its outcome are always seen.
SHORT = 28
PROMPT_CHARS = 400
BAR_CHARS = 20


def show(events: "list[LoggedEvent]") -> None:
    """Print a line for each event."""
    if not events:
        return
    if terminal.is_person_watching():
        terminal.show(_table(events))
        return
    lines = []
    for event in events:
        cost = f"{milliseconds(event.micros['total']):>8}  {event.tokens:>5} tokens"
        words = f"{_occasion(event)}{describe(event)}"
        lines.append(f"{visible(event.time)}  {event.id}  {visible(event.host):<11}  {cost}  {words}")
    terminal.print_lines(lines)


def show_one(event: "LoggedEvent") -> None:
    """Print all facts about an event."""
    known = [*facts(event), ("cost", f"{counted(event.tokens, 'token')}, {counted(event.chars, 'character')}")]
    if terminal.is_person_watching():
        terminal.show(_page(event, known))
        return
    lines = [f"{name:<8}  {text}" for name, text in known]
    lines += [f"memory    {outcome}  {visible(memory.path)}" for outcome, memory in _outcomes(event)]
    lines += [f"stage     {stage:<6}  {milliseconds(event.micros[stage])}" for stage in STAGES]
    terminal.print_lines(lines)


def facts(event: "LoggedEvent") -> list[tuple[str, str]]:
    """The facts about an event (time, host, prompt, answer and so on) as pairs of name and text."""
    asked = "not kept; `cuecard config log.prompts true --user` keeps texts"
    if event.prompt is not None:
        words = visible(event.prompt)
        asked = words if len(words) <= PROMPT_CHARS else f"{words[: PROMPT_CHARS - 1]}…"
    by = ", ".join([visible(name) for name in (event.strategy, event.setting) if name])
    return [
        ("event", f"{event.id}, {visible(event.kind)}, {visible(event.host)}, {_moment(event)}"),
        *([("session", visible(event.session))] if event.session else []),
        ("prompt", f"{asked} ({counted(event.prompt_chars, 'character')})"),
        *[("before", visible(text)) for text in event.history or ()],
        ("answer", f"{describe(event)}{f' (by {by}, of {event.documents:,} memories)' if by else ''}"),
        *([("embedder", describe_embedder(event.embedder))] if event.embedder else []),
        *([("judge", describe_judgment(event.judge))] if event.judge else []),
        *[("sent", describe_sent(one)) for one in event.sent],
    ]


def describe(event: "LoggedEvent") -> str:
    """The shown memories with their outcomes, or the reason why nothing was shown."""
    if not event.is_decision:
        return ", ".join([describe_sent(one) for one in event.sent]) or "nothing"
    if event.shown:
        return ", ".join([f"{visible(memory.id)} ({memory.outcome})" for memory in event.shown])
    if event.named:
        names = ", ".join([f"{visible(memory.id)}, {sureness(memory)}" for memory in event.named])
        return f"only titles: no memory was sure enough ({names})"
    near = next((memory for memory in event.memories if event.silence == "gate" and memory.logit is not None), None)
    nearest = f" (the nearest, {visible(near.id)}, {sureness(near)})" if near else ""
    return f"silent: {visible(describe_silence(event))}{nearest}"


def describe_embedder(embedder: "LoggedEmbedder") -> str:
    """The embedder that made the prompt's vector, with a note if the settings name another embedder."""
    return visible(f"{embedder.name}: {embedder.note}" if embedder.note else embedder.name)


def describe_judgment(judge: "LoggedJudgment") -> str:
    """The result of the judge, and the time that it took."""
    did = "failed" if judge.outcome == "failed" else f"kept {judge.kept} of {judge.of}"
    return f"{did}, {milliseconds(judge.micros)}"


def describe_sent(sent: "LoggedSent") -> str:
    """What was sent to which host, with the number of requests and bytes."""
    leaves = "" if is_loopback(sent.host) else ", which left this machine"
    size = f"{counted(sent.requests, 'request')}, {sent.bytes:,} bytes"
    return f"{visible(sent.what)}: {size} to {visible(sent.host)}{leaves}"


def sureness(memory: "LoggedMemory") -> str:
    """The gate's probability that a memory helps, such as `80% sure`; "" without a gate."""
    return "" if memory.logit is None else f"{percent(probability(memory.logit) / UNIT)} sure"


def milliseconds(micros: int) -> str:
    """Microseconds as text in milliseconds, with two decimals below 10 ms."""
    return f"{micros / 1000:.2f} ms" if micros < 10_000 else f"{micros / 1000:,.0f} ms"


def _occasion(event: "LoggedEvent") -> str:
    return "" if event.kind == "prompt" else f"{visible(event.kind)}: "


def _outcomes(event: "LoggedEvent") -> "list[tuple[str, LoggedMemory]]":
    """The outcome of each memory in words: how it was shown, or why it was not shown."""
    return [
        (
            f"{'shown' if memory.is_shown else 'not shown'}: {OUTCOMES[memory.outcome]}"
            + (f", because it forbids `{visible(memory.forbids)}`" if memory.forbids else ""),
            memory,
        )
        for memory in event.memories
    ]


def _moment(event: "LoggedEvent") -> str:
    """The time of the event: in local time for people, for programs as it was logged."""
    return f"{_date(event)} {_clock(event)}" if terminal.is_person_watching() else visible(event.time)


def _date(event: "LoggedEvent") -> str:
    return time.strftime("%Y-%m-%d", time.localtime(event.seconds))


def _clock(event: "LoggedEvent") -> str:
    return time.strftime("%H:%M:%S", time.localtime(event.seconds))


def _table(events: "list[LoggedEvent]") -> "Table":
    import shutil

    from rich.table import Table
    from rich.text import Text

    room = shutil.get_terminal_size().columns
    is_wide = room >= ALL_COLUMNS
    costs = [_cost(event) for event in events]
    widths = [max([len(title), *[len(cost[place]) for cost in costs]]) for place, title in enumerate(COSTS)]
    # Long names must not take the place of the columns beside them.
    room -= len("2026-01-31") + GAP + ID_CHARS + GAP + (sum(widths) + GAP * len(widths) if is_wide else 0)
    table = Table(box=None, header_style="dim", padding=(0, GAP, 0, 0), pad_edge=False)
    table.add_column("time", no_wrap=True, min_width=len("2026-01-31"))
    table.add_column("event", style="cyan", no_wrap=True, min_width=ID_CHARS)
    table.add_column("shown", no_wrap=True, overflow="ellipsis", max_width=max(room, 1))
    for title, width in zip(COSTS, widths, strict=True):
        if is_wide:
            style = "dim" if title == COSTS[-1] else ""
            table.add_column(title, justify="right", style=style, no_wrap=True, min_width=width)
    day = ""
    for event in events:
        if _date(event) != day:
            day = _date(event)
            table.add_row(Text(day, style="dim"))
        table.add_row(_clock(event), event.id, _words(event, max(SHORT, room // 2)), *(_cost(event) if is_wide else []))
    return table


def _cost(event: "LoggedEvent") -> tuple[str, str]:
    """The cells of an event in the columns `COSTS`."""
    return f"{event.tokens:,}" if event.tokens else "", milliseconds(event.micros["total"])


def _words(event: "LoggedEvent", most: int) -> "Text":
    from rich.text import Text

    words = Text(_occasion(event), style="yellow", no_wrap=True, overflow="ellipsis")
    if not event.shown:
        return words.append(describe(event).removeprefix("silent: "), "dim")
    for number, memory in enumerate(event.shown):
        words.append(", " if number else "").append(terminal.shorten(visible(memory.id), most), "bold green")
        words.append(f" {memory.outcome}", "dim")
    return words


def _page(event: "LoggedEvent", known: list[tuple[str, str]]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    page = Table.grid(padding=(0, 2))
    page.add_column(style="dim", no_wrap=True)
    page.add_column(overflow="fold")
    for name, text in known:
        page.add_row(name, Text(text, style="bold" if name == "answer" else ""))
    if event.memories:
        page.add_row("", "")
    for outcome, memory in _outcomes(event):
        words = Text(visible(memory.id), style="bold green" if memory.is_shown else "")
        sure = sureness(memory)
        words.append(f"  {visible(memory.category)}", "yellow").append(f"\n{outcome}{sure and f', {sure}'}", "dim")
        page.add_row("memory", words)
    page.add_row("", "")
    most = max(event.micros["total"], 1)
    for stage in STAGES:
        micros = event.micros[stage]
        drawn = terminal.bar(min(micros / most, 1), BAR_CHARS)
        page.add_row(stage, Text(f"{milliseconds(micros):>9}  ").append(drawn, "cyan"))
    return page
