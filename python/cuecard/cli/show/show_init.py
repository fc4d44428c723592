"""Shows what `init` has found and done, in lines for people and for agents."""

from collections import Counter
from dataclasses import dataclass, field

from ...cli import terminal
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...hosts.survey import Surveyed
    from ...importers.discovery import FoundSources
    from ...importers.run import ImportOutcome

MAX_PLACES_CHARS = 60


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


@dataclass
class Started:
    """The results of `init` so far: what it found and did."""

    root: str
    is_new: bool
    offers: list[SourceOffer]
    hooks: list[HookOffer]
    operation: str = ""
    prompt: str = ""
    block: str = ""
    why_silent: str = ""

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
            "written": dict(sorted(Counter([one.status for offer in self.offers for one in offer.outcomes]).items())),
            "operation": self.operation or None,
            "hosts": [
                {"host": one.surveyed.host.name, "file": one.file, "state": one.state, "notes": one.notes}
                for one in self.hooks
            ],
            "prompt": self.prompt or None,
            "block": self.block or None,
        }


def show_found(started: "Started", *, is_dry: bool) -> None:
    """Print the store, the sources with their numbers of memories, and the agent programs."""
    made = "would be made" if is_dry else "made"
    terminal.print_lines([f"memories of {visible(started.root)}: {made if started.is_new else 'there already'}"])
    for offer in started.offers:
        terminal.print_lines(["", f"{offer.found.title}:"])
        rows = [(_shorten(source.path, started.root), source) for source in offer.sources]
        width = max([len(name) for name, _source in rows])
        terminal.print_lines(
            [f"  {name:{width}}  {visible(source.problem) or _count(source.counts)}" for name, source in rows]
        )
    if not started.offers:
        terminal.print_lines(["", "nothing to import was found"])
    if started.hooks:
        terminal.print_lines(["", "agent programs:"])
        for one in started.hooks:
            state = "the hook is installed" if one.state == "installed" else f"not installed: {visible(one.file)}"
            terminal.print_lines([f"  {one.surveyed.host.title}: {state}"])
    else:
        terminal.report(
            "note", "no agent program was found here", "`cuecard hosts` lists the programs that can have the hook"
        )


def question_of(found: "FoundSources", count: int, root: str) -> str:
    """The question before a group of sources is imported."""
    places = ", ".join([_shorten(path, root) for path in found.paths])
    where = found.title if len(places) > MAX_PLACES_CHARS else f"{found.title} ({places})"
    pointers = ", each a pointer to a document" if found.is_extra else ""
    return f"Import {_counted(count)} from {where}{pointers}?"


def show_imported(outcomes: "Sequence[ImportOutcome]") -> None:
    """Report the number of sections with each outcome, and replaced secrets, skipped sections and failures."""
    counts = Counter([outcome.status for outcome in outcomes])
    terminal.report("note", ", ".join([f"{count} {status}" for status, count in sorted(counts.items())]))
    for outcome in outcomes:
        for kind in outcome.secrets:
            terminal.report("warning", f"a secret ({kind}) in `{outcome.where.partition('#')[0]}` was replaced")
        if outcome.status == "skipped":
            terminal.report("note", f"`{outcome.where}` was skipped: {outcome.why}")
        if outcome.status == "failed":
            terminal.report("error", f"`{outcome.where.partition('#')[0]}`: {outcome.why}")


def show_left(started: "Started") -> None:
    """Name the sources that are imported only by a command of their own."""
    for offer in started.offers:
        if offer.found.is_extra and offer.count and not offer.is_wanted:
            places = " ".join([_shorten(source.path, started.root) for source in offer.sources])
            what = f"{offer.count} documents were left out, because they are long texts that only a pointer can name"
            terminal.report("note", what, f"`cuecard import {places} --from {offer.found.kind}` adds the pointers")


def show_hooks(started: "Started") -> None:
    """Print in which agent programs the hook was installed, or could not be installed."""
    for one in started.hooks:
        if one.state == "done":
            terminal.print_lines([f"installed for {one.surveyed.host.title}: {visible(one.file)}"])
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
    elif is_idle and is_offered:
        hint = "run `cuecard init` in a terminal to confirm each step, or `cuecard init --yes` to do all steps"
        made = "the folder of the memories was created, and " if started.is_new else ""
        terminal.report("note", f"{made}nothing was imported or installed", hint)
    elif started.operation:
        terminal.report("note", "the import is one operation", f"`cuecard undo {started.operation}` undoes it")
    if not is_dry and not started.prompt and not (is_idle and is_offered):
        terminal.report("note", "no memory answers yet", 'write one: `cuecard add "Always use pnpm"`')


def _count(counts: "Counter[str]") -> str:
    return ", ".join([f"{count} {category.upper()}" for category, count in sorted(counts.items())])


def _counted(count: int) -> str:
    return f"{count} {'memory' if count == 1 else 'memories'}"


def _shorten(path: str, root: str) -> str:
    """The path relative to the project's folder, or unchanged if it is outside."""
    return visible(path.removeprefix(root.rstrip("/") + "/"))
