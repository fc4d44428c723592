"""The commands with which an agent saves memories, `capture commit` and `capture sources`, and `capture preview`."""

import os

from ...basics.counted import counted
from ...basics.light_dataclass import dataclass
from ...errors import UsageError, ValidationError
from .. import terminal
from ..arguments import argument, command, option
from ..parameters import AS_JSON, ROOT, SCOPE
from ..terminal import visible
from ..text_input import read_json_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...capture.commit import DraftCommit
    from ...capture.commit_outcome import Outcome


# The exit status of a command that has asked a question and waits for the answer.
ASKED = 3


@dataclass
class _CommitGiven:
    """The arguments and options of `cuecard capture commit`."""

    folder: str | None = argument(
        "DIR",
        "The staging folder that the request for drafts named; leave it out for other drafts.",
        dest="folder",
        is_required=False,
    )
    file: str = option(
        "--file", "-f", metavar="FILE", default="-", help="The drafts; `-`, the default, is standard input."
    )
    origin: str = option(
        "--origin", metavar="NAME", default="agent", help="Who asks to save the drafts: agent, user or import."
    )
    dry_run: bool = option("--dry-run", help="Say what would be done, and write nothing.")
    page: bool = option("--page", help="Show what makes a good memory and a draft as an example, and read no drafts.")
    root: str | None = ROOT
    scope: str | None = SCOPE
    as_json: bool = AS_JSON


@command(request=_CommitGiven)
def commit(given: _CommitGiven) -> int:
    """Save drafts of memories from a JSON array: each creates, updates, retires or leaves a memory.

    Each draft is checked and saved on its own. A draft that fails is kept in DIR for a retry; then the exit status is
    1. A vague draft is refused once, with advice. If you send it again, it waits in `cuecard review`. The exit status
    is 3 if a draft is similar to existing memories. Then a JSON document asks for its relation to each of them; answer
    with the same command and `relations` in the draft. It is also 3, once, if several drafts are about one component:
    join the parts of one decision, or send the drafts again. The store is the one that the request for drafts has
    chosen, or else the nearest; `--scope project` and `--scope parent` choose another one. Drafts with `--scope user`,
    or with the member `scope`, wait until the user has accepted them for their own store. Drafts from documents
    (`--origin import`) wait until the user has reviewed them: see `cuecard review`. `cuecard capture commit --page`
    shows a whole draft.
    """
    from ...api import Store
    from ...capture.commit import commit_drafts
    from ...capture.commit_folder import CommitFolder
    from ...capture.commit_write import Provenance
    from ...capture.draft import HINT, MAX_INPUT_BYTES, read_drafts
    from ...capture.guidance import EXAMPLE, good_memory
    from ...capture.review import IMPORT, hand_in
    from ...files.scopes import USER
    from ...store.scopes.scope_choice import root_of_scope

    if given.page:
        terminal.print_lines([*good_memory().splitlines(), "", "A draft as an example:", "", *EXAMPLE.splitlines()])
        return 0
    if given.origin == IMPORT and given.folder is not None:
        raise UsageError("drafts of an import use no folder", "leave DIR out", field="DIR")

    # The first write makes the store of a project without memories.
    store = Store(_root_of_session(given), create=True)
    staging = CommitFolder(store.memory_dir, given.folder) if given.folder is not None else None
    data = read_json_input(given.file, MAX_INPUT_BYTES, "are no drafts", HINT)
    drafts = read_drafts(data, "standard input" if given.file == "-" else f"`{given.file}`")
    if given.scope == USER:
        drafts = [{**raw, "scope": USER} if isinstance(raw, dict) else raw for raw in drafts]
    elif given.scope and staging:
        staging.choose(str(root_of_scope(given.root, given.scope)))
    if given.origin == IMPORT:
        done = hand_in(store, drafts, is_dry_run=given.dry_run, asks=True)
    else:
        done = commit_drafts(
            store, drafts, folder=staging, provenance=Provenance(given.origin, {}), is_dry_run=given.dry_run, asks=True
        )
    if given.as_json:
        terminal.print_json(done.as_dict())
    else:
        _show(done)
    return ASKED if done.question else 1 if done.has_failed else 0


