"""The commands that read the event log: `log`, `stats`, `why`, `replay`.

The modules that show events load recall and thus a backend, so they are loaded only when a command runs.
"""

import time

from ...basics.counted import counted
from ...basics.light_dataclass import dataclass
from ...errors import UsageError
from ...files.environment import Environment
from ...files.locate import locate
from .. import terminal
from ..arguments import argument, command, option
from ..parameters import AS_JSON, HISTORY, ROOT, SETTING, STRATEGY
from ..show.trust_marks import Marks
from .recall_commands import report_idle_setting, report_notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.options import GateSetting, Strategy
    from ...files.root import Project
    from ...store.log.events import EventLog

EVENT_NAME = option("--event", metavar="EVENT", help="The event with that id, as `cuecard log` shows it.")


@dataclass
class _LogGiven:
    """The arguments and options of `cuecard log`."""

    limit: int = option("--limit", metavar="N", kind=int, default=20, low=1, help="Show the last N events.")
    session: str = option(
        "--session", metavar="ID", default="", help="Only events of this session; the beginning of its id is enough."
    )
    since: str | None = option("--since", metavar="TIME", help="Only events since this time: `7d`, `12h`, or a date.")
    is_silent: bool | None = option(
        "--silent",
        off="--shown",
        dest="is_silent",
        help="Only events without shown memories, or only events with some.",
    )
    event: str | None = EVENT_NAME
    capture: bool = option("--capture", help="Show what capture asked and drafted, and what sessions left undone.")
    root: str | None = ROOT
    as_json: bool = AS_JSON


@command(request=_LogGiven)
def log(given: _LogGiven) -> None:
    """Show what the hook has decided, the latest last."""
    from ...observe.doctor.captures import find_undone
    from ..show.events import show_captures, show_events

    project = locate(given.root)
    if given.capture:
        if given.event is not None or given.is_silent is not None:
            raise UsageError(
                "`--capture` cannot be combined with `--event`, `--silent` or `--shown`",
                "leave out `--capture` or the others",
            )
        _log_captures(project, given.limit, given.session, given.since, given.as_json)
        return
    read = _read(project)
    if given.event is not None:
        found = read.find(given.event)
        if given.as_json:
            terminal.print_json({"root": project[0], "event": found.as_dict()})
        else:
            show_events.show_one(found)
        return
    chosen = read.select(since=given.since, session=given.session, is_silent=given.is_silent)[-given.limit :]
    if given.as_json:
        counts = {"damaged": read.damaged, "foreign": read.foreign}
        terminal.print_json({"root": project[0], "events": [one.as_dict() for one in chosen], **counts})
        return
    show_events.show(chosen)
    show_captures.show_undone(find_undone(project[1]))
    _report_lines(read)
    if read.events and not chosen:
        terminal.report("note", "no event matches these options")
    elif not read.events:
        _report_no_events(project[1])


@command(
    option(
        "--since",
        metavar="TIME",
        help="Only events since this time: `7d`, `12h`, or a date; by default a week, with `--details` 30 days.",
    ),
    option("--details", help="Show every figure: reasons for silence, stages, hosts, memories never shown."),
    option("--use", help="Show how often what was shown is used or wrong, with intervals of 95 %."),
    ROOT,
    AS_JSON,
)
def stats(since: str | None, details: bool, use: bool, root: str | None, as_json: bool) -> None:
    """Show how often and how fast the hook answers, and with which memories."""
    if use:
        _show_use(since or "90d", root, as_json=as_json)
        return
    from ...observe.doctor.captures import count_waiting
    from ...observe.event_statistics import summarize_since
    from ...store.log.events import read_since
    from ...store.log.verdict_log import count_since
    from ...store.records.store_reader import StoreReader
    from ..show.events import show_statistics, show_week

    since = since or ("30d" if details or as_json else "7d")
    project = locate(root)
    read = _read(project)
    found = summarize_since(StoreReader(project[0]), since, read)
    said = count_since(project[1], read_since(since, int(time.time())))
    waiting = count_waiting(project[1])
    if as_json:
        counts = {"verdicts": said, "waiting": waiting, "damaged": read.damaged, "foreign": read.foreign}
        marks = Marks.of_store(*project)
        terminal.print_json(marks.clean({"root": project[0], "since": since, **found.as_dict(), **counts}))
        return
    if not found.is_empty and details:
        show_statistics.show(found)
    elif not found.is_empty:
        show_week.show(found, since, said, waiting)
    _report_lines(read)
    if read.events and found.is_empty:
        terminal.report("note", f"no event since `{since}`", "a longer `--since` may have some")
    elif not read.events:
        _report_no_events(project[1])


