"""The inbox as a person goes through it: what can be accepted stands first, and what expires says when."""

from contextlib import suppress

from .._backend import engine
from ..basics.light_dataclass import dataclass
from ..capture.commit import commit_drafts
from ..capture.commit_outcome import Outcome
from ..capture.commit_write import Provenance
from ..capture.expiry import WARNING_DAYS, days_left, expire
from ..capture.inbox import WaitingDraft, read_inbox
from ..capture.review import DONE
from ..errors import WriteError
from ..files.folder import Unread
from ..files.store_files import StoreFiles
from ..library.scoped_stores import stores_of_project
from ..library.verdict_log import often_wrong, read_verdicts
from ..store.writes.store_writer import StoreWriter


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


def proposals(store: StoreWriter) -> "list[tuple[str, int]]":
    """The paths of the memories whose present text was wrong in at least three sessions, and in how many."""
    found = often_wrong(read_verdicts(store.memory_dir))
    if not found:
        return []
    stores = [(one.root, one.memory_dir) for one in stores_of_project(store.project) if not one.left_out]
    return [
        (path, len({one.session or one.id for one in said}))
        for (path, trust_hash), said in found.items()
        if any(_has_text(place, path, trust_hash) for place in stores)
    ]


def _has_text(place: tuple[str, str], path: str, trust_hash: str) -> bool:
    """Whether the memory at a path of a store still has the text that a verdict is about."""
    try:
        with StoreFiles(place[1]) as files:
            return engine.trust_hash(files.read(path)[0]) == trust_hash
    except (OSError, ValueError, Unread):
        return False