@command(
    argument(
        "TRANSCRIPT",
        "Transcripts of Claude Code, Codex, Gemini CLI or Copilot CLI: sessions of one project, the oldest first.",
        dest="transcripts",
        is_repeatable=True,
    ),
    ROOT,
    AS_JSON,
)
def preview(transcripts: list[str], root: str | None, as_json: bool) -> None:
    """Show what the ledger of a session would contain, and at which stops its agent would be asked.

    Nothing is written, and no agent is asked. The causes of an ask are `word` (the user wants something remembered),
    `compaction`, `earlier` (an earlier session has left entries) and `prompts` (the number of prompts in the setting
    `capture.every` is reached). The preview assumes that the agent answers each ask with "nothing to save".
    """
    from pathlib import Path

    from ..._backend import CaptureSettings
    from ...capture.capture_settings import read_capture_settings
    from ...capture.ledger.preview import preview_sessions
    from ...files.environment import Environment
    from ...files.root import find_project
    from ..show import show_preview

    environment = Environment()
    project = find_project(str(Path.cwd()), root or environment.root, environment.home)
    settings = read_capture_settings(project[1], []) if project else CaptureSettings()
    sessions = preview_sessions(transcripts, settings.every)
    if as_json:
        documents = [show_preview.as_document(session) for session in sessions]
        terminal.print_json({"every": settings.every, "sessions": documents})
        return
    for session in sessions:
        show_preview.show(session)
    if project and not (settings.is_on):
        terminal.report("note", "the settings of this project switch the ledger off; this shows what it would do")


@command(
    argument(
        "SOURCE",
        "Files, or folders with all files below them; by default what `cuecard init` has imported of the project.",
        dest="sources",
        is_required=False,
        is_repeatable=True,
    ),
    option("--limit", "-n", metavar="N", kind=int, default=10, low=1, high=100, help="The most sections to list."),
    option("--again", help="Also list sections that an agent has already handled."),
    ROOT,
    AS_JSON,
)
def sources(sources: list[str], limit: int, again: bool, root: str | None, as_json: bool) -> None:
    """List sections of documents, each with a draft, for an agent that makes memories from them.

    It prints the next sections, with the memories that the store has from the same file, and how many are left. An
    agent reads them with `--json`, and saves its drafts with `cuecard capture commit --origin import`. Each draft
    repeats the `source` of its section. A section that has become a memory or a waiting draft, or that the agent has
    answered otherwise, is not listed again until it changes.
    """
    from ...api import Store
    from ...importers.agent_work import find_import_work
    from ...importers.discovery import find_imported

    store = Store(root, create=True)
    work = find_import_work(store, sources or find_imported(store), again=again)
    # Untrusted text that addresses the model is shown only to the user, in a terminal.
    tasks = [task for task in work.tasks if terminal.is_person_watching() or not task.addresses_model]
    left = sum([task.sections for task in tasks])
    withheld = sum([task.sections for task in work.tasks]) - left
    shown = tasks[:limit]
    if as_json:
        counts = {"sections": work.count, "left": left, "withheld": withheld, "unread": list(work.unread)}
        terminal.print_json({**counts, "work": [task.as_dict() for task in shown]})
        return
    for task in shown:
        place = "#".join([str(task.source[name]) for name in ("path", "heading") if task.source.get(name)])
        what = f"draft of a {task.draft.get('category')}" if task.draft else f"{len(task.left_out)} without a draft"
        terminal.print_lines([f"{visible(place)}  {what}"])
    for name in work.unread:
        terminal.report("note", f"{visible(name)} was left out: reading it takes too long")
    terminal.report("note", f"{left} of {work.count} sections are left")
    if withheld:
        words = counted(withheld, "section addresses", "sections address")
        terminal.report("note", f"{words} the model, its tools or secrets", "read it in a terminal first")


