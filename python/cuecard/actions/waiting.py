"""The inbox as a person goes through it: what can be accepted stands first, and what expires says when."""

from contextlib import suppress

from .._backend import engine
from ..basics.category import FOLDERS
from ..basics.light_dataclass import dataclass
from ..capture.commit import commit_drafts
from ..capture.commit_outcome import Outcome
from ..capture.commit_write import Provenance
from ..capture.expiry import WARNING_DAYS, days_left, expire
from ..capture.inbox import WaitingDraft, read_inbox
from ..capture.review import DONE
from ..errors import CuecardError, WriteError
from ..files.scopes import TEAM
from ..store.log.verdict_log import often_wrong, read_verdicts
from ..store.records.memory import Memory, read_memory
from ..store.scopes.scoped_stores import stores_of_project
from ..store.writes.store_writer import StoreWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..files.root import Project


@dataclass(frozen=True)
class InboxItem:
    """A waiting draft, what would become of it now, and after how many days it expires."""

    waiting: WaitingDraft
    outcome: Outcome
    days_left: int

    @property
    def can_be_accepted(self) -> bool:
        """Whether accepting the draft would write something."""
        return self.outcome.error is None and self.outcome.status in DONE

    @property
    def expires_soon(self) -> bool:
        """Whether the draft says that it expires."""
        return self.days_left <= WARNING_DAYS


@dataclass(frozen=True)
class OftenWrong:
    """An active memory whose present text was wrong in at least three sessions, and in how many."""

    scope: str
    """The label of its store; "" for the project's own."""
    memory: Memory
    sessions: int

    @property
    def name(self) -> str:
        """The name by which a command means it in its store."""
        return self.memory.id

    @property
    def command(self) -> str:
        """The command that takes it out of recall; "" where only its team can do that."""
        scope = self.scope.partition(" ")[0]
        return "" if scope == TEAM else f"cuecard retire {self.name}" + (f" --scope {scope}" if scope else "")

    @property
    def hint(self) -> str:
        """What can be done about it."""
        if not self.command:
            return "tell those who write the pack of the team; it stays away from the prompts for which it was wrong"
        return f"rewrite it, say when it holds, or take it out of recall with `{self.command}`"

    def as_dict(self) -> dict[str, object]:
        """The JSON object that `--json` prints."""
        scope = {"scope": self.scope} if self.scope else {}
        return {"memory": self.name, **scope, "sessions": self.sessions}


def effect_of(outcome: Outcome) -> str:
    """What accepting a draft would do, or why it cannot be accepted."""
    if outcome.error:
        return outcome.error.what
    retires = f"; it retires {', '.join(outcome.retires)}" if outcome.retires else ""
    return f"{outcome.status} {outcome.target}{retires}"


def clear_expired(store: StoreWriter) -> None:
    """Take what has expired out of the inbox before somebody looks. If that cannot be written, it stays there."""
    with suppress(WriteError):
        expire(store.memory_dir)


def read_waiting_items(store: StoreWriter) -> list[InboxItem]:
    """The drafts that wait: those that can be accepted first, then the oldest first. Nothing is written."""
    waiting = read_inbox(store.memory_dir)
    items = []
    for one in waiting:
        tried = commit_drafts(store, [one.raw], provenance=Provenance(one.origin, {}), is_dry_run=True)
        items.append(InboxItem(one, tried.outcomes[0], days_left(one)))
    return sorted(items, key=lambda item: (not item.can_be_accepted, item.waiting.at, item.waiting.id))


def proposals(store: StoreWriter) -> list[OftenWrong]:
    """The active memories, of any store that counts, whose present text was wrong in at least three sessions."""
    found = often_wrong(read_verdicts(store.memory_dir))
    if not found:
        return []
    stores = [one for one in stores_of_project(store.project) if not one.left_out]
    places = [(one.label, (one.root, one.memory_dir)) for one in stores]
    return [
        OftenWrong(label, memory, len({one.session or one.id for one in said}))
        for (path, trust_hash), said in found.items()
        for label, memory in _with_text(places, path, trust_hash)
    ]


def _with_text(places: "list[tuple[str, Project]]", path: str, trust_hash: str) -> list[tuple[str, Memory]]:
    """The memory at a path that still has the text that verdicts are about, with its scope; [] if there is none."""
    category = dict(FOLDERS).get(path.split("/")[-2] if "/" in path else "", "")
    for label, project in places:
        try:
            memory = read_memory(*project, category, path)
        except CuecardError:
            continue
        if memory.status == "active" and engine.trust_hash(memory.data) == trust_hash:
            return [(label, memory)]
    return []
