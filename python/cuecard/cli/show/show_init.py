"""Shows what `init` has found and done, in lines for people and for agents."""

from collections import Counter
from dataclasses import dataclass, field

from ...basics.counted import counted
from ...cli import terminal
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...hosts.survey import Surveyed
    from ...importers.discovery import FoundSources
    from ...importers.outcomes import ImportOutcome
    from ...store.merging.git_setup import GitSetup

MAX_PLACES_CHARS = 60
# What is left out is shown in so many groups, with so many names of so many characters each.
MAX_GROUPS = 6
MAX_NAMES = 4
MAX_NAMED = 3
MAX_NAME_CHARS = 48
# So many places with ordinary documents are shown.
MAX_PLACES = 8
DRIVER_QUESTION = "Let git merge memories by field in this clone (`cuecard merge-file`)?"


@dataclass
class OfferedSource:
    """A file or folder that can be imported, and what the import would write."""

    path: str
    counts: Counter[str]
    """The number of memories of each category."""
    problem: str = ""
    """Why the file or folder cannot be imported; "" if it can."""


@dataclass
class SourceOffer:
    """A group of sources that the user imports or declines as a whole."""

    found: "FoundSources"
    sources: list[OfferedSource]
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """The places of sections from which the import would make nothing, each with the reason."""
    pointed: list[str] = field(default_factory=list)
    """The documents that have a pointer, or would get one."""
    outcomes: "list[ImportOutcome]" = field(default_factory=list)
    is_wanted: bool = False

    @property
    def count(self) -> int:
        """The number of memories that the import of the group would write."""
        return sum([source.counts.total() for source in self.sources])


@dataclass
class HookOffer:
    """An agent program on this machine, and the state of the offer to install the hook in it."""

    surveyed: "Surveyed"
    file: str
    state: str
    """`installed`, `offered`, `declined`, `done` or `failed`."""
    notes: list[str] = field(default_factory=list)
    plugin: str = ""
    """The folder from which the plugin can be installed; "" if only the hook can be."""
    has_plugin: bool = False
    """Whether the plugin was installed instead of the hook."""


@dataclass
class GitOffer:
    """What was done so that branches of the project merge well."""

    setup: "GitSetup"
    has_line: bool = False
    """Whether the line that ignores `index.md` was written."""
    has_new_driver: bool = False
    problem: str = ""


@dataclass
class Started:
    """The results of `init` so far: what it found and did."""

    root: str
    is_new: bool
    offers: list[SourceOffer]
    hooks: list[HookOffer]
    passed_over: list[str] = field(default_factory=list)
    """The documents of the project from which nothing is imported, relative to it."""
    git: GitOffer | None = None
    """None outside of a repository."""
    operation: str = ""
    unreviewed: int = 0
    """How many imported memories nobody has vouched for."""
    prompt: str = ""
    block: str = ""
    why_silent: str = ""
    work: int = 0
    """How many memories lack questions or a clear title, and may be read by an agent."""
    plugin_commands: str = ""
    """The shell line that installs the plugin of Claude Code; "" if this installation does not have it."""
    withheld: int = 0
    """How many others lack them, and are withheld from agents."""

    def as_dict(self) -> dict[str, object]:
        """The results as an object for `--json`."""
        return {
            "root": self.root,
            "created": self.is_new,
            "sources": [
                {
                    "group": offer.found.title,
                    "path": source.path,
                    "counts": dict(sorted(source.counts.items())),
                    "problem": source.problem or None,
                    "imported": offer.is_wanted,
                }
                for offer in self.offers
                for source in offer.sources
            ],
            "left_out": [{"source": where, "why": why} for offer in self.offers for where, why in offer.left_out],
            "passed_over": self.passed_over,
            "unreviewed": self.unreviewed,
            "withheld": self.withheld,
            "written": dict(sorted(Counter([one.status for offer in self.offers for one in offer.outcomes]).items())),
            "operation": self.operation or None,
            "hosts": [
                {
                    "host": one.surveyed.host.name,
                    "file": one.file,
                    "state": one.state,
                    "plugin": one.has_plugin,
                    "notes": one.notes,
                }
                for one in self.hooks
            ],
            "git": self._git(),
            "prompt": self.prompt or None,
            "block": self.block or None,
        }

    def _git(self) -> dict[str, object] | None:
        if self.git is None:
            return None
        setup = self.git.setup
        return {
            "index_committed": setup.keeps_index,
            "ignore_line_written": self.git.has_line,
            "driver": setup.has_driver or self.git.has_new_driver,
            "problem": self.git.problem or None,
        }


def show_git(started: "Started") -> None:
    """Print what was done in the repository, and how git forgets an `index.md` that is committed."""
    git = started.git
    if git is None:
        return
    if git.has_line:
        terminal.print_lines(["git ignores index.md, which is made from the memories: `.claude/memory/.gitignore`"])
    if git.setup.keeps_index:
        what = "index.md is committed, so branches that add memories conflict in it"
        terminal.report("note", what, f"`{git.setup.forget_index}`, and commit that")
    if git.has_new_driver:
        terminal.print_lines(["git merges memories by field in this clone"])
    if git.problem:
        terminal.report("warning", git.problem)


