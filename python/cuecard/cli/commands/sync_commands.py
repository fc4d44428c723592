"""The commands that exchange memories with a team: `sync ...` and `share`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...basics.counted import counted
from ...basics.light_dataclass import dataclass
from ...errors import CuecardError, UsageError
from .. import terminal
from ..arguments import argument, command, option
from ..noted_acts import note_here
from ..parameters import AS_JSON, ROOT
from ..show import show_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...sync.exchange import Pull, Push
    from ...sync.teams import Team

TEAM = argument("TEAM", "The team; by default each that you have joined.", is_required=False)


@dataclass
class _Joined:
    """The arguments and options of `cuecard sync join`."""

    url: str = argument("URL", "A git repository that your git can reach, `postgresql://...`, or `service=NAME`.")
    name: str = option("--as", metavar="NAME", dest="name", default="", help="How the team is called here.")
    scope: str = option("--scope", metavar="NAME", default="", help="The scope on a PostgreSQL server.")
    role: str = option("--role", metavar="NAME", default="", help="The role that you take on a PostgreSQL server.")
    branch: str = option(
        "--branch", metavar="NAME", default="", help="The branch of a git repository; by default its own."
    )
    trust: bool = option("--trust", help="Vouch for everything that the team shares.")
    signed_by: list[str] = option(
        "--signed-by", metavar="KEY", is_repeatable=True, help="Vouch for what commits signed by this key chose."
    )
    as_json: bool = AS_JSON


@dataclass
class _ShareGiven:
    """The arguments and options of `cuecard share`."""

    memories: list[str] = argument(
        "MEMORY", "An id, CATEGORY/ID, or a path.", dest="memories", is_required=False, is_repeatable=True
    )
    to: str = option("--to", metavar="TEAM", default="", help="The team; you can leave it out if you are in one.")
    category: str = option(
        "--category", "-c", metavar="CATEGORY", default="", help="Share all of this category, also later ones."
    )
    path: str = option(
        "--path", metavar="PATTERN", default="", help="Share all about files that match, such as `src/api/*`."
    )
    withdraw: bool = option("--withdraw", help="Let the next push delete the memories for the whole team.")
    root: str | None = ROOT
    as_json: bool = AS_JSON


@command(request=_Joined)
def join(given: _Joined) -> None:
    """Join a team, and pull its memories.

    The URL is written into your own configuration; a repository cannot name one. The memories are unreviewed, which
    agents see, unless you vouch for the team or for the keys of its members. You can be in three teams at most.
    """
    from dataclasses import replace

    from ...store.trust.signatures import read_key
    from ...sync.teams import add_team, make_team, open_remote
    from ...sync.urls import is_postgres

    team = make_team(given.url, given.name, given.scope, given.role, given.branch)
    for key in given.signed_by:
        read_key(key)
    if given.signed_by and is_postgres(given.url):
        raise UsageError("a server has no signed commits", "`--trust` vouches for everything that the team shares")
    remote = open_remote(team)
    try:
        scopes = [one.name for one in remote.scopes()]
    finally:
        remote.close()
    if is_postgres(given.url) and team.scope not in scopes:
        listed = ", ".join([f"`{name}`" for name in scopes[:10]]) or "none"
        raise UsageError(f"you can read no scope `{team.scope}` there", f"`--scope` names one of these: {listed}")
    team = replace(team, is_trusted=given.trust, signed_by=tuple(given.signed_by))
    add_team(team)
    note_here("sync join", f"`cuecard sync leave {team.name}` leaves it")
    done = _pull(team)
    if given.as_json:
        terminal.print_json({"team": team.name, "url": team.place, **show_sync.pull_as_dict(done)})
        return
    terminal.report("note", f"joined `{team.name}`", "`cuecard share MEMORY` shares a memory with it")
    show_sync.show_pull(team, done)


@command(argument("TEAM", "The team."), AS_JSON)
def leave(team: str, as_json: bool) -> None:
    """Leave a team: its memories and what waits for it are removed from this machine.

    What you shared stays with the team. If you join it again, later versions follow as before.
    """
    from ...sync.exchange import leave_team
    from ...sync.teams import find_to_leave

    found = find_to_leave(team)
    left = leave_team(found)
    note_here("sync leave", "`cuecard sync join` joins the team again")
    if as_json:
        terminal.print_json({"team": found.name, "waiting": left.waiting, "damaged": left.is_damaged})
        return
    again = "`cuecard sync join` joins it again"
    terminal.report("note", f"left `{found.name}`, and removed its memories from this machine", again)
    if left.waiting:
        waited = counted(len(left.waiting), "memory", "memories")
        terminal.report("warning", f"{waited} waited to be pushed", details=left.waiting[:20])
    if left.is_damaged:
        what = "the notes about the team were damaged, so what you shared with it is forgotten"
        terminal.report("warning", what, "`cuecard share` it again after joining")


@command(TEAM, option("--offline", help="Do not ask the remotes."), AS_JSON)
def status(team: str | None, offline: bool, as_json: bool) -> int:
    """Show what a pull and a push would do, and check the files of the packs.

    The exit status is 1 if somebody has changed the files of a pack, or the state of a team cannot be read.
    """
    from ...sync.team_status import read_status
    from ...sync.teams import list_out_of_place

    documents: list[dict[str, object]] = []
    failed = 0
    for one in _teams(team):
        try:
            found = read_status(one, asks_remote=not offline)
        except CuecardError as error:
            failed = 1
            documents.append(_failed(one, error))
            continue
        failed = failed or int(bool(found.tampered))
        documents.append(show_sync.status_as_dict(found))
        if not as_json:
            show_sync.show_status(found)
    others = list_out_of_place()
    if as_json:
        listed = [{"team": one.name, "reason": one.reason} for one in others]
        terminal.print_json({"teams": documents, "out_of_place": listed})
    else:
        show_sync.show_out_of_place(others)
    return failed


@command(
    TEAM,
    option("--watch", help="Pull again and again, until you stop it."),
    option(
        "--every",
        metavar="SECONDS",
        kind=int,
        default=600,
        low=10,
        high=86_400,
        help="How often with --watch.",
    ),
    option("--quiet", help="Print nothing; `cuecard doctor` shows what failed."),
    AS_JSON,
)
def pull(team: str | None, watch: bool, every: int, quiet: bool, as_json: bool) -> int:
    """Pull the memories of your teams, and hand them to the prompts that follow.

    A pull that fails changes nothing, and one that was stopped goes on where it was. The exit status is 1 if one has
    failed.
    """
    import time

    if watch and not quiet and not as_json:
        terminal.report("note", f"pulling every {every} seconds until you stop it")
    while True:
        documents: list[dict[str, object]] = []
        failed = 0
        for one in _teams(team):
            try:
                done = _pull(one, is_quiet=quiet or as_json)
            except CuecardError as error:
                failed = 1
                documents.append(_failed(one, error, is_quiet=quiet))
                continue
            documents.append({"team": one.name, **show_sync.pull_as_dict(done)})
            if not quiet and not as_json:
                show_sync.show_pull(one, done)
        if as_json:
            terminal.print_json({"teams": documents})
        if not watch:
            return failed
        time.sleep(every)


@command(TEAM, AS_JSON)
def push(team: str | None, as_json: bool) -> int:
    """Push the memories that you have shared, and their later versions.

    A pull follows. What others have changed meanwhile is merged by field; where both changed one field, the memory
    keeps both values for you to decide. Secrets, personal data and session summaries never leave this machine. The exit
    status is 1 if a memory was refused, or a push has failed.
    """
    documents: list[dict[str, object]] = []
    refused = 0
    for one in _teams(team):
        try:
            pushed, pulled = _push(one)
        except CuecardError as error:
            refused = 1
            documents.append(_failed(one, error))
            continue
        refused = refused or int(bool(pushed.refused or pushed.offered.refused))
        if pushed.accepted or pushed.proposed:
            note_here("sync push", "`cuecard share MEMORY --withdraw` lets the next push delete a memory for the team")
        documents.append({"team": one.name, **show_sync.push_as_dict(pushed), "pulled": show_sync.pull_as_dict(pulled)})
        if not as_json:
            show_sync.show_push(one, pushed)
            show_sync.show_pull(one, pulled)
    if as_json:
        terminal.print_json({"teams": documents})
    return refused


@dataclass
class _ServerGiven:
    """The arguments and options of `cuecard sync server`."""

    url: str = argument("URL", "`postgresql://...` or `service=NAME` of who owns the tables, or administers the scope.")
    scope: str = option("--scope", metavar="NAME", default="", help="Create this scope if it is missing.")
    member: str = option("--member", metavar="LOGIN", default="", help="The login that gets a right in the scope.")
    right: str = option("--right", metavar="RIGHT", default="read", help="read, propose, write, administer, or none.")
    forget: int | None = option(
        "--forget", metavar="DAYS", kind=int, low=1, help="Forget deletions in the scope that are older."
    )
    as_json: bool = AS_JSON


@command(request=_ServerGiven)
def server(given: _ServerGiven) -> None:
    """Create or update the tables of a PostgreSQL server, its scopes and their members.

    Logins are those of the server, which its administrator creates. A member may `read`, `propose` changes that wait
    until somebody accepts them, `write`, or `administer`: give rights and see the audit.
    """
    from ...sync.postgres_server import TeamServer
    from ...sync.urls import check_url, is_postgres

    check_url(given.url)
    if not is_postgres(given.url):
        raise UsageError("this is not the URL of a PostgreSQL server", "begin it with `postgresql://` or `service=`")
    if not given.scope and (given.member or given.forget is not None):
        raise UsageError("no scope is named", "name it with `--scope`")
    opened = TeamServer(given.url)
    done: dict[str, object] = {}
    try:
        # Who only administers a scope changes no tables.
        done["migrated"] = [] if opened.is_current() else opened.migrate()
        if given.scope and not opened.has_scope(given.scope):
            done["created"] = opened.create_scope(given.scope)
        if given.member:
            opened.set_member(given.scope, given.member, given.right)
            done["member"] = {"login": given.member, "right": given.right}
        if given.forget is not None:
            done["forgotten_to"] = opened.forget(given.scope, given.forget)
    finally:
        opened.close()
    if given.as_json:
        terminal.print_json(done)
        return
    show_sync.show_server(given, done)


@dataclass
class _ProposalsGiven:
    """The arguments and options of `cuecard sync proposals`."""

    team: str | None = TEAM
    accept: int | None = option("--accept", metavar="NUMBER", kind=int, low=1, help="Accept this proposal.")
    reject: int | None = option("--reject", metavar="NUMBER", kind=int, low=1, help="Reject this proposal.")
    as_json: bool = AS_JSON


@command(request=_ProposalsGiven)
def proposals(given: _ProposalsGiven) -> int:
    """List what members have proposed on a PostgreSQL server, accept it or reject it.

    The exit status is 1 if a memory has changed since it was proposed, so that the proposal cannot be accepted.
    """
    from ...sync.postgres_remote import PostgresRemote
    from ...sync.teams import find_team, open_remote

    if given.accept is not None and given.reject is not None:
        raise UsageError("a proposal is accepted or rejected", "give `--accept` or `--reject`")
    team = find_team(given.team or "")
    remote = open_remote(team)
    try:
        if not isinstance(remote, PostgresRemote):
            raise UsageError("a git repository has no proposals here", "its forge has pull requests")
        decided = None
        number = given.accept or given.reject
        if number is not None:
            decided = remote.decide(number, is_accepted=given.accept is not None)
        waiting = remote.proposals(team.scope)
    finally:
        remote.close()
    if given.as_json:
        listed = [{"number": one.number, "path": one.path, "login": one.login} for one in waiting]
        terminal.print_json({"team": team.name, "decided": decided, "waiting": listed})
    else:
        if number is not None:
            show_sync.show_decision(number, is_accepted=given.accept is not None, is_done=bool(decided))
        show_sync.show_proposals(waiting)
    return 1 if decided is False else 0


@command(request=_ShareGiven)
def share(given: _ShareGiven) -> None:
    """Let the next `cuecard sync push` share memories with a team.

    Later versions of them follow, and nothing else is ever shared. With `--category` or `--path`, which are written
    into your configuration, all active memories of this project that fit are shared. A memory that nobody on this
    machine vouches for is not shared, and neither are session summaries, secrets and personal data.
    """
    from ...api import Store
    from ...sync.sharing import share as offer
    from ...sync.sharing import withdraw
    from ...sync.teams import Rule, find_team, open_state, replace_team, with_rule

    team = find_team(given.to)
    store = Store(given.root)
    has_rule = bool(given.category or given.path)
    if bool(given.memories) == has_rule or (given.withdraw and has_rule):
        raise UsageError("nothing is chosen", "name memories, or give `--category` or `--path`")
    if has_rule:
        show_sync.check_category(given.category)
        rule = Rule(store.root, given.category, given.path)
        replace_team(with_rule(team, rule))
    state = open_state(team)
    done = []
    try:
        for memory in [store.show(name) for name in given.memories]:
            if given.withdraw and not withdraw(state, store.project, memory):
                raise UsageError(
                    f"`{memory.id}` is not shared with `{team.name}`", "`cuecard sync status` says what is"
                )
            if not given.withdraw:
                offer(state, store.project, memory)
            done.append(memory.path)
    finally:
        state.close()
    if done or has_rule:
        again = "shares it again" if given.withdraw else "with `--withdraw` takes it back"
        note_here("share", f"`cuecard share MEMORY --to {team.name}` {again}", given.root)
    if given.as_json:
        terminal.print_json({"team": team.name, "withdrawn" if given.withdraw else "shared": done})
        return
    what = "would be deleted for" if given.withdraw else "would be shared with"
    chosen = [f"every active memory {show_sync.describe_rule(given.category, given.path)}"] if has_rule else done
    terminal.print_lines([f"{what} {team.name}  {terminal.visible(path)}" for path in chosen])
    terminal.report("note", "nothing has left this machine yet", "`cuecard sync push` does it")


def _teams(name: str | None) -> "list[Team]":
    from ...sync.teams import find_team, read_teams

    return [find_team(name)] if name else read_teams() or [find_team()]


def _failed(team: "Team", error: "CuecardError", *, is_quiet: bool = False) -> dict[str, object]:
    """Report what has failed for one team, whose trouble hides no other; returns its part of `--json`."""
    if not is_quiet:
        terminal.report("error", f"`{team.name}`: {error.what}", error.hint)
    return {"team": team.name, "error": error.as_dict()}


def _pull(team: "Team", *, is_quiet: bool = False) -> "Pull":
    from ...sync.exchange import session

    with session(team) as opened, _progress("pulling", is_quiet=is_quiet) as tell:
        return opened.pull(tell)


def _push(team: "Team") -> "tuple[Push, Pull]":
    from ...sync.exchange import session

    with session(team) as opened, _progress("pulling", is_quiet=False) as tell:
        return opened.push(), opened.pull(tell)


@contextmanager
def _progress(what: str, *, is_quiet: bool) -> Iterator[Callable[[int], None]]:
    """A count on a terminal; nothing is printed into pipes."""
    import sys

    if is_quiet or not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn(what), BarColumn(), TextColumn("{task.completed} memories"))
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done: progress.update(task, completed=done)
