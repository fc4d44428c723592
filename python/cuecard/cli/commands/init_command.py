"""The command that sets up cuecard in a project: `init`."""

from collections import Counter

from ...errors import HostFileError, InputError, StoreError
from .. import terminal
from ..arguments import command, option
from ..parameters import AS_JSON, ROOT
from ..show import show_init
from ..show.show_init import GitOffer, HookOffer, OfferedSource, SourceOffer, Started

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...api import Store
    from ...hosts.host_environment import HostEnvironment
    from ...importers.discovery import FoundSources

WRITTEN = ("created", "updated")
# How many memories are tried, at most, to find a memory that its own question or title brings up.
MAX_SAMPLES = 20
# What can be installed in an agent program.
HOOK, PLUGIN = "hook", "plugin"


@command(
    option(
        "--yes",
        "-y",
        help="Import what is found except ordinary documents, and install the hook in every host.",
    ),
    option("--dry-run", help="Show what is found, and write nothing."),
    ROOT,
    AS_JSON,
)
def init(yes: bool, dry_run: bool, root: str | None, as_json: bool) -> int:
    """Set up a project: its store, imports of its documents, the hook.

    It looks for decision records, runbooks, instruction files and rules in the project. In your home folder it looks
    for sessions of this project and for memories of other tools about it. It names what it would leave out. On a
    terminal it asks before each import and each installation. It lists what the imported rules forbid, and shows ten
    of the imported memories, so that you can strike some out and vouch for the rest. Elsewhere it makes the store, but
    imports and installs nothing without `--yes`, which vouches for nothing. In a repository of git, it writes the line
    that ignores `index.md`, and offers to let git merge memories by field. At the end it answers one prompt from the
    memories. `cuecard undo` undoes the import, and `cuecard uninstall HOST` removes the hook.
    """
    from ...api import Store
    from ...files.checkouts import record_checkout
    from ...files.root import refuse_beginning
    from ...hosts.host_environment import read_host_environment
    from ...importers.discovery import PROJECT, find_passed_over, find_sources
    from ...store.scopes.scope_choice import not_users_own

    store = Store(not_users_own(root), create=True)
    environment = read_host_environment(store.root)
    refuse_beginning(store.root)
    is_asked = terminal.is_person_watching() and terminal.is_person_typing() and not (as_json or yes or dry_run)
    found = find_sources(store.root, str(environment.home), environment.variables)
    started = Started(store.root, _make_store(store, is_dry=dry_run), *_find(store, environment, found))
    read = [path for group in found if group.title == PROJECT for path in group.paths]
    pointed = {name for offer in started.offers for name in offer.pointed}
    started.passed_over = [name for name in find_passed_over(store.root, read) if name not in pointed]
    if not as_json:
        show_init.show_found(started, is_dry=dry_run)
    if not dry_run:
        record_checkout(store.root)
        _import(store, started, yes=yes, is_asked=is_asked, as_json=as_json)
        _install(started, environment, yes=yes, is_asked=is_asked)
        _set_up_git(store, started, yes=yes, is_asked=is_asked)
        _record_programs(as_json=as_json)
        if not as_json:
            show_init.show_hooks(started)
            show_init.show_git(started)
        _answer(store, started, is_asked=is_asked)
    if as_json:
        terminal.print_json(started.as_dict())
    else:
        show_init.show_end(started, is_idle=not (yes or is_asked), is_dry=dry_run)
    has_failed = any(one.status == "failed" for offer in started.offers for one in offer.outcomes)
    return 1 if has_failed or any(one.state == "failed" for one in started.hooks) else 0


def _make_store(store: "Store", *, is_dry: bool) -> bool:
    """Make the folder of the memories if it is missing (unless `is_dry`). Returns whether it was missing."""
    from pathlib import Path

    if Path(store.memory_dir).is_dir():
        return False
    if not is_dry:
        store.index()
    return True


def _find(
    store: "Store", environment: "HostEnvironment", found: "Sequence[FoundSources]"
) -> tuple[list[SourceOffer], list[HookOffer]]:
    """The sources from which an import would write memories, and the agent programs on this machine."""
    from ...basics.time_limit import time_limit
    from ...hosts.survey import survey
    from ...importers.source import ALL_SECONDS

    with time_limit(ALL_SECONDS):
        offers = [
            offer for group in found if (offer := _preview(store, group)).sources or offer.left_out or offer.pointed
        ]
    hooks = []
    for one in survey(environment):
        if one.is_there:
            # A hook whose command is missing does not count as installed, so that it is replaced.
            is_ours = any(each.commands for each in one.installations) and not one.is_broken
            is_installed = bool(one.other) or is_ours
            file = str(one.host.file(one.host.scopes[0], environment))
            hooks.append(HookOffer(one, file, "installed" if is_installed else "offered"))
    return offers, hooks


