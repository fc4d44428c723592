"""A snapshot: the memories of a store at the time when they were read, and the queries on them (SPEC 22).

Every query scans all documents.
"""

from ...basics.chars import scrub
from ...files.store_files import store_of
from ..memory.document import ACTIVE
from ..memory.links import OVER
from ..memory.stored_document import LEFT_OUT
from ..requests.results import Feature, Ranked, Ranks, ScorePart, Term, Traced
from ..retrieve import anchors
from ..retrieve.filters import STORE_PREFIX
from ..retrieve.known_documents import KnownDocuments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.memory_files import File
    from ..memory.stored_document import Stamp, StoredDocument
    from ..requests.request import Request
    from ..requests.results import StoredMemory
    from ..settings.reader import Numbers
    from .documents import Documents
    from .succession import Replaces

FOLDER_COUNT = 6
# The review of a question for which trust is ignored.
IGNORED = "ignored"
# The value in a watermark for a folder of which not every file was read (SPEC 23.1).
PARTIAL = -2


class StoreSource:
    """A store whose documents are searched."""

    def __init__(self, root: str, label: str = "", is_users: bool = False) -> None:
        """`label` is the scope in a block and in the log; "" for the project's own. `is_users` says whether it is the
        user's own store."""
        self.root, self.label, self.is_users = root, label, is_users
        self.memory_dir = store_of(root)


class Snapshot(KnownDocuments):
    """The memories of a store, immutable. The position of a document is its place in the order of documents."""

    def __init__(
        self, documents: "list[StoredDocument]", numbers: "Numbers", watermark: list[int], unfit: "dict[str, Stamp]"
    ) -> None:
        """Keep documents in their order (SPEC 22.1).

        `numbers` are k1, weights and bs. `watermark` has the time of the last change of each folder (SPEC 23.1).
        `unfit` has the stamps of files that were read but gave no document.
        """
        from ..retrieve.vectors import fingerprints

        super().__init__(documents, numbers)
        self.unfit = unfit
        # The fingerprint of the embedding table from which the vectors were made.
        self.fingerprint = fingerprints()
        # The length of the file from which the snapshot was read; 0 if it was not read from a file.
        self.bytes = 0
        self._watermark = watermark
        # For the documents of several stores: the stores.
        self.sources: list[StoreSource] | None = None

    @staticmethod
    def join(stores: "list[tuple[Snapshot, str, str, bool, bool]]") -> "Snapshot":
        """The snapshot of all documents of several stores, the nearest first (SPEC 48.6). Each has its snapshot, the
        folder of its project, its scope, whether it is the user's own store, and whether it is the counterpart of the
        one before it, whose documents hide its own at the same paths."""
        documents, places = [], []
        for store, (snapshot, *_of_store, is_counterpart) in enumerate(stores):
            hidden = {document.path for document in stores[store - 1][0].documents} if is_counterpart else set()
            for place, document in enumerate(snapshot.documents):
                if document.path not in hidden:
                    documents.append(document)
                    places.append((store, place))
        joined = Snapshot(documents, stores[0][0].numbers, [], {})
        joined.places = places
        joined.sources = [StoreSource(root, label, is_users) for _snapshot, root, label, is_users, _is_other in stores]
        return joined

    def is_partial(self) -> bool:
        """Whether some files of a folder were not read when the snapshot was written (SPEC 23.1)."""
        return PARTIAL in self._watermark

    def without(self, left_out: "set[int]") -> "Snapshot":
        """The snapshot without some more documents, as if they did not exist: they count in no frequency and are found
        by nothing. All positions stay the same."""
        documents = [LEFT_OUT if place in left_out else document for place, document in enumerate(self.documents)]
        part = Snapshot(documents, self.numbers, self._watermark, {})
        part.places, part.sources = self.places, self.sources
        return part

    def vouched_part(self, root: str, review: str) -> "Snapshot | None":
        """The snapshot of the documents that the user vouches for, as recall searches them (SPEC 45.10); None if the
        user vouches for all or for none, or if `review` says that trust is ignored."""
        from ...files.trust_levels import vouched_among

        if review == IGNORED:
            return None
        unvouched: set[int] = set()
        for store, source in enumerate(self.sources or [None]):
            trust = {place: one.trust for place, one in enumerate(self.documents) if self.store_of(place) == store}
            vouched = vouched_among(source.memory_dir if source else store_of(root), trust.values())
            unvouched.update([place for place, prefix in trust.items() if prefix not in vouched])
        return self.without(unvouched) if 0 < len(unvouched) < len(self.documents) else None

    def watermark(self) -> list[int]:
        """The last change of each folder before it was listed, in ns since 1970, or a mark like `PARTIAL` (SPEC 23)."""
        return self._watermark

    def has_settings(self, numbers: "Numbers") -> bool:
        """Whether the snapshot was made with these `numbers`, and with the embedding table of this program."""
        from ..retrieve.vectors import fingerprints

        return self.numbers == numbers and self.fingerprint == fingerprints()

    def document(self, position: int) -> "StoredMemory | None":
        """What the snapshot says of the document at a position; None if it is out of range."""
        document = self.stored(position)
        return document.described() if document else None

    def files(self, folder: str) -> list[tuple[str, int, int]]:
        """Path, size and modification time (nanoseconds) of the file of each document in a category folder."""
        return _in_folder(folder, [(document.path, *document.stamp) for document in self.documents])

    def unfit_files(self, folder: str) -> list[tuple[str, int, int]]:
        """Path, size and modification time (nanoseconds) of the files of a category folder that were read but gave no
        document."""
        return _in_folder(folder, [(path, *stamp) for path, stamp in self.unfit.items()])

    def stamps(self, folder: str) -> "dict[str, Stamp]":
        """Size and modification time (nanoseconds) of each file of a category folder that was read, by its path."""
        return {path: (size, modified) for path, size, modified in self.unfit_files(folder) + self.files(folder)}

    @property
    def active_lines(self) -> list[str]:
        """The index lines of the active documents, in their order."""
        return [document.line for document in self.documents if document.status == ACTIVE]

    def search(self, request: "Request", strategy: str) -> list[tuple[int, int]]:
        """Position and score of the best documents that the request accepts, best first (SPEC 22.7).

        `hybrid` uses the default settings of fusion. Raises UsageError for an unknown strategy.
        """
        from .search import search

        return search(self, request, strategy)

    def explain(self, position: int, request: "Request", strategy: str) -> "list[ScorePart]":
        """The parts of the score of the document at a position: kind, word of the prompt, matched text, points.

        The points sum to the score. Only the prompt, the descriptions and the synonyms of the request count. For
        `tfidf` the parts are ranks among the active documents. For `hybrid` there are no parts if a recall of ten
        memories with default settings does not find the document. Raises IndexError if out of range.
        """
        from .search import explain

        return [ScorePart(*part) for part in explain(self, position, request, strategy)]

    def recall(self, request: "Request", setting: str) -> "list[Ranked]":
        """The memories to show, best first (SPEC 27, 28).

        With the setting `off` these are the best `request.k`. With other settings, these are the memories that pass the
        gate among the best max(`request.k`, `JUDGED`). Raises UsageError for an unknown setting.
        """
        from ..rank.recall import Recall
        from ..settings.gate_model import gate_threshold

        gate_threshold(setting)
        return [Ranked(*found) for found in Recall(self, request).choose(request.k, setting)]

    def trace(self, position: int, request: "Request") -> "Traced":
        """The cues and terms of a prompt, and ranks, score parts and gate features of the document at a position.

        `request` is the request of the recall that is explained. Each term has a weight from 1 to 256 and the word of
        the prompt from which it comes. Raises IndexError if `position` is out of range.
        """
        from ..rank.recall import Recall

        if self.stored(position) is None:
            raise IndexError("snapshot position out of range")
        recall = Recall(self, request).reading_of(position)
        terms, ranks = [Term(*term) for term in recall.query.terms], recall.ranks(position)
        parts = [ScorePart(*part) for part in recall.explain(position)]
        features = [Feature(*feature) for feature in recall.features(position)]
        return Traced(recall.cues, terms, Ranks(*ranks) if ranks else None, parts, features)

    def anchored(self, path: str) -> list[int]:
        """The positions of the first 256 active documents with an anchor that covers a file, in their order.

        Such an anchor is the file itself, a folder above it, or a pattern that matches it (SPEC 33.2).
        """
        return sorted(anchors.covering(self, path))[: anchors.FOUND_MAX]

    def anchored_name(self, name: str) -> list[int]:
        """The positions of the first 256 active documents with an anchor that ends with this file name or path."""
        return sorted(anchors.ending(self, name))[: anchors.FOUND_MAX]

    def anchored_below(self, folder: str) -> list[int]:
        """The positions of the first 256 active documents with an anchor below a folder."""
        return sorted(anchors.below(self, folder))[: anchors.FOUND_MAX]

    def is_anchored(self, path: str) -> bool:
        """Whether an active document has an anchor that covers a file, ends with this name, or is below this folder."""
        return bool(self.anchored(path) or self.anchored_name(path) or self.anchored_below(path))


