"""The command `import`: makes memories of documents, of other tools' memories and of old sessions."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..._backend import engine
from ...basics.counted import counted
from ...basics.light_dataclass import dataclass
from ...errors import StoreError, UsageError
from ...files.scopes import PARENT, PROJECT, USER
from ...files.trust_levels import UNREVIEWED
from .. import terminal
from ..arguments import argument, command, option
from ..import_forbids import tell_forbids
from ..parameters import AS_JSON, ROOT
from ..show.show_accepted import CONFIRM, NOT_SHOWN, accept_on_pages, keep, report_accepted
from ..show.trust_marks import WITHHELD
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...api import Store
    from ...basics.options import ImportKind
    from ...importers.outcomes import ImportOutcome
    from ...store.trust.review import Reviewed

# With fewer files or memories the command is so fast that no progress bar is needed.
MIN_STEPS_OF_A_BAR = 20
ALL = "all"


@dataclass
class _ImportMemoriesGiven:
    """The arguments and options of `cuecard import`."""

    sources: list[str] = argument(
        "SOURCE", "Files, or folders with all files below them.", dest="sources", is_repeatable=True
    )
    dry_run: bool = option("--dry-run", help="Show what would be saved, and write nothing.")
    kind: "ImportKind | None" = option(
        "--from",
        metavar="KIND",
        dest="kind",
        help="adr, runbook, document (a pointer to each), instructions, cursor, auto-memory, basic-memory, memsearch, "
        "memory-bank, mem0, knowledge-graph, claude-mem, transcript or cuecard (an export); by default detected.",
    )
    verbose: bool = option("--verbose", help="Print a line for each section instead of each file.")
    on_similar: str = option(
        "--on-similar",
        metavar="WHAT",
        default="skip",
        help="What to do with a section that is similar to a memory of another source: skip, add, update (replace that "
        "memory) or fail.",
    )
    accept: bool = option("--accept", help="Accept the imported memories without showing their texts.")
    scope: str = option(
        "--scope",
        metavar="SCOPE",
        default=PROJECT,
        help="Of an export, import the memories of this scope into its store: project (the default), parent, user or "
        "all.",
    )
    root: str | None = ROOT
    as_json: bool = AS_JSON


@command(request=_ImportMemoriesGiven)
def import_memories(given: _ImportMemoriesGiven) -> int:
    """Make memories of ADRs, runbooks, CLAUDE.md and other rules, of other tools' memories, and of old sessions.

    Sessions are transcripts of Claude Code (~/.claude/projects/...) and Codex (~/.codex/sessions).

    The output has a line for each file with the outcomes of its sections: they became memories, were duplicates, became
    part of another memory, or were skipped for a reason. `--verbose` and `--json` show the outcome of each section. A
    second import writes only sections that have changed in the source, and reports sections that are gone.

    Imported memories are unreviewed until you accept them: agents see them marked, and never in full. A terminal shows
    their texts and asks. `--accept` accepts them unseen, except those that address the model, its tools or secrets.
    """
    from ...api import Store
    from ...importers.run import import_sources
    from ...store.scopes.scope_choice import not_users_own

    store = Store(not_users_own(given.root), create=True)
    others = _import_other_scopes(given)
    outcomes: list[ImportOutcome] = []
    parts: list[dict[str, str]] = []
    if given.scope in (PROJECT, ALL):
        outcomes, parts = import_sources(
            store, given.sources, given.kind, given.dry_run, show_progress, given.on_similar
        )
        outcomes = [one for one in outcomes if not (others and one.why.startswith("it is of the scope"))]
    unreviewed = [] if given.dry_run else unreviewed_of(store, outcomes)
    outcomes += others
    counts = Counter([outcome.status for outcome in outcomes])
    if not terminal.is_person_watching():
        _hide(outcomes, {one.memory.path for one in unreviewed if one.is_withheld})
    if given.as_json:
        accepted = offer_trust(store, unreviewed, accept=given.accept, as_json=True)
        report = [outcome.as_dict() for outcome in outcomes]
        left = {one.memory.path for one in unreviewed} - {one.memory.path for one in accepted}
        for row in report:
            # Nothing is written by a trial, so nobody vouches for its titles either.
            if row["title"] and (given.dry_run or row["target"] in left):
                row["trust"] = UNREVIEWED
        told: dict[str, object] = {"unreviewed": len(unreviewed) - len(accepted), "accepted": len(accepted)}
        told |= {"note": f"{NOT_SHOWN}; {CONFIRM}"} if accepted else {}
        became = Counter([str(row["became"]) for row in report])
        became["part"] = len(parts)
        counted = {"counts": dict(sorted(counts.items())), "became": dict(sorted(became.items()))}
        terminal.print_json({"dry_run": given.dry_run, **counted, "outcomes": report, "parts": parts, **told})
    else:
        terminal.print_lines(_section_lines(outcomes, parts) if given.verbose else _file_lines(outcomes, parts))
        _tell(outcomes, counts, given.dry_run)
        tell_forbids([] if given.dry_run else written_by(store, outcomes))
        offer_trust(store, unreviewed, accept=given.accept, as_json=False)
    return 1 if counts["failed"] else 0


def _import_other_scopes(given: _ImportMemoriesGiven) -> "list[ImportOutcome]":
    """Import the memories of exports that are not the project's into the stores of their scopes."""
    from ...api import Store
    from ...importers.run import restore_export
    from ...store.backup.restore import is_export
    from ..scope_choice import choose_stores

    if given.scope == PROJECT:
        return []
    for source in given.sources:
        if not is_export(source):
            raise UsageError(f"`{source}` is no export, and only exports have scopes", "leave out `--scope`")
    outcomes = []
    for scope in (PARENT, USER) if given.scope == ALL else (given.scope,):
        stores = choose_stores(scope, given.root, create=not given.dry_run)
        if not stores and given.scope != ALL:
            raise StoreError(
                f"there is no store of the scope `{scope}` here", "`cuecard stores` shows those that count"
            )
        for _scope, root in stores:
            store = Store(root)
            for source in given.sources:
                outcomes += restore_export(store, source, given.dry_run, given.on_similar, scope)
    return outcomes