def _preview(store: "Store", group: "FoundSources") -> SourceOffer:
    """The offer to import a group: its sources that give memories, with the number of memories of each.

    What an import would leave out is named too, except for sources that were imported before.
    """
    from ...importers.agent_work import find_handled_files
    from ...importers.run import Import
    from ...importers.source import TOO_SLOW, read_apart
    from .import_command import show_progress

    importing = Import(store, True)
    offer = SourceOffer(group, [])
    read = read_apart(group.paths, group.kind, store.root, show_progress)
    for path, readings in ((path, read[path]) for path in group.paths):
        source = OfferedSource(path, Counter())
        if isinstance(readings, InputError):
            source.problem = readings.what
        else:
            outcomes = importing.run(readings, lambda: None)
            source.counts.update([outcome.category for outcome in outcomes if outcome.status in WRITTEN])
            is_new = source.counts or not any(outcome.status == "unchanged" for outcome in outcomes)
            if group.is_extra:
                # Its other documents are named among those that are not read.
                offer.pointed += [one.where for one in outcomes if one.target]
            elif is_new:
                handled = find_handled_files(store, readings)
                left = [
                    one for one in outcomes if one.status == "skipped" and one.where.partition("#")[0] not in handled
                ]
                offer.left_out += [_told(one.where, one.why) for one in left]
            if not source.counts and any(why.startswith(TOO_SLOW) for each in readings for _name, why in each.skipped):
                source.problem = TOO_SLOW
        if source.problem or source.counts:
            offer.sources.append(source)
    return offer


def _told(where: str, why: str) -> tuple[str, str]:
    """A place and a reason, without what addresses the model: an agent may read the list."""
    from ..._backend import engine
    from ..show.trust_marks import WITHHELD

    if any(engine.instruction_signs(text) for text in (where, why)):
        return where.partition("#")[0], WITHHELD
    return where, why


def _import(store: "Store", started: Started, *, yes: bool, is_asked: bool, as_json: bool) -> None:
    """Import the groups that the user wants, as one operation of the journal."""
    from ...importers.run import import_sources
    from ...store.writes.journal import operation
    from ..import_forbids import strike_forbids, tell_forbids
    from ..import_sample import review_import
    from .import_command import show_progress, unreviewed_of, written_by

    for offer in started.offers:
        is_meant = yes and not offer.found.is_extra
        offer.is_wanted = bool(offer.count) and (
            is_meant or (is_asked and terminal.confirm(show_init.question_of(offer.found, offer.count, started.root)))
        )
    with operation("init") as opened:
        for offer in started.offers:
            if offer.is_wanted:
                paths = [source.path for source in offer.sources if not source.problem]
                offer.outcomes = import_sources(store, paths, offer.found.kind, progress=show_progress)[0]
        started.operation = opened.id
        outcomes = [one for offer in started.offers for one in offer.outcomes]
        if not as_json and outcomes:
            show_init.show_imported(outcomes)
        if not as_json and yes:
            show_init.show_left(started)
        if is_asked:
            strike_forbids(store, written_by(store, outcomes))
        elif not as_json:
            tell_forbids(written_by(store, outcomes))
        unreviewed = unreviewed_of(store, outcomes)
        started.unreviewed = review_import(store, unreviewed) if is_asked and unreviewed else len(unreviewed)


def _install(started: Started, environment: "HostEnvironment", *, yes: bool, is_asked: bool) -> None:
    """Install the hook, or the plugin, in the agent programs for which the user wants it."""
    for one in started.hooks:
        if one.state != "offered" or not (yes or is_asked):
            continue
        answer = HOOK if yes else _ask_about(one, environment)
        if answer == HOOK:
            _install_hook(one, environment)
        elif answer == PLUGIN:
            _install_plugin(one, environment)
        else:
            one.state = "declined"


def _ask_about(one: HookOffer, environment: "HostEnvironment") -> str:
    """Ask what the user wants in a host: the hook, the plugin where the host has plugins, or nothing."""
    title, file = one.surveyed.host.title, terminal.visible(one.file)
    one.plugin = _find_plugin(one, environment)
    if not one.plugin:
        _say_why_no_plugin(one)
        return HOOK if terminal.confirm(f"Install the hook in {title} ({file})?") else ""
    show_init.show_choice(one)
    answers = {"p": PLUGIN, "plugin": PLUGIN, "h": HOOK, "hook": HOOK, "n": "", "no": "", "": ""}
    return terminal.choose(f"Install which in {title}? [p/h/N]", answers)


