"""The teams that the user has joined, which only the user's own configuration names.

Rules: docs/reference/sync.md, "Joining".
"""

import json
import os
import shutil
from dataclasses import asdict, dataclass, replace

from .._backend import Values, engine, read_effective_settings
from ..errors import UsageError, WriteError
from ..files.folder import PRIVATE_FOLDER
from ..files.scopes import MOST_TEAMS, list_packs, why_unread
from ..files.user_folder import data_path, open_data_folder
from ..store.settings.settings_edit import write_user_setting
from .git_remote import GitRemote
from .remote import Remote
from .team_state import TeamState
from .urls import check_url, hide_password, is_postgres, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import Settings

SYNC = "sync"
_NOT_EXCHANGED = f"it is neither pulled nor pushed, because only the first {MOST_TEAMS} teams of your configuration are"
_HINT = "give it with `--as`: lower-case letters, digits and hyphens"


@dataclass(frozen=True)
class Rule:
    """Memories of a project that are shared without naming each."""

    project: str
    """The project's folder."""
    category: str = ""
    """Only memories of this category; "" for all."""
    path: str = ""
    """Only memories about files that match this pattern; "" for all."""


@dataclass(frozen=True)
class Team:
    """A team that the user has joined."""

    name: str
    url: str
    scope: str = ""
    """The scope on the remote; "" for the only one of a git repository."""
    role: str = ""
    """The role that each transaction on a PostgreSQL server takes; "" for that of the connection."""
    branch: str = ""
    """The branch of a git repository; "" for its own."""
    is_trusted: bool = False
    """Whether the user vouches for everything that the team shares."""
    signed_by: tuple[str, ...] = ()
    """The keys whose signed commits vouch for what they changed."""
    share: tuple[Rule, ...] = ()

    @property
    def place(self) -> str:
        """The URL without a password."""
        return hide_password(self.url)


@dataclass(frozen=True)
class OutOfPlace:
    """A team or pack that does not count as its configuration says."""

    name: str
    reason: str

    @property
    def hint(self) -> str:
        """What the user can do."""
        return f"`cuecard sync leave {self.name}` removes it"


def read_teams() -> list[Team]:
    """The teams of the configuration that are exchanged. What is malformed is left out; `cuecard config` reports it."""
    settings = read_effective_settings("").settings
    return [team for team in _teams_of(settings) if team.name in settings.scopes_teams[:MOST_TEAMS]]


def list_out_of_place() -> list[OutOfPlace]:
    """The teams that are not exchanged, and the packs that no prompt reads."""
    settings = read_effective_settings("").settings
    joined = settings.scopes_teams
    reasons = {team.name: _NOT_EXCHANGED for team in _teams_of(settings) if team.name not in joined[:MOST_TEAMS]}
    for name, _pack in list_packs():
        why = why_unread(name, joined)
        if why and name not in reasons:
            reasons[name] = f"prompts do not read its pack, because {why}"
    return [OutOfPlace(name, reason) for name, reason in reasons.items()]


def find_team(name: str = "") -> Team:
    """The team with a name, or the only one. Raises UsageError."""
    return _choose(read_teams(), name)


def find_to_leave(name: str) -> Team:
    """The team with a name, also one that does not count, or of which only a pack is left. Raises UsageError."""
    teams = _read_all()
    if all(team.name != name for team in teams) and name in [pack for pack, _project in list_packs()]:
        return Team(name, "")
    return _choose(teams, name)


def _choose(teams: list[Team], name: str) -> Team:
    if not teams:
        raise UsageError("you have joined no team", "`cuecard sync join URL` joins one")
    chosen = [team for team in teams if name in ("", team.name)]
    if len(chosen) == 1:
        return chosen[0]
    names = " or ".join([f"`{team.name}`" for team in teams])
    what = f"there is no team `{name[:60]}`" if name else f"you have joined {len(teams)} teams"
    raise UsageError(what, f"say {names}")


def make_team(url: str, name: str = "", scope: str = "", role: str = "", branch: str = "") -> Team:
    """A team to be joined. Raises UsageError for a URL or a name that cannot be used."""
    check_url(url)
    chosen = name or name_of(scope or url)
    if not _is_name(chosen):
        raise UsageError(f"`{chosen[:60]}` cannot be the name of a team", _HINT)
    teams = _read_all()
    if any(team.name == chosen for team in teams):
        raise UsageError(f"you have joined a team `{chosen}` already", "give another name with `--as`")
    if len(teams) >= MOST_TEAMS:
        raise UsageError(f"you can be in {MOST_TEAMS} teams at most", "`cuecard sync leave NAME` leaves one")
    return Team(chosen, url, scope, role, branch)


