"""The snapshot of all documents of several stores, which recall searches as if it were one (SPEC 48.6)."""

from .snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.scopes import ScopedStore


class StoreSource:
    """A store whose documents are searched."""

    __slots__ = ("is_users", "label", "memory_dir", "root")

    def __init__(self, root: str, memory_dir: str, label: str = "", *, is_users: bool = False) -> None:
        """`label` is the scope in a block and in the log; "" for the project's own."""
        self.root = root
        self.memory_dir = memory_dir
        self.label = label
        # Whether it is the user's own store.
        self.is_users = is_users


def source_of(store: "ScopedStore") -> StoreSource:
    """The source for a store that counts."""
    from ...files.scopes import USER

    return StoreSource(store.root, store.memory_dir, store.label, is_users=store.scope == USER)


def join_snapshots(snapshots: "list[tuple[Snapshot, StoreSource, bool]]") -> Snapshot:
    """The snapshot of the documents of several stores, given the nearest first. A snapshot that comes with True is the
    counterpart of the one before it, whose documents hide its own at the same paths."""
    documents, places = [], []
    for store, (snapshot, _source, is_counterpart) in enumerate(snapshots):
        hidden = {document.path for document in snapshots[store - 1][0].documents} if is_counterpart else set()
        for place, document in enumerate(snapshot.documents):
            if document.path not in hidden:
                documents.append(document)
                places.append((store, place))
    joined = Snapshot(documents, snapshots[0][0].numbers, [], {})
    joined.places = places
    joined.sources = [source for _snapshot, source, _is_counterpart in snapshots]
    joined.joined = [snapshot for snapshot, _source, _is_counterpart in snapshots]
    return joined


class JoinedTable:
    """For each document of a joined snapshot whether the user vouches for it."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Read or make the table of each store."""
        from .vouched import VouchedTable

        self._places = snapshot.places or []
        self._tables: list[VouchedTable] = [
            VouchedTable(joined, source.memory_dir)
            for joined, source in zip(snapshot.joined, snapshot.sources or (), strict=True)
        ]

    @property
    def is_new(self) -> bool:
        """Whether everything was looked up now."""
        return all(table.is_new for table in self._tables)

    def renew(self) -> None:
        """Look up everything again, and keep it."""
        for table in self._tables:
            table.renew()

    def says(self, position: int) -> bool:
        """Whether the user vouches for the document at a position."""
        store, place = self._places[position]
        return self._tables[store].says(place)

    def unvouched(self) -> set[int] | None:
        """The positions of the documents that nobody vouches for; None if the user vouches for all or for none."""
        found = {position for position in range(len(self._places)) if not self.says(position)}
        return found if 0 < len(found) < len(self._places) else None
