"""The commands that find memories and check the installation: `recall`, `search`, `doctor`."""

from ..._backend import GATE_SETTINGS
from ...basics.counted import counted
from ...basics.light_dataclass import dataclass
from ...errors import StoreError, UsageError
from .. import terminal
from ..arguments import argument, command, option
from ..filters import FiltersGiven
from ..parameters import AS_JSON, HISTORY, PROMPT_FILE, ROOT, SETTING, STRATEGY
from ..text_input import read_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.options import GateSetting, Strategy
    from ...retrieval.hit import Hit
    from ...retrieval.recall import Recall
    from ...retrieval.trace import Trace

# The setting without a gate, and (`NEAR`) how many memories `--explain` shows for a prompt without an answer.
OFF = "off"
# The built-in embedder.
STATIC = "static"
NEAR = 3

EXPLAIN = option("--explain", help="Show what each score is made of.")


@dataclass
class _RecallGiven:
    """The arguments and options of `cuecard recall`."""

    prompt: str | None = argument("PROMPT", "What a user would type; `-` reads standard input.", is_required=False)
    file: str | None = PROMPT_FILE
    setting: "GateSetting | None" = SETTING
    history: list[str] = HISTORY
    root: str | None = ROOT
    strategy: "Strategy | None" = STRATEGY
    as_json: bool = AS_JSON
    explain: bool = EXPLAIN
    block: bool = option("--block", help="Print nothing but what the agent reads.")


@command(request=_RecallGiven)
def recall(given: _RecallGiven) -> None:
    """Show what the hook injects for PROMPT, or why it injects nothing."""
    from ...retrieval.recall import open_recall
    from ..show import show_hits

    given.prompt = read_argument(given.prompt, given.file, "a prompt")
    _report_lost_backend()
    memories = open_recall(given.root, strategy=given.strategy)
    report_idle_setting(memories.strategy, given.setting)
    before = given.history or []
    injection = memories.inject(given.prompt, before, setting=given.setting)
    if given.block and not given.as_json:
        terminal.print_lines(injection.block.splitlines())
        return
    hits = memories.recall(given.prompt, before, setting=given.setting, explain=True)
    # Without a gate every memory is shown as a line, so outcomes are not printed.
    is_judged = any(memory.hit.probability is not None for memory in injection.memories)
    outcomes = {memory.hit.path: memory.outcome for memory in injection.memories} if is_judged else {}
    silence = "" if hits else memories.why_silent(given.prompt, before, setting=given.setting)
    # For a prompt without an answer, the memories with the highest probability are shown.
    near = (
        memories.recall(given.prompt, before, setting="off", limit=NEAR, explain=True)
        if given.explain and silence
        else []
    )
    traces = None
    if given.explain:
        judged = [hit.path for hit in hits or near if hit.probability is not None]
        traces = [memories.trace(given.prompt, path, before, setting=given.setting) for path in judged]
        if any(trace.silence for trace in traces):
            # Some prompts, such as very short ones, are never answered. For these no memory is shown either.
            near, traces = [], None
    if given.as_json:
        asked = {"prompt": given.prompt, "silence": silence or None}
        document = {**asked, **show_hits.as_document(memories, hits, traces if hits else None)}
        document["injection"] = injection.as_dict()
        if near:
            document["near"] = show_hits.as_document(memories, near, traces)["hits"]
        terminal.print_json(document)
        return
    show_hits.show(hits, given.explain, traces, outcomes=outcomes)
    if injection.tokens and terminal.is_person_watching():
        terminal.report("note", f"about {injection.tokens} tokens; `--block` prints what the agent reads")
    show_hits.show(near, given.explain, traces, shown=False)
    report_notes(memories.notes)
    _report_embedder(traces)
    if silence:
        terminal.report("note", f"nothing is injected: {silence}")


def report_idle_setting(strategy: str, setting: str | None) -> None:
    """Report that a setting of the gate was given together with a strategy that has no gate."""
    from ...retrieval.config import HYBRID

    if setting in GATE_SETTINGS and setting != OFF and strategy != HYBRID:
        terminal.report("note", f"`{strategy}` has no gate: the setting changes nothing")


def report_notes(notes: list[str]) -> None:
    """Report the notes that the hook would log, as warnings."""
    for note in notes:
        terminal.report("warning", note)


@dataclass
class _SearchGiven(FiltersGiven):
    """The arguments and options of `cuecard search`."""

    query: str | None = argument("QUERY", "Words to look for; `-` reads standard input.", is_required=False)
    file: str | None = PROMPT_FILE
    limit: int = option("--limit", metavar="N", kind=int, default=10, help="Show at most N memories.")
    all_projects: bool = option(
        "--all-projects", help="Search the stores of all projects in which you have used cuecard, the latest 50."
    )
    remote: bool = option("--remote", help="Search the servers of your teams instead, by words.")
    root: str | None = ROOT
    strategy: "Strategy | None" = STRATEGY
    as_json: bool = AS_JSON
    explain: bool = EXPLAIN


@dataclass
class _Found:
    """A memory that was found in a project, for `--all-projects`."""

    hit: "Hit"
    recall: "Recall"
    memory: tuple[str, str]
    """The folder of the store that has it, and its path."""
    is_at_home: bool
    """Whether this is the store of the project that was searched."""


