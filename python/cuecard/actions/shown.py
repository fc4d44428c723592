"""The memories that a session was shown last, for those who want to say something about them."""

from zlib import crc32

from .._backend import open_session
from ..basics.chars import scrub
from ..basics.light_dataclass import dataclass
from ..errors import MissingError, StoreError, UsageError
from ..store.log.events import LoggedEvent, LoggedMemory, read_events
from ..store.scopes.scoped_stores import find_in_stores, scope_reader, stores_of_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..files.root import Project
    from ..files.scopes import ScopedStore


@dataclass(frozen=True)
class ShownMemory:
    """A memory as an event has shown it, and what the session has kept of the prompt."""

    event: LoggedEvent
    memory: LoggedMemory
    kept: str


def last_event(memory_dir: str, session: str = "", name: str = "") -> LoggedEvent | None:
    """The event with the id `name`, or the last one of a session that has shown a memory; None if there is none.

    Without a session it is the last one of any session. Raises `MissingError` for an unknown id.
    """
    read = read_events(memory_dir)
    if name:
        return read.find(name)
    events = [event for event in read.events if event.is_decision and event.shown]
    events = [event for event in events if not session or event.session == session]
    return events[-1] if events else None


def find_shown(
    project: "Project", name: str = "", session: str = "", event: str = "", scope: str | None = None
) -> ShownMemory:
    """The memory that a verdict is about, as it was shown last.

    Without a name it is the only memory that was shown last. With a `scope`, which is "" for the project's own store,
    `name` is the path of a memory of that store. Raises `MissingError` and `UsageError`.
    """
    memory_dir = project[1]
    if not name:
        found = last_event(memory_dir, session, event)
        if found is None or not found.shown:
            raise MissingError("no memory was shown yet", "`cuecard log` lists what the hook has decided")
        if len(found.shown) > 1:
            names = ", ".join([f"`{memory.id}`" for memory in found.shown])
            raise UsageError(f"{len(found.shown)} memories were shown last", f"name one: {names}")
        return ShownMemory(found, found.shown[0], kept_of(memory_dir, found))
    stores = stores_of_project(project)
    read_scope = scope_reader(stores)
    places = _find_places(stores, name) if scope is None else [(read_scope(scope), name)]
    read = read_events(memory_dir)
    events = [read.find(event)] if event else [one for one in read.events if one.is_decision]
    events = [one for one in events if not session or one.session == session]
    shown = [(one, memory) for one in events for memory in one.shown]
    # A farther store has the memory too, perhaps at the same path: the nearest that was shown is meant.
    for place in places:
        matching = [(one, memory) for one, memory in shown if (read_scope(memory.scope), memory.path) == place]
        if matching:
            last, memory = matching[-1]
            return ShownMemory(last, memory, kept_of(memory_dir, last))
    where = f"at `{event}`" if event else "yet"
    raise MissingError(f"`{name}` was not shown {where}", f"`cuecard retire {name}` takes a memory out of recall")


def _find_places(stores: "list[ScopedStore]", name: str) -> list[tuple[str, str]]:
    """The scope and path of each memory that `name` means, the nearest first. Raises what `find_in_stores` raises."""
    stores = [store for store in stores if not store.left_out]
    places: dict[str, tuple[str, str]] = {}
    for store in stores:
        try:
            places[store.memory_dir] = store.label, find_in_stores([store], name)[2]
        except MissingError:  # noqa: PERF203 - a store without the memory is no problem
            continue
        except StoreError:
            # A farther store in which several memories have the name is not meant.
            if not places:
                raise
    nearest = find_in_stores([store for store in stores if store.memory_dir in places] or stores, name)[0]
    return list(dict.fromkeys([places[nearest.memory_dir], *places.values()]))


def kept_of(memory_dir: str, event: LoggedEvent) -> str:
    """What the session has kept of an event's prompt; "" if it is not kept any more."""
    session = open_session(memory_dir, event.session) if event.session else None
    lines = session.prompts if session else []
    same = [line for line in lines if f"{crc32(scrub(line).encode()):08x}" == event.prompt_hash]
    return same[-1] if same else ""