def _hide(outcomes: "list[ImportOutcome]", withheld: set[str]) -> None:
    """Remove the text of withheld memories, and of sections that address the model, from a report for agents."""
    for outcome in outcomes:
        told = (outcome.where, outcome.title, outcome.why)
        if outcome.target in withheld or any(engine.instruction_signs(text) for text in told):
            outcome.title, outcome.why = "", WITHHELD
            outcome.where = outcome.where.partition("#")[0]
            outcome.contradicts = [words.partition(":")[0] for words in outcome.contradicts]
            outcome.warnings, outcome.similar = [], []


def unreviewed_of(store: "Store", outcomes: "list[ImportOutcome]") -> "list[Reviewed]":
    """The memories that the import has written and nobody has vouched for."""
    return [one for one in written_by(store, outcomes) if one.level == UNREVIEWED]


def written_by(store: "Store", outcomes: "list[ImportOutcome]") -> "list[Reviewed]":
    """The memories that the import has written."""
    from ...store.trust.review import review

    written = {outcome.target for outcome in outcomes if outcome.status in ("created", "updated")}
    if not written:
        return []
    return [one for one in review((store.root, store.memory_dir)) if one.memory.path in written]


def offer_trust(store: "Store", unreviewed: "list[Reviewed]", *, accept: bool, as_json: bool) -> "list[Reviewed]":
    """Accept imported memories if the user wants it, and return those that were accepted.

    With `accept` their texts are not shown, and those that address the model are left. Otherwise a terminal shows each
    text and asks.
    """
    from ...store.trust.review import accept as vouch

    if not unreviewed:
        return []
    if accept:
        accepted = [one for one in unreviewed if not one.is_withheld]
        keep(vouch, accepted)
        if not as_json:
            report_accepted(accepted, [one for one in unreviewed if one.is_withheld], is_shown=False)
        return accepted
    told = counted(len(unreviewed), "memory", "memories")
    is_asked = terminal.is_person_present() and not as_json
    if is_asked and terminal.confirm(f"Read {told} and accept them?"):
        return accept_on_pages((store.root, store.memory_dir), unreviewed)
    if not as_json:
        those = counted(len(unreviewed), "memory is", "memories are")
        terminal.report("note", f"{those} unreviewed", "`cuecard trust` shows and accepts them")
    return []


