"""Joins the snapshots of the stores that count for a prompt (SPEC 48.6)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.root import Located, Project
    from ...files.scopes import ScopedStore
    from ..engine.snapshot import Snapshot
    from ..engine.snapshot_upkeep import Loaded
    from ..settings.recall_settings import RecallSettings
    from .answer import Answer


def first_project(located: "Located") -> "Project | None":
    """The project of the store that leads: the nearest, else the user's own, else the first pack."""
    if located.nearest:
        return located.nearest
    from ...files.scopes import list_packs, user_project, why_unread
    from ..settings.reader import read_settings
    from ..settings.settings_files import read_user_settings

    own = user_project()
    if own:
        return own
    teams = read_settings(read_user_settings(), None).scopes_teams
    return next((pack for name, pack in list_packs() if not why_unread(name, teams)), None)


def list_scoped(
    first: "Project", located: "Located", config: "RecallSettings", *, prints_classic: bool
) -> "list[ScopedStore]":
    """The stores that count, the one that leads first; none if the settings keep that one out."""
    from ...files.scopes import list_stores

    stores = [store for store in list_stores(located, config.recall) if not store.left_out]
    if not stores or stores[0].memory_dir != first[1]:
        return []
    return stores[:1] if prints_classic else stores


def join_loaded(stores: "list[ScopedStore]", loaded: "list[Loaded | None]", answer: "Answer") -> "Snapshot | None":
    """The snapshot of all stores that could be loaded; None if there is none. `answer` gets what is to be written."""
    from ...files.scopes import USER
    from ..engine.snapshot import Snapshot

    found: list[tuple[Snapshot, str, str, bool, bool]] = []
    for place, (store, one) in enumerate(zip(stores, loaded, strict=True)):
        if one is None:
            continue
        if place == 0:
            answer.take(one)
        else:
            answer.notes += one.notes
            answer.others.append((store.memory_dir, one))
        is_counterpart = store.is_counterpart and bool(found)
        found.append((one.snapshot, store.root, store.label, store.scope == USER, is_counterpart))
    if len(found) == 1 and not found[0][2]:
        return found[0][0]
    return Snapshot.join(found) if found else None
