"""Lists the stores that count in a folder, the nearest scope first (SPEC 48)."""

import os

from ..basics.chars import is_path
from ..basics.light_dataclass import dataclass
from .folder import Unread
from .root import LinkedStoreError, Located, Project, project_at
from .store_files import read_bounded
from .user_folder import data_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class ScopeSettings(Protocol):
        """The settings that say which scopes count."""

        @property
        def scopes_parent(self) -> bool:
            """Whether the store of the enclosing project counts."""

        @property
        def scopes_user(self) -> bool:
            """Whether the user's own store counts."""

        @property
        def scopes_team(self) -> bool:
            """Whether the packs of teams count."""

        @property
        def scopes_exclude(self) -> list[str]:
            """The folders in which neither the user's store nor packs count."""

        @property
        def scopes_teams(self) -> list[str]:
            """The names of the teams that the user has joined, each once."""


PROJECT, PARENT, USER, TEAM = "project", "parent", "user", "team"
# The folder of packs in the data folder, and the file of a pack that names the folder that counts.
PACKS = "packs"
CURRENT = "current"
MAX_NAME_CHARS = 100
MOST_TEAMS = 3
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")

DECLINED = "`scopes.{}` is off in the settings"
EXCLUDED = "your setting `scopes.exclude` keeps it out of this project"
NOT_JOINED = "you are not in this team"
MORE_TEAMS = "only the first three teams of your configuration count"
TWICE = "it counts already"


@dataclass(frozen=True)
class ScopedStore:
    """A store that was found for a folder."""

    scope: str
    root: str
    memory_dir: str
    # The name of a team's pack; "" for other scopes.
    name: str = ""
    # Whether the store before this one hides what both have at the same path (SPEC 48.2).
    is_counterpart: bool = False
    # Whether new memories are written here.
    is_written: bool = False
    # Why it does not count; "" if it does.
    left_out: str = ""

    @property
    def label(self) -> str:
        """The scope in a block and in the log; "" for the project's own."""
        return label_of(self.scope, self.name)


def label_of(scope: str, name: str = "") -> str:
    """The scope in a block and in the log; "" for the project's own."""
    return "" if scope == PROJECT else f"{scope} {name}" if name else scope


def list_stores(located: Located, settings: "ScopeSettings") -> list[ScopedStore]:
    """The stores that count in their order, then those that are left out.

    `settings` are those of the nearest store, or the user's if there is none.
    """
    listed = _Listed()
    if located.nearest:
        listed.add(PARENT if located.is_parent else PROJECT, located.nearest, is_written=True)
    if located.counterpart:
        listed.add(PROJECT, located.counterpart, is_counterpart=True)
    if located.parent:
        listed.add(PARENT, located.parent, left_out="" if settings.scopes_parent else DECLINED.format(PARENT))
    for root, reason in located.left_out:
        listed.add(PARENT, (root, os.path.join(root, ".claude", "memory")), left_out=reason)
    own = user_project()
    if own:
        listed.add(USER, own, left_out=why_not_user(located, settings))
    excluded = _why_excluded(located, settings)
    for name, pack in list_packs():
        declined = "" if settings.scopes_team else DECLINED.format(TEAM)
        listed.add(TEAM, pack, name=name, left_out=excluded or declined or why_unread(name, settings.scopes_teams))
    return listed.counting + listed.left_out


def why_not_user(located: Located, settings: "ScopeSettings") -> str:
    """Why the user's own store does not count in a folder; "" if it does, or would if it were there."""
    return _why_excluded(located, settings) or ("" if settings.scopes_user else DECLINED.format(USER))


def user_root() -> str:
    """The folder of the user's own store, which need not exist; "" if the user has no data folder."""
    data = data_path()
    return data and os.path.join(data, USER)


def user_project() -> Project | None:
    """The user's own store; None if there is none."""
    root = user_root()
    return _open(root) if root else None


def list_packs() -> list[tuple[str, Project]]:
    """The packs that were pulled, by name: each with the version that counts."""
    data = data_path()
    folder = data and os.path.join(data, PACKS)
    try:
        names = sorted([name for name in os.listdir(folder) if _is_plain(name)]) if folder else []
    except OSError:
        return []
    packs = []
    for name in names:
        try:
            version = read_bounded(os.path.join(folder, name, CURRENT), MAX_NAME_CHARS + 1).decode().rstrip()
        except (Unread, UnicodeDecodeError):
            continue
        pack = _open(os.path.join(folder, name, version)) if _is_plain(version) else None
        if pack:
            packs.append((name, pack))
    return packs


def why_unread(name: str, teams: list[str]) -> str:
    """Why the pack of a team counts for no prompt, by the names of the joined teams; "" if it counts."""
    if name not in teams:
        return NOT_JOINED
    return MORE_TEAMS if teams.index(name) >= MOST_TEAMS else ""


class _Listed:
    """The stores that were found, those that count apart from those that do not."""

    def __init__(self) -> None:
        self.counting: list[ScopedStore] = []
        self.left_out: list[ScopedStore] = []

    def add(self, scope: str, project: Project, *, left_out: str = "", **more: "str | bool") -> None:
        is_known = any(store.memory_dir == project[1] for store in self.counting)
        store = ScopedStore(scope, *project, left_out=left_out or (TWICE if is_known else ""), **more)  # type: ignore[arg-type]
        (self.left_out if store.left_out else self.counting).append(store)


def _open(root: str) -> Project | None:
    try:
        return project_at(root)
    except LinkedStoreError:
        return None


def _is_plain(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME_CHARS and name[0] != "." and PLAIN.issuperset(name)


def _why_excluded(located: Located, settings: "ScopeSettings") -> str:
    return EXCLUDED if _is_excluded(located.place, settings.scopes_exclude) else ""


def _is_excluded(root: str, folders: list[str]) -> bool:
    if not is_path(root):
        return bool(folders)
    real = os.path.realpath(root) + os.sep
    folders = [folder for folder in folders if os.path.isabs(folder) and is_path(folder)]
    return any(real.startswith(os.path.realpath(folder) + os.sep) for folder in folders)
