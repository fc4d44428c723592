"""The commands that look back: `log`, `stats`, `why`, `replay`.

What shows events needs the words of recall, and with them a twin: it is loaded when a command runs.
"""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from . import terminal
from .app import AsJson, Root, app
from .plain_words import plural
from .recall_commands import History, Setting, Strategy, report_idle_setting, report_notes
from .trust_marks import Marks

if TYPE_CHECKING:
    from ..recall.events import EventLog
    from ..recall.prompt_path import Project

EventName = Annotated[
    str | None, typer.Option("--event", metavar="EVENT", help="The event with that id, as `cuecard log` shows it.")
]


@app.command()
def log(
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Show the last N events.")] = 20,
    session: Annotated[
        str, typer.Option("--session", metavar="ID", help="Only of this session; its first characters will do.")
    ] = "",
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only since then: `7d`, `12h`, or a date.")
    ] = None,
    is_silent: Annotated[
        bool | None, typer.Option("--silent/--shown", help="Only where nothing was shown, or something.")
    ] = None,
    event: EventName = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Show what the hook has decided, the latest last."""
    from ..recall.events import read_since, select
    from . import show_events

    project = _locate(root)
    read = _read(project)
    if event is not None:
        found = read.find(event)
        if as_json:
            terminal.print_json({"root": project[0], "event": found.as_dict()})
        else:
            show_events.show_one(found)
        return
    begin = None if since is None else read_since(since, int(time.time()))
    chosen = select(read.events, begin, session, is_silent)[-limit:]
    if as_json:
        counts = {"damaged": read.damaged, "foreign": read.foreign}
        terminal.print_json({"root": project[0], "events": [one.as_dict() for one in chosen], **counts})
        return
    show_events.show(chosen)
    _report_lines(read)
    if read.events and not chosen:
        terminal.report("note", "no event fits")
    elif not read.events:
        _report_no_events(project[1])


@app.command()
def stats(
    since: Annotated[
        str, typer.Option("--since", metavar="TIME", help="Only since then: `7d`, `12h`, or a date.")
    ] = "30d",
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Show how often, how fast and with what the hook answers."""
    from ..recall.event_statistics import summarize
    from ..recall.events import read_since, select
    from ..store.store import Store
    from . import show_statistics

    project = _locate(root)
    now = int(time.time())
    begin = read_since(since, now)
    read = _read(project)
    chosen = select(read.events, begin)
    memories = Store(project[0]).memories()
    found = summarize(chosen, memories, now)
    if as_json:
        counts = {"damaged": read.damaged, "foreign": read.foreign}
        marks = Marks(project[1], memories)
        terminal.print_json(marks.clean({"root": project[0], "since": since, **found.as_dict(), **counts}))
        return
    if chosen:
        show_statistics.show(found)
    _report_lines(read)
    if read.events and not chosen:
        terminal.report("note", f"no event since `{since}`", "a longer `--since` may have some")
    elif not read.events:
        _report_no_events(project[1])


@app.command()
def why(
    memory: Annotated[str, typer.Argument(metavar="MEMORY", help="Its id, CATEGORY/ID or path.", show_default=False)],
    prompt: Annotated[
        str | None, typer.Option("--prompt", metavar="TEXT", help="What a user would type; else the latest event.")
    ] = None,
    event: EventName = None,
    setting: Setting = None,
    history: History = None,
    root: Root = None,
    strategy: Strategy = None,
    as_json: AsJson = False,
) -> None:
    """Say why the hook shows MEMORY for a prompt, or did not at an event, stage by stage."""
    from ..recall.account import account_for
    from ..recall.loaded_project import LoadedProject
    from . import show_account, show_trace

    loaded = LoadedProject(_locate(root))
    config = loaded.config(strategy)
    report_idle_setting(config.strategy, setting)
    found = None
    if prompt is None or event is not None:
        read = _read(loaded.project)
        decisions = [one for one in read.events if one.is_decision]
        if event is None and not decisions:
            raise UsageError("no event is logged yet", "ask about a prompt: `cuecard why MEMORY --prompt TEXT`")
        found = decisions[-1] if event is None else read.find(event)
    account = account_for(loaded, config, memory, found, prompt, history or [], setting)
    if as_json:
        asked = {"root": loaded.root, "strategy": config.strategy}
        document = account.as_dict()
        if account.trace:
            document["trace"] = show_trace.as_document(account.trace)
        terminal.print_json({**asked, **document, "notes": loaded.notes})
        return
    show_account.show(account)
    report_notes(loaded.notes)


@app.command()
def replay(
    events: Annotated[int, typer.Option("--events", metavar="N", min=1, help="Of the last N prompts.")] = 200,
    config: Annotated[
        str | None, typer.Option("--config", metavar="FILE", help="Settings to try instead of memory-config.json.")
    ] = None,
    setting: Setting = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Ask logged prompts again, and show which memories come in and go out."""
    from ..recall.loaded_project import LoadedProject
    from ..recall.replay import replay_events, try_config
    from . import show_replay

    loaded = LoadedProject(_locate(root))
    notes: list[str] = []
    tried = loaded.config() if config is None else try_config(config, notes)
    read = _read(loaded.project)
    replayed = replay_events(read.events, events, loaded, tried, setting)
    notes += loaded.notes
    if as_json:
        terminal.print_json({"root": loaded.root, **replayed.as_dict(), "notes": notes})
        return
    show_replay.show(replayed)
    _report_lines(read)
    report_notes(notes)
    if not read.events:
        _report_no_events(loaded.project[1])


def _locate(root: str | None) -> "Project":
    from ..recall.environment import Environment
    from ..recall.search import locate

    return locate(Environment(), root)


def _read(project: "Project") -> "EventLog":
    from ..recall.events import read_events

    return read_events(project[1])


def _report_lines(read: "EventLog") -> None:
    """Say how many lines of the log are not shown, and why."""
    if read.damaged:
        terminal.report("warning", f"left out {plural(read.damaged, 'line')} of the event log that cannot be read")
    if read.foreign:
        terminal.report("warning", f"left out {plural(read.foreign, 'line')} of the event log of another version")


def _report_no_events(memory_dir: str) -> None:
    """Say how events come about."""
    from ..recall.environment import Environment
    from ..recall.prompt_path import Config

    environment = Environment()
    if environment.log == "off":
        hint = "`CUECARD_LOG=off` switches the log off"
    elif not Config(memory_dir, environment, []).recall.log_events:
        hint = "`log.events` in memory-config.json switches the log off"
    else:
        hint = "the hook logs each prompt that it is asked about; `cuecard hosts` shows where it is installed"
    terminal.report("note", "no event is logged yet", hint)