def _show_use(since: str, root: str | None, *, as_json: bool) -> None:
    from ...observe.use_statistics import count_use
    from ...store.log.events import read_since
    from ...store.log.verdict_log import read_verdicts
    from ..show.events import show_use

    project = locate(root)
    found = count_use(_read(project).events, read_verdicts(project[1]), read_since(since, int(time.time())))
    if as_json:
        terminal.print_json({"root": project[0], "since": since, **found.as_dict()})
    else:
        show_use.show(found)


@dataclass
class _WhyGiven:
    """The arguments and options of `cuecard why`."""

    memory: str = argument("MEMORY", "Its id, CATEGORY/ID or path.")
    prompt: str | None = option(
        "--prompt", metavar="TEXT", help="What a user would type; by default the latest event is explained."
    )
    event: str | None = EVENT_NAME
    setting: "GateSetting | None" = SETTING
    history: list[str] = HISTORY
    root: str | None = ROOT
    strategy: "Strategy | None" = STRATEGY
    as_json: bool = AS_JSON


@command(request=_WhyGiven)
def why(given: _WhyGiven) -> None:
    """Explain stage by stage why the hook shows MEMORY or not.

    The explanation is about a prompt, or about an event of the log.
    """
    from ...observe.account import AskedPrompt, account_for
    from ...retrieval.loaded_project import LoadedProject
    from ..show.events import show_account, show_trace

    loaded = LoadedProject(locate(given.root))
    config = loaded.config(given.strategy)
    report_idle_setting(config.strategy, given.setting)
    found = None
    if given.prompt is None or given.event is not None:
        read = _read(loaded.project)
        decisions = [one for one in read.events if one.is_decision]
        if given.event is None and not decisions:
            raise UsageError("no event is logged yet", "ask about a prompt: `cuecard why MEMORY --prompt TEXT`")
        found = decisions[-1] if given.event is None else read.find(given.event)
    account = account_for(
        loaded, config, given.memory, found, AskedPrompt(given.prompt, given.history or [], given.setting)
    )
    if given.as_json:
        asked = {"root": loaded.root, "strategy": config.strategy}
        document = account.as_dict()
        if account.trace:
            document["trace"] = show_trace.as_document(account.trace)
        terminal.print_json({**asked, **document, "notes": loaded.notes})
        return
    show_account.show(account)
    report_notes(loaded.notes)


@command(
    option("--events", metavar="N", kind=int, default=200, low=1, help="Ask the last N prompts."),
    option("--config", metavar="FILE", help="Settings to try instead of memory-config.json."),
    SETTING,
    ROOT,
    AS_JSON,
)
def replay(events: int, config: str | None, setting: "GateSetting | None", root: str | None, as_json: bool) -> None:
    """Ask logged prompts again, and show which memories are added to the answers or left out."""
    from ...observe.replay import replay_events, try_config
    from ...retrieval.loaded_project import LoadedProject
    from ..show.events import show_replay

    loaded = LoadedProject(locate(root))
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


def _log_captures(project: "Project", limit: int, session: str, since: str | None, as_json: bool) -> None:
    from ...observe.capture_log import read_captures
    from ...observe.doctor.captures import find_undone
    from ...store.log.events import read_since
    from ..show.events import show_captures

    begin = None if since is None else read_since(since, int(time.time()))
    chosen = read_captures(project[1], begin, session)[-limit:]
    undone = find_undone(project[1])
    if as_json:
        left = {finding.name: finding.details for finding in undone}
        terminal.print_json({"root": project[0], "captures": [one.as_dict() for one in chosen], "undone": left})
        return
    show_captures.show(chosen)
    show_captures.show_undone(undone)
    if not chosen:
        terminal.report("note", "no capture event matches these options", "`cuecard doctor` says whether capture works")


def _read(project: "Project") -> "EventLog":
    from ...store.log.events import read_events

    return read_events(project[1])


def _report_lines(read: "EventLog") -> None:
    """Report how many lines of the log are left out, and why."""
    if read.damaged:
        terminal.report("warning", f"left out {counted(read.damaged, 'line')} of the event log that cannot be read")
    if read.foreign:
        terminal.report("warning", f"left out {counted(read.foreign, 'line')} that another version of cuecard logged")


def _report_no_events(memory_dir: str) -> None:
    """Report why no event is logged, and what makes the hook log events."""
    from ...retrieval.config import Config

    environment = Environment()
    if environment.log == "off":
        hint = "`CUECARD_LOG=off` switches the log off"
    elif not Config(memory_dir, environment, []).recall.log_events:
        hint = "`log.events` in memory-config.json switches the log off"
    else:
        hint = "the hook logs each prompt that it is asked about; `cuecard hosts` shows where it is installed"
    terminal.report("note", "no event is logged yet", hint)