def show_found(started: "Started", *, is_dry: bool) -> None:
    """Print the store, the sources with their numbers of memories, and the agent programs."""
    made = "would be made" if is_dry else "made"
    terminal.print_lines([f"memories of {visible(started.root)}: {made if started.is_new else 'there already'}"])
    for offer in started.offers:
        if not offer.sources:
            continue
        terminal.print_lines(["", f"{offer.found.title}:"])
        terminal.print_lines(_rows_of(offer, started.root))
    if not any(offer.sources for offer in started.offers):
        terminal.print_lines(["", "nothing to import was found"])
    _show_left_out(started)
    if started.hooks:
        terminal.print_lines(["", "agent programs:"])
        for one in started.hooks:
            state = "the hook is installed" if one.state == "installed" else f"not installed: {visible(one.file)}"
            terminal.print_lines([f"  {one.surveyed.host.title}: {state}"])
    else:
        terminal.report(
            "note", "no agent program was found here", "`cuecard hosts` lists the programs that can have the hook"
        )


def _rows_of(offer: SourceOffer, root: str) -> list[str]:
    """A line for each source of a group. Of many places with ordinary documents, those with the most have a line."""
    sources = offer.sources
    if offer.found.is_extra:
        sources = sorted(sources, key=lambda source: (not source.problem, -source.counts.total()))
    shown = sources[:MAX_PLACES] if offer.found.is_extra else sources
    rows = [(_shorten(source.path, root), _told_of(source, offer)) for source in shown]
    width = max([len(name) for name, _told in rows])
    lines = [f"  {name:{width}}  {told}" for name, told in rows]
    if sources[len(shown) :]:
        more = counted(sum([source.counts.total() for source in sources[len(shown) :]]), "pointer")
        places = counted(len(sources) - len(shown), "more place", "more places")
        lines.append(f"  {places} with {more}, which `cuecard init --dry-run --json` lists")
    return lines


def _told_of(source: OfferedSource, offer: SourceOffer) -> str:
    pointers = f"{source.counts.total()} POINTER" if offer.found.is_extra else _count(source.counts)
    return visible(source.problem) or pointers


def _show_left_out(started: "Started") -> None:
    """Print by name what is left out: sections by the reason, and documents by their folder."""
    sections: dict[str, list[str]] = {}
    for offer in started.offers:
        for where, why in offer.left_out:
            sections.setdefault(why, []).append(_last_heading(where))
    if sections:
        count = sum(map(len, sections.values()))
        terminal.print_lines(["", f"left out: {counted(count, 'section')}"])
        ordered = sorted(sections.items(), key=lambda pair: -len(pair[1]))
        for why, places in ordered[:MAX_GROUPS]:
            terminal.print_lines([f"  {len(places)}: {visible(why)}", f"     {_names(places)}"])
        if ordered[MAX_GROUPS:]:
            rest = sum([len(places) for _why, places in ordered[MAX_GROUPS:]])
            terminal.print_lines([f"  {rest}: other reasons, which `cuecard init --dry-run --json` lists"])
    folders: dict[str, list[str]] = {}
    for name in started.passed_over:
        folder, _, file = name.rpartition("/")
        folders.setdefault(folder or ".", []).append(file)
    if folders:
        count = len(started.passed_over)
        terminal.print_lines(["", f"not read: {counted(count, 'document')} of other kinds"])
        for folder, files in list(folders.items())[:MAX_GROUPS]:
            terminal.print_lines([f"  {visible(folder)}: {_names(files)}"])
        if len(folders) > MAX_GROUPS:
            rest = sum(map(len, list(folders.values())[MAX_GROUPS:]))
            terminal.print_lines([f"  {rest} more, which `cuecard init --dry-run --json` lists"])


def _last_heading(where: str) -> str:
    """A place as people name it: the file, and the last heading on the way to the section."""
    path, _, heading = where.partition("#")
    file = path.rpartition("/")[2]
    return f"{file}#{heading.rpartition(' > ')[2]}" if heading else file


def _names(names: "Sequence[str]") -> str:
    shown = ", ".join([visible(name)[:MAX_NAME_CHARS] for name in names[:MAX_NAMES]])
    return f"{shown} and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else shown


def show_choice(one: "HookOffer") -> None:
    """Print what can be installed in a host that has plugins."""
    terminal.print_lines(
        [
            "",
            f"{one.surveyed.host.title} can have the plugin, or the hooks alone:",
            f"  [p] the plugin: the hooks and the commands `/cuecard:*`, from {visible(one.plugin)}",
            f"  [h] the hooks alone, in {visible(one.file)}",
            "  [n] nothing",
        ]
    )