def find_successor(snapshot: Snapshot, position: int, may_replace: "Replaces | None" = None) -> int:
    """The position of the document that supersedes the document at `position`, directly or through other documents;
    `position` if none does. `may_replace` says whether the document at the second position may supersede the one at the
    first; by default any may."""
    # Few stores have such links, so the module that follows them is loaded only if there are any.
    if not snapshot.places and not any(link.startswith(OVER) for link in snapshot.links()):
        return position
    from .succession import successor

    return successor(snapshot, position, may_replace)


def _in_folder(folder: str, files: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    beginning = f"{STORE_PREFIX}{scrub(folder)}/"
    return sorted([file for file in files if file[0].startswith(beginning)])


def build_snapshot(
    files: "list[File] | Documents", watermark: list[int], numbers: "Numbers"
) -> tuple[Snapshot, list[tuple[str, str]]]:
    """A snapshot of memory files in any order, and path and reason of each file that gives no document."""
    return update_snapshot(Snapshot([], numbers, watermark, {}), files, [], watermark)


def update_snapshot(
    snapshot: Snapshot, changed: "list[File] | Documents", removed: list[str], watermark: list[int]
) -> tuple[Snapshot, list[tuple[str, str]]]:
    """The snapshot after files were written or removed, and path and reason of each file that gives no document.

    `changed` has the category of the folder, the path, the content (None: unreadable), the size and the modification
    time (nanoseconds) of each file.
    """
    # Loaded here, because most prompts find no changed file.
    from .documents import Documents

    new = changed if isinstance(changed, Documents) else Documents(changed)
    gone = {*map(scrub, removed), *new.paths}
    documents = [document for document in snapshot.documents if document.path not in gone] + new.stored
    documents.sort(key=lambda document: document.order_key())
    unfit = {path: stamp for path, stamp in snapshot.unfit.items() if path not in gone} | new.unfit
    return Snapshot(documents, snapshot.numbers, watermark, unfit), new.skipped