@contextmanager
def show_progress(what: str, steps: int) -> "Iterator[Callable[[], None]]":
    """Show a progress bar on standard error if it is a terminal and there are enough steps."""
    if steps < MIN_STEPS_OF_A_BAR or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=steps)
        yield lambda: progress.advance(task)


def _section_lines(outcomes: "list[ImportOutcome]", parts: list[dict[str, str]]) -> list[str]:
    """The lines of the report with `--verbose`: one for each section that is new or changed."""
    lines = [_line(outcome) for outcome in outcomes if outcome.status != "unchanged"]
    return lines + [f"part  {visible(part['source'])}  ({visible(part['into'])})" for part in parts]


def _file_lines(outcomes: "list[ImportOutcome]", parts: list[dict[str, str]]) -> list[str]:
    """The lines of the report: one for each file with a new outcome, with counts and reasons.

    A file with a single new outcome gets the line of that section.
    """
    files: dict[str, list[ImportOutcome]] = {}
    for outcome in outcomes:
        files.setdefault(outcome.where.partition("#")[0], []).append(outcome)
    parted = Counter([part["source"].partition("#")[0] for part in parts])
    lines = []
    for name, rows in files.items():
        told = [outcome for outcome in rows if outcome.status != "unchanged"]
        # If the memories are unchanged, the skipped sections were already reported by the import that made the
        # memories.
        if not told or (len(told) < len(rows) and all(outcome.status == "skipped" for outcome in told)):
            continue
        if len(told) == 1:
            lines.append(_line(told[0]))
            continue
        counts = Counter([outcome.status for outcome in told]) + Counter({"part": parted[name]})
        line = f"{visible(name)}  {', '.join([f'{count} {status}' for status, count in sorted(counts.items())])}"
        # The reason of a duplicate contains a number that differs for each section, so only `--verbose` shows it.
        why = Counter([visible(one.why) for one in told if one.why and one.status != "duplicate"])
        reasons = [reason if count == 1 else f"{count} times: {reason}" for reason, count in why.items()]
        lines.append(f"{line}  ({'; '.join(reasons)})" if reasons else line)
    return lines


def _line(outcome: "ImportOutcome") -> str:
    target = f"  {visible(outcome.target)}" if outcome.target else ""
    why = f"  ({visible(outcome.why)})" if outcome.why else ""
    return f"{outcome.status}  {visible(outcome.where)}{target}{why}"


def _tell(outcomes: "list[ImportOutcome]", counts: Counter[str], is_dry: bool) -> None:
    """Report replaced secrets, contradictions and warnings, then the number of sections with each outcome."""
    for outcome in outcomes:
        for kind in outcome.secrets:
            terminal.report("warning", f"a secret ({kind}) in `{outcome.where}` was replaced")
        for opposed in outcome.contradicts:
            terminal.report("warning", f"`{outcome.where}` contradicts `{opposed}`")
        for warning in outcome.warnings:
            terminal.report("warning", f"`{outcome.where}`: {warning}")
    if counts["gone"]:
        hint = "`--verbose` names them; `cuecard retire ID` retires one that does not hold any more"
        terminal.report(
            "note", f"what is gone from its source stays: {counted(counts['gone'], 'memory', 'memories')}", hint
        )
    told = ", ".join([f"{count} {status}" for status, count in sorted(counts.items())]) or "nothing found"
    hint = "run it without `--dry-run` to save the memories" if is_dry and counts["created"] + counts["updated"] else ""
    terminal.report("note", f"{told}{'; nothing was written' if is_dry else ''}", hint)