def _find_plugin(one: HookOffer, environment: "HostEnvironment") -> str:
    """The folder from which the host can install the plugin; "" if there is none, or the host has no plugins."""
    from ...hosts.programs.claude_plugin import HOST, PROGRAM, find_plugin_source

    if one.surveyed.host.name != HOST or not environment.has_program(PROGRAM):
        return ""
    return str(find_plugin_source() or "")


def _say_why_no_plugin(one: HookOffer) -> None:
    """Say why a host that has plugins can have only the hook."""
    from ...hosts.programs.claude_plugin import HOST, PROGRAM, find_plugin_source

    if one.surveyed.host.name == HOST:
        why = f"`{PROGRAM}` is not on PATH" if find_plugin_source() else "its files are not in this installation"
        terminal.report("note", f"only the hook can be installed, and not the plugin with `/cuecard:*`: {why}")


def _plugin_line() -> str:
    """The shell line that installs the plugin of Claude Code; "" if this installation does not have its files."""
    import shlex

    from ...hosts.programs.claude_plugin import find_plugin_source, plugin_commands

    source = find_plugin_source()
    return " && ".join(map(shlex.join, plugin_commands(str(source)))) if source else ""


def _install_plugin(one: HookOffer, environment: "HostEnvironment") -> None:
    from ...hosts.programs.claude_plugin import install_plugin, plugin_commands

    problem = install_plugin(one.plugin, environment)
    one.state, one.has_plugin = "failed" if problem else "done", not problem
    if problem:
        one.notes = [problem, f"by hand: `{' && '.join(map(' '.join, plugin_commands(one.plugin)))}`"]


def _install_hook(one: HookOffer, environment: "HostEnvironment") -> None:
    from .host_commands import install_hook

    host = one.surveyed.host
    try:
        change, one.notes = install_hook(host, host.scopes[0], environment, is_dry=False)
        one.state, one.file = "done", str(change.file)
    except HostFileError as error:
        one.state, one.notes = "failed", [error.what]


def _set_up_git(store: "Store", started: Started, *, yes: bool, is_asked: bool) -> None:
    """Let git ignore `index.md`, and merge memories by field if the user wants that."""
    from ...capture.program import find_own
    from ...store.merging.git_setup import ignore_index, read_git_setup, register_driver

    setup = read_git_setup(store.root)
    if setup is None:
        return
    git = started.git = GitOffer(setup)
    try:
        git.has_line = not setup.ignores_index and ignore_index(store.memory_dir)
        program = find_own(store.root)
        if not setup.has_driver and program and (yes or (is_asked and terminal.confirm(show_init.DRIVER_QUESTION))):
            register_driver(store.root, str(program))
            git.has_new_driver = True
    except StoreError as error:
        git.problem = f"{error.what}; {error.hint}"


def _record_programs(*, as_json: bool) -> None:
    """Record the programs that the plugin's launchers start, and say so if that fails."""
    from .host_commands import note_programs

    for note in note_programs():
        if not as_json:
            terminal.report("note", note)


def _answer(store: "Store", started: Started, *, is_asked: bool) -> None:
    """Find a prompt that a memory answers, answer it as the hook would, and let the user try another prompt."""
    from ...capture.enriching.enrichment import find_work

    work = find_work(store)
    started.work, started.withheld = len(work.tasks), work.withheld
    started.plugin_commands = _plugin_line()
    created = {one.target for offer in started.offers for one in offer.outcomes}
    # New memories are tried first. Session summaries are tried last, because few prompts ask for one.
    memories = store.memories()
    memories.sort(key=lambda memory: (memory.path not in created, memory.category == "session_summary"))
    memories = memories[:MAX_SAMPLES]
    for memory in memories:
        questions = memory.extension.get("questions")
        prompt = str(questions[0]) if isinstance(questions, list) and questions else memory.title
        injection = store.inject(prompt)
        if any(one.is_shown and one.hit.path == memory.path for one in injection.memories):
            started.prompt, started.block = prompt, injection.block
            break
    if is_asked and memories:
        prompt = terminal.ask("Ask something, as you would ask your agent", terminal.visible(started.prompt))
        if prompt != started.prompt:
            started.prompt, started.block = prompt, store.inject(prompt).block
            started.why_silent = store.why_silent(prompt)