def _root_of_session(given: _CommitGiven) -> str | None:
    """The project that has the session's ledger: the nearest one, or for a staging folder the one that has it.

    Drafts without a folder go to the store that `--scope` names. Raises `UsageError` for the user's own store as a
    folder, and for an unknown scope.
    """
    from ...files.scopes import USER
    from ...files.user_folder import store_path
    from ...store.scopes.scope_choice import not_users_own, root_of_scope
    from ...store.scopes.scoped_stores import find_scoped_stores

    root = not_users_own(given.root)
    named = root_of_scope(root, given.scope) if given.scope and given.scope != USER else root
    if given.folder is None or root is not None:
        return named
    place = os.path.realpath(given.folder)
    for store in find_scoped_stores():
        kept = os.path.realpath(store_path(store.memory_dir, "staging"))
        if not store.left_out and place.startswith(kept + os.sep):
            return store.root
    return None


def _show(done: "DraftCommit") -> None:
    if done.question:
        # Standard output must contain only the question.
        asked = [outcome for outcome in done.outcomes if outcome.status == "asked"]
        drafts = [
            {"category": each.category, "title": each.title, "similar": each.similar, **each.parts_as_dict()}
            for each in asked
        ]
        terminal.print_json({"question": done.question, "drafts": drafts})
    for outcome in done.outcomes:
        if not done.question:
            terminal.print_lines([_line(outcome, done.is_dry_run)])
        elif outcome.status != "asked":
            terminal.report("note", _line(outcome, done.is_dry_run))
        for note in _notes(outcome):
            terminal.report("note", note)
        if outcome.error:
            _report_failure(outcome)
    if not done.outcomes:
        terminal.print_lines(["nothing to save: there is no draft"])
    for note in done.notes:
        terminal.report("warning", note)


def _line(outcome: "Outcome", is_dry_run: bool) -> str:
    """One line about a draft: what was done with it and its target, or why it was not saved."""
    what = {"failed": "kept for a retry" if outcome.kept else "not saved"}.get(outcome.status, outcome.status)
    if is_dry_run:
        what = {"failed": "would fail", "waiting": "would wait"}.get(outcome.status, f"would be {what}")
    named = f"{outcome.category or 'draft'} `{outcome.title}`" if outcome.title else outcome.category or "draft"
    place = outcome.target or named
    why = outcome.error.what if outcome.error else outcome.why
    return f"{what}  {visible(place)}{': ' if why else ''}{visible(why)}"


def _notes(outcome: "Outcome") -> list[str]:
    written = outcome.written
    if written is None:
        return outcome.notes
    notes = [f"a secret ({found.kind}) in `{found.field}` was replaced" for found in written.redactions]
    if written.renamed_from:
        notes.append(f"renamed from `{written.renamed_from}` to match the new title")
    if written.retired:
        notes.append(f"older session summaries retired: {', '.join([f'`{name}`' for name in written.retired])}")
    return [*outcome.notes, *notes, *written.warnings]


def _report_failure(outcome: "Outcome") -> None:
    from ...capture.commit_outcome import ADDRESSING, PERSONAL

    error = outcome.error
    problems = error.problems if isinstance(error, ValidationError) else []
    details = [f"`{found.field}`: expected {found.expected}, found {found.found}; {found.fix}" for found in problems]
    hint = error.hint if error and not details else ""
    if outcome.status == "refused":
        change = {PERSONAL: "leave it out", ADDRESSING: "say it in other words"}.get(outcome.refused_for, "add details")
        hint = f"{change}; the same draft, saved again, waits for the user"
    if outcome.kept:
        hint = "; ".join(
            [part for part in (hint, f"correct the draft and save it again; it is kept in {outcome.kept}") if part]
        )
    terminal.report("error", f"{outcome.category or 'a draft'} was not saved", hint, details)