def add_team(team: Team) -> None:
    """Write a team into the user's configuration. Raises InputError, WriteError."""
    _write([*_read_all(), team])


def remove_team(team: Team) -> None:
    """Remove a team from the user's configuration, and what this machine has of it. Raises InputError, WriteError."""
    _write([one for one in _read_all() if one.name != team.name])
    shutil.rmtree(folder_of(team), ignore_errors=True)


def replace_team(team: Team) -> None:
    """Write a changed team into the user's configuration."""
    _write([team if one.name == team.name else one for one in _read_all()])


def with_rule(team: Team, rule: Rule) -> Team:
    """The team with one more rule."""
    return replace(team, share=(*[one for one in team.share if one != rule], rule))


def folder_of(team: Team) -> str:
    """The folder for what this machine knows of a team."""
    return os.path.join(data_path(), SYNC, team.name)


def open_state(team: Team) -> TeamState:
    """Open the notes about a team; they are created if they are missing. Raises WriteError, SyncError."""
    data = open_data_folder(make=True)
    if data is None:
        raise WriteError("your data folder cannot be opened or created", f"make `{data_path()}` writable")
    with data, data.make_folder(SYNC, PRIVATE_FOLDER) as above:
        above.make_folder(team.name, PRIVATE_FOLDER).close()
    return TeamState(os.path.join(folder_of(team), "state.db"))


def open_remote(team: Team) -> Remote:
    """Connect to the remote of a team. Raises SyncError."""
    if is_postgres(team.url):
        from .meaning import own_embedder  # noqa: PLC0415 - only an organisation's team needs both
        from .postgres_remote import PostgresRemote  # noqa: PLC0415

        return PostgresRemote(team.url, team.role, own_embedder())
    return GitRemote(team.url, os.path.join(folder_of(team), "repository"), team.branch)


def repository_of(team: Team) -> str:
    """The folder with the git repository of a team."""
    return os.path.join(folder_of(team), "repository")


def _read_all() -> list[Team]:
    return _teams_of(read_effective_settings("").settings)


def _teams_of(settings: "Settings") -> list[Team]:
    listed = Values(settings.members, []).given("sync.teams")
    found: dict[str, Team] = {}
    for given in listed if isinstance(listed, list) else []:
        team = _team_of(given, settings.scopes_teams)
        if team and team.name not in found:
            found[team.name] = team
    return list(found.values())


def _write(teams: list[Team]) -> None:
    listed = []
    for team in teams:
        given = {name: value for name, value in asdict(team).items() if value}
        listed.append(given)
    write_user_setting(SYNC, "teams", json.dumps(listed, ensure_ascii=False))


def _is_name(name: str) -> bool:
    """Whether a text can be the name of a team: recall reads no other from the settings."""
    data = json.dumps({SYNC: {"teams": [{"name": name, "url": ""}]}}).encode()
    return engine.read_settings(data, None).scopes_teams == [name]


def _team_of(given: object, names: list[str]) -> Team | None:
    """The team of a value in the settings, if its name is one of `names`."""
    if not isinstance(given, dict):
        return None
    name, url = given.get("name"), given.get("url")
    if not isinstance(name, str) or not isinstance(url, str) or name not in names:
        return None
    try:
        check_url(url)
    except UsageError:
        return None
    texts = {key: value for key in ("scope", "role", "branch") if isinstance(value := given.get(key), str)}
    keys = given.get("signed_by")
    rules = given.get("share")
    return Team(
        name,
        url,
        **texts,
        is_trusted=given.get("is_trusted") is True,
        signed_by=tuple(key for key in (keys if isinstance(keys, list) else []) if isinstance(key, str)),
        share=tuple(rule for each in (rules if isinstance(rules, list) else []) if (rule := rule_of(each))),
    )


def rule_of(given: object) -> Rule | None:
    """The rule that a member of the configuration says; None if it says none."""
    if not isinstance(given, dict) or not isinstance(given.get("project"), str):
        return None
    texts = {key: value for key in ("category", "path") if isinstance(value := given.get(key), str)}
    return Rule(os.path.abspath(os.path.expanduser(given["project"])), **texts)