def question_of(found: "FoundSources", count: int, root: str) -> str:
    """The question before a group of sources is imported."""
    places = ", ".join([_shorten(path, root) for path in found.paths])
    where = found.title if len(places) > MAX_PLACES_CHARS else f"{found.title} ({places})"
    pointers = ", each a pointer to a document" if found.is_extra else ""
    return f"Import {counted(count, 'memory', 'memories')} from {where}{pointers}?"


def show_imported(outcomes: "Sequence[ImportOutcome]") -> None:
    """Report the number of sections with each outcome, and replaced secrets and failures."""
    counts = Counter([outcome.status for outcome in outcomes])
    terminal.report("note", ", ".join([f"{count} {status}" for status, count in sorted(counts.items())]))
    for outcome in outcomes:
        for kind in outcome.secrets:
            terminal.report("warning", f"a secret ({kind}) in `{outcome.where.partition('#')[0]}` was replaced")
        if outcome.status == "failed":
            terminal.report("error", f"`{outcome.where.partition('#')[0]}`: {outcome.why}")


def show_left(started: "Started") -> None:
    """Name the sources that are imported only by a command of their own."""
    for offer in started.offers:
        if offer.found.is_extra and offer.count and not offer.is_wanted:
            places = [_shorten(source.path, started.root) for source in offer.sources]
            named, more = " ".join(places[:MAX_NAMED]), len(places) - MAX_NAMED
            those = counted(offer.count, "document was", "documents were")
            what = f"{those} left out, because an import makes only a pointer of each"
            rest = f" of these; {more} more places are in `cuecard init --dry-run --json`" if more > 0 else ""
            terminal.report("note", what, f"`cuecard import {named} --from {offer.found.kind}` adds the pointers{rest}")


def show_hooks(started: "Started") -> None:
    """Print in which agent programs the hook was installed, or could not be installed."""
    for one in started.hooks:
        if one.state == "done":
            what = "the plugin, which counts in its next session" if one.has_plugin else visible(one.file)
            terminal.print_lines([f"installed for {one.surveyed.host.title}: {what}"])
        if one.state == "failed":
            terminal.report("error", f"not installed for {one.surveyed.host.title}")
        for note in one.notes:
            terminal.report("note", note)


def show_end(started: "Started", *, is_idle: bool, is_dry: bool) -> None:
    """Print the sample prompt with its answer, and notes about the next steps."""
    if started.prompt:
        terminal.print_lines(["", f"prompt: {visible(started.prompt)}"])
        terminal.print_lines(started.block.splitlines() or [f"nothing is injected: {started.why_silent}"])
    is_offered = any(offer.count for offer in started.offers) or any(one.state == "offered" for one in started.hooks)
    if is_dry:
        terminal.report(
            "note",
            "nothing was written",
            "run `cuecard init` to confirm each step, or `cuecard init --yes` to do all steps",
        )
        return
    if is_idle and is_offered:
        hint = "run `cuecard init` in a terminal to confirm each step, or `cuecard init --yes` to do all steps"
        made = "the folder of the memories was created, and " if started.is_new else ""
        terminal.report("note", f"{made}nothing was imported or installed", hint)
        return
    if started.operation:
        terminal.report("note", "the import is one operation", f"`cuecard undo {started.operation}` undoes it")
    if started.unreviewed:
        those = counted(started.unreviewed, "memory is", "memories are")
        what = f"{those} unreviewed: agents see them marked, and never in full"
        terminal.report("note", what, "`cuecard trust` shows their texts and accepts them")
    if started.withheld:
        those = counted(started.withheld, "of these is", "of these are")
        what = f"{those} withheld from agents, because a text in it reads like an order to them"
        terminal.report("note", what, "read them with `cuecard trust` first: no agent can complete them before")
    if not started.prompt:
        terminal.report("note", "no memory answers yet", 'write one: `cuecard add "Always use pnpm"`')
    elif started.work:
        terminal.report("note", _left_to_agent(started), _next_step(started))


def _left_to_agent(started: "Started") -> str:
    sections = sum([len(offer.left_out) for offer in started.offers if offer.is_wanted])
    left = f", and {counted(sections, 'section was', 'sections were')} left out" if sections else ""
    those = counted(started.work, "memory has", "memories have")
    return f"{those} no questions yet, by which prompts find them{left}"


def _next_step(started: "Started") -> str:
    """The one step that is left, for the agent programs that are there."""
    if any(one.has_plugin or one.surveyed.other for one in started.hooks):
        return "open Claude Code in this project and type `/cuecard:finish`, which writes them"
    if started.plugin_commands:
        return (
            "let your agent write them: `cuecard enrich`, or `/cuecard:finish` in Claude Code with the plugin, which "
            f"`{started.plugin_commands}` installs"
        )
    return "let your agent write them: `/cuecard:finish` with the plugin for Claude Code, or `cuecard enrich`"


def _count(counts: "Counter[str]") -> str:
    return ", ".join([f"{count} {category.upper()}" for category, count in sorted(counts.items())])


def _shorten(path: str, root: str) -> str:
    """The path relative to the project's folder, or unchanged if it is outside."""
    return visible(path.removeprefix(root.rstrip("/") + "/"))