@command(request=_SearchGiven)
def search(given: _SearchGiven) -> None:
    """Find the memories that fit QUERY best.

    With `--all-projects` the N best memories of all projects are shown, each once, under the folder of its project.
    Those of a project that nobody on this machine vouches for are marked as everywhere.
    """
    from ...retrieval.recall import open_recall
    from ...retrieval.search_filters import ACTIVE, read_filters
    from ..show import show_hits

    given.query = read_argument(given.query, given.file, "a query")
    _report_lost_backend()
    if given.all_projects:
        _search_all(given)
        return
    if given.remote:
        _search_remotely(given.query, given.limit, as_json=given.as_json)
        return
    memories = open_recall(given.root, strategy=given.strategy)
    options = given.options(ACTIVE)
    options["explain"] = given.as_json or given.explain
    filters = read_filters(options)
    hits = memories.search(given.query, given.limit, **options)
    traces = None
    if given.explain:
        judged = [hit.path for hit in hits if hit.probability is not None]
        traces = [memories.trace(given.query, given.path, filters=filters, limit=given.limit) for given.path in judged]
    if given.as_json:
        terminal.print_json({"query": given.query, **show_hits.as_document(memories, hits, traces)})
        return
    show_hits.show(hits, given.explain, traces)
    report_notes(memories.notes)
    _report_embedder(traces)
    if not hits:
        reason = "no memory matches" if filters or memories.memory_count else "the project has no memories"
        terminal.report("note", f"nothing found: {reason}")


def _search_one(given: _SearchGiven, root: str) -> "list[_Found]":
    """The best memories of a project. Raises StoreError if its store cannot be read."""
    from ...retrieval.recall import open_recall
    from ...retrieval.search_filters import ACTIVE
    from ...store.scopes.scoped_stores import find_counting_stores, memory_dir_of

    memories = open_recall(root, strategy=given.strategy)
    hits = memories.search(given.query or "", given.limit, **given.options(ACTIVE))
    stores = find_counting_stores(root) if hits else []
    own = memory_dir_of(stores, "", "") if hits else ""
    places = [memory_dir_of(stores, hit.scope, hit.path) for hit in hits]
    return [_Found(hit, memories, (place, hit.path), place == own) for hit, place in zip(hits, places, strict=True)]


def _each_once(found: "list[_Found]") -> "list[_Found]":
    """The memories of all projects, best first. One of a store that several projects read is shown once.

    It is shown under its own store, if that was searched too.
    """
    at_home = {one.memory for one in found if one.is_at_home}
    best: dict[tuple[str, str], _Found] = {}
    for one in sorted(found, key=lambda one: (-one.hit.score, one.recall.root)):
        if one.is_at_home or one.memory not in at_home:
            best.setdefault(one.memory, one)
    return list(best.values())


def _search_all(given: _SearchGiven) -> None:
    """Search every project of the user, and show the best memories of all."""
    from ...files.used_stores import used_stores
    from ..show import show_hits

    if given.root is not None or given.explain:
        raise UsageError("`--all-projects` goes without `--root` and `--explain`", "leave out the other option")
    roots, more = used_stores()
    found: list[_Found] = []
    notes = []
    for root in roots:
        try:
            found += _search_one(given, root)
        except StoreError as error:  # noqa: PERF203 - one store that cannot be read does not hide the others
            notes.append(f"`{root}`: {error.what}")
    groups: dict[str, tuple[Recall, list[Hit]]] = {}
    for one in _each_once(found)[: given.limit]:
        groups.setdefault(one.recall.root, (one.recall, []))[1].append(one.hit)
    if given.as_json:
        projects = [show_hits.as_document(memories, hits) for memories, hits in groups.values()]
        terminal.print_json({"query": given.query, "searched": len(roots), "projects": projects, "notes": notes})
        return
    for root, (_memories, hits) in groups.items():
        terminal.print_lines([f"{terminal.visible(root)}:"])
        show_hits.show(hits, explain=False)
    report_notes(notes)
    if more:
        terminal.report("note", f"{more} more projects were not searched, because they were used longer ago")
    if not groups:
        terminal.report("note", f"nothing found in {counted(len(roots), 'project')}")


def _search_remotely(query: str, limit: int, *, as_json: bool) -> None:
    from ...sync.remote_search import search_servers

    found = search_servers(query, limit)
    if as_json:
        hits = [
            {"team": one.team, "path": one.path, "title": one.title, "trust": one.trust, "score": one.score}
            for one in found
        ]
        terminal.print_json({"query": query, "hits": hits})
        return
    terminal.print_lines(
        [
            f"{one.team}  {terminal.visible(one.path)}  {terminal.visible(one.title) or 'withheld'} ({one.trust})"
            for one in found
        ]
    )
    if not found:
        terminal.report("note", "nothing found: no memory on the servers matches")


@command(
    ROOT, AS_JSON, option("--ci", dest="is_ci", help="Check the files of the store alone, as a pipeline needs it.")
)
def doctor(root: str | None, as_json: bool, is_ci: bool) -> int:
    """Check the installation and the project's memories.

    The exit status is 1 if something fails, such as a file with the conflict markers of a merge.
    """
    from ...observe.doctor.examine import examine
    from ...observe.doctor.finding import worst
    from ..show import show_findings

    if is_ci:
        from ...observe.doctor.project import examine_store

        findings = examine_store(root)
    else:
        from ...hosts.survey import examine_hosts_of

        findings = [*examine(root), *examine_hosts_of(root)]
    if as_json:
        terminal.print_json(show_findings.as_document(findings))
    else:
        show_findings.show(findings)
    return 1 if worst(findings) == "fail" else 0


def _report_embedder(traces: "list[Trace] | None") -> None:
    """Report which embedder has made the vectors, unless it is the built-in table."""
    for trace in (traces or [])[:1]:
        if trace.embedder != STATIC:
            terminal.report("note", f"the vectors are from `{trace.embedder}`")


def _report_lost_backend() -> None:
    """Report a native backend that is installed but does not load."""
    from ..._backend import native_problem

    if native_problem:
        from ...observe.doctor.installation import native_files

        if native_files():
            what = f"the native backend does not load: {native_problem}"
            terminal.report("warning", what, "`cuecard doctor` says more")
