"""Chooses the memories to show from a snapshot, and verifies each against its own file (SPEC 8, 23.3)."""

from ...basics.category import FOLDERS
from ...basics.light_dataclass import replace
from ...files.folder import Unread
from ...files.store_files import StoreFiles
from ..memory.stored_document import describe_file
from ..requests.request import ASKED, HIDDEN
from ..retrieve.earlier_prompt import kept_terms
from .answers import Recalled
from .contradictions import note_contradictions
from .placing import IGNORED, MARKED, Placing
from .recalled_memory import Found, Ranking, RecalledMemory
from .siblings import add_siblings, find_subject
from .snapshot import StoreSource, find_successor
from .verdicts import pass_over_wrong, read_verdicts, reorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..memory.stored_document import StoredDocument
    from ..rank.recall import Recall
    from ..rank.verdicts import Verdicts
    from ..requests.request import Question, Request
    from ..requests.results import StoredMemory
    from .snapshot import Snapshot
    from .trust_check import Standing, TrustCheck

# The number of members of the keyword retriever's shortlist that can get points for recency.
DEEP_CHECK_LIMIT = 20
# The first search finds this many more memories than wanted, because the files of some memories may be gone.
SPARE = 8
# The setting without a gate.
OFF = "off"
# At most this number of memories that the gate rejects is reported.
PASSED_OVER = 4
# For at most this number of memories it is looked up whether the user vouches for them, to follow what supersedes what.
MOST_LOOKS = 32
# At most this number of withheld memories is passed over, so that they do not take the places of others that the gate
# looks at.
MOST_WITHHELD = 64
# The unreviewed documents are searched only if the lexical score of one of them is at least this many eighths of the
# best one: where no vouched memory is shown, and where one is.
NEAR_ALONE = 7
NEAR_BESIDE = 4
KEYWORD = ("keyword", "keyword_classic")
# The largest file size in a stamp; the size of a larger file is replaced by it.
MAX_SIZE = 2**32 - 1
CATEGORIES = dict(FOLDERS)


def recall_memories(snapshot: "Snapshot", root: str, question: "Question") -> Recalled:
    """The memories for a question, best first.

    A superseded memory is replaced by the memory that supersedes it, unless the question has filters. This reads the
    files of the memories that are found. Raises UsageError for an unknown strategy or setting.
    """
    notes: list[str] = []
    recall = SnapshotRecall(snapshot, root, question.review, notes)
    found = recall.choose(question)
    return Recalled(found.memories, found.passed_over, found.is_courtesy, found.least, notes)


def verify_memory(
    snapshot: "Snapshot", root: str, position: int, review: str
) -> "tuple[RecalledMemory | None, list[str]]":
    """The memory at a position with the content of its file, whatever its status, and the problems of the file.

    The memory is None if the file cannot be read or is not a memory.
    """
    notes: list[str] = []
    recall = SnapshotRecall(snapshot, root, review, notes, [])
    return recall.verify(position, Ranking(position)), notes


class SnapshotRecall:
    """Finds the memories that answer a prompt; each file is read once."""

    def __init__(
        self, snapshot: "Snapshot", root: str, review: str, notes: list[str], statuses: "list[str] | None" = None
    ) -> None:
        """Answer for the project at `root`; problems of files are added to `notes`.

        `statuses` are the statuses that a memory may have: None means only active, an empty list means any.
        """
        self.snapshot = snapshot
        self._root = root
        # The stores that have the documents of the snapshot, and their files.
        self._sources = snapshot.sources or [StoreSource(root)]
        self._files = [StoreFiles(source.memory_dir) for source in self._sources]
        self._notes = notes
        self._review = review
        self._heeds_trust = review not in (IGNORED, MARKED)
        self._statuses = ["active"] if statuses is None else statuses
        # The present description and the bytes of each file that was read; None if the memory must not be shown.
        self._seen: dict[int, tuple[StoredMemory, bytes] | None] = {}
        # If false, every memory counts as reviewed.
        self.asks_trust = review != IGNORED
        self._trust: TrustCheck | None = None
        self._standings: dict[int, Standing] = {}
        # Whether the user vouches for the memories that were looked at because they supersede one or are superseded.
        self._vouched: dict[int, bool] = {}
        self._past = ASKED
        # Where the user vouches for some documents only, these are found first, as if there were no others. Then `part`
        # is "vouched", and for the others, which get what is left, it is "others". Otherwise it is "every".
        self._part = "every"
        self._vouched_part: Snapshot | None = None
        # How many of the wanted memories another part has found already.
        self._taken = 0
        # Whether the others need not be searched after the vouched documents.
        self._is_complete = False
        # What the user has said of memories of the store, as far as it counts for the question.
        self._verdicts: Verdicts | None = None
        # The recall of all documents, of which this one may be a part.
        self._whole = self

    def choose(self, question: "Question") -> Found:
        """The best memories for a question, at most `question.request.k`."""
        verdicts = self._verdicts = read_verdicts(self._sources[0].memory_dir, question)
        found = self.in_parts(lambda recall: recall._choose_in_part(question))
        if question.request.settings.may_concern:
            from .named import limit_named

            limit_named(found)
        if verdicts:
            pass_over_wrong(verdicts, found, lambda: kept_terms(self.snapshot, question.request))
        return found

    def in_parts(self, find: "Callable[[SnapshotRecall], Found]") -> Found:
        """Look for memories in all documents. If the user vouches for some of them only, look among these first, as if
        there were no others, and then among the others (SPEC 45.10)."""
        vouched = self.snapshot.vouched_part(self._root, self._review)
        if vouched is None:
            return find(self)
        first = self._of_part("vouched", vouched, 0)
        found = find(first)
        if not first._is_complete:
            others = find(self._of_part("others", vouched, found.count_passing()))
            found.memories += others.memories
            found.passed_over += others.passed_over
        return found

    def _of_part(self, part: str, vouched: "Snapshot", taken: int) -> "SnapshotRecall":
        """The recall of one part of the documents; it shares the files and the look-up of trust."""
        snapshot = vouched if part == "vouched" else self.snapshot
        inner = SnapshotRecall(snapshot, self._root, self._review, self._notes, self._statuses)
        inner._files, inner._whole = self._files, self
        inner.asks_trust, inner._trust = self.asks_trust, self._check()
        inner._part, inner._vouched_part, inner._taken = part, vouched, taken
        inner._verdicts = self._verdicts
        return inner

    def is_of_another_part(self, position: int) -> bool:
        """Whether a recall of another part looks at the document at a position."""
        vouched = self._vouched_part
        return self._part == "others" and vouched is not None and vouched.stored(position) is not None

    @property
    def is_vouched_part(self) -> bool:
        """Whether only documents that the user vouches for are searched."""
        return self._part == "vouched"

    @property
    def is_first_part(self) -> bool:
        """Whether no other part was searched before."""
        return self._part != "others"

    def _choose_in_part(self, question: "Question") -> Found:
        filters = question.request.filters
        self._statuses = ["active"] if filters is None else filters[2]
        self._past = question.past
        if question.strategy == "hybrid":
            return self._choose_judged(question.request, question.setting)
        return self._choose_ranked(question.request, question.strategy)

    def _choose_judged(self, request: "Request", setting: str) -> Found:
        """Choose by hybrid recall, whose gate judges only the first few candidates."""
        from ..rank.recall import JUDGED, Recall

        wanted = request.k
        places = max(0, wanted - self._taken)
        count = wanted + SPARE if setting == OFF else wanted
        more = 0
        while True:
            recall = Recall(self.snapshot, replace(request, k=count))
            found, placing = Found(), Placing(request, self._review, self._past)
            if recall.is_courtesy and setting != OFF:
                found.is_courtesy = self._is_complete = True
                return found
            least = found.least = recall.least(setting)
            judged = placing.judge(recall, self.snapshot, count if least is None else max(count, JUDGED) + more)
            if self._verdicts:
                judged = reorder(self._verdicts, self.snapshot, judged)
                least = found.least = None if least is None else least + self._verdicts.shift
            for position, score, logit, probability in judged:
                if self.is_of_another_part(position):
                    continue
                ranking = Ranking(position, score)
                ranking.logit, ranking.probability, ranking.count = logit, probability, count
                if least is not None and logit < least:
                    document = self.snapshot.document(position) if len(found.passed_over) < PASSED_OVER else None
                    if document:
                        held_back = RecalledMemory(position, document, ranking)
                        held_back.origin = self._source(position)
                        found.passed_over.append((held_back, "gate"))
                    continue
                if len(found.memories) == places:
                    break
                memory = self.verify(position, ranking)
                if memory:
                    self._take(found, memory, request, least, placing)
            withheld = sum([outcome == "withheld" for _memory, outcome in found.passed_over])
            if least is not None and withheld > more and more < MOST_WITHHELD:
                more = withheld
                continue
            if len(judged) < count or len(found.memories) == places or least is not None:
                placing.finish(found, places)
                has_siblings = least is not None and self._past == ASKED and request.filters is None
                if has_siblings and places:
                    find_subject(self, found, judged, recall, request)
                if has_siblings and request.settings.may_concern:
                    from .named import find_named

                    find_named(self, found, judged, request)
                is_full = len(found.memories) == wanted
                self._is_complete = is_full or (
                    least is not None and not self._has_rival(recall, request, is_silent=not found.memories)
                )
                if has_siblings:
                    add_siblings(self, found, recall, request.now)
                if placing.heeds:
                    note_contradictions(self, found.memories, request.now)
                return found
            count *= 4

    def _has_rival(self, recall: "Recall", request: "Request", *, is_silent: bool) -> bool:
        """Whether memories that nobody vouches for could be shown beside the vouched ones that were found."""
        if self._part != "vouched" or request.embedded or (request.situation and request.situation[0]):
            return True
        return recall.has_rival(self._whole.snapshot, NEAR_ALONE if is_silent else NEAR_BESIDE)

    def _take(
        self, found: Found, memory: RecalledMemory, request: "Request", least: int | None, placing: Placing
    ) -> None:
        """Add a memory that passes the gate, or the memory that supersedes it."""
        self.heed_anchors(memory, request)
        head = self._head(memory.position, request)
        if least is not None and memory.logit is not None and memory.logit < least:
            found.passed_over.append((memory, "gate"))
        elif head == memory.position:
            placing.place(memory, found)
        else:
            placing.pass_over(memory, found)
            following = None if self.is_of_another_part(head) else self.verify(head, memory)
            if following and (request.filters is None or following.parts[0] in request.filters[0]):
                placing.place(following, found)

    def _choose_ranked(self, request: "Request", strategy: str) -> Found:
        """Choose by a strategy other than `hybrid`; these strategies have no gate."""
        wanted, is_keyword = request.k, strategy in KEYWORD
        places = max(0, wanted - self._taken)
        count = wanted + SPARE + (DEEP_CHECK_LIMIT if is_keyword else 0)
        while True:
            hits = self.snapshot.search(replace(request, k=count), strategy)
            is_all = len(hits) < count
            recency: dict[int, int] = {}
            if is_keyword:
                hits = self._deep_check(hits, request.now, recency)
            found, placing = Found(), Placing(request, self._review, self._past)
            for position, score in hits:
                if len(found.memories) == places:
                    break
                ranking = Ranking(position, score)
                ranking.recency = recency.get(position, 0)
                head = self._head(position, request)
                if self.is_of_another_part(position) or self.is_of_another_part(head):
                    continue
                memory = self.verify(head, ranking)
                if memory:
                    placing.place(memory, found)
            if is_all or len(found.memories) == places:
                placing.finish(found, places)
                self._is_complete = len(found.memories) == wanted
                return found
            count *= 4

    def _head(self, position: int, request: "Request") -> int:
        """The position of the memory to show for `position`: its successor or, with filters, `position` itself."""
        is_followed = request.filters is None or self._past == HIDDEN
        return self.successor(position) if is_followed else position

    def successor(self, position: int) -> int:
        """The position of the memory that supersedes the memory at `position`, directly or through others; `position`
        itself if none does. Only a memory that the user vouches for supersedes one that the user vouches for (SPEC
        45.10)."""
        return find_successor(self.snapshot, position, self._may_replace if self._heeds_trust else None)

    def _may_replace(self, position: int, other: int) -> bool:
        is_vouched_for = self._is_vouched_for(position)
        return bool(self._is_vouched_for(other)) if is_vouched_for else is_vouched_for is False

    def _is_vouched_for(self, position: int) -> bool | None:
        """Whether the user vouches for the memory at a position, whatever its status; None if too many memories were
        looked at, so that a repository cannot make a prompt read all of its files."""
        if position not in self._vouched and len(self._vouched) < MOST_LOOKS:
            self._vouched[position] = self._look_up(position)
        return self._vouched.get(position)

    def _look_up(self, position: int) -> bool:
        from .trust_check import is_vouched_for

        try:
            path = self.snapshot.documents[position].path
            data, _status = self._files[self.snapshot.store_of(position)].read(path)
        except Unread:
            return False
        return is_vouched_for(self._source(position).memory_dir, data)

    def _source(self, position: int) -> StoreSource:
        return self._sources[self.snapshot.store_of(position)]

    def heed_anchors(self, memory: RecalledMemory, request: "Request") -> None:
        """Remove from an unreviewed memory the gate's points for anchors that do not name a single file (SPEC 45.4)."""
        paths = request.situation[0] if request.situation else []
        if self._heeds_trust and memory.logit is not None and paths and not memory.heeds_paths(paths):
            from ..rank.situation import without_path

            memory.logit, memory.probability = without_path(self.snapshot, memory.position, paths, memory.logit)

    def _deep_check(self, shortlist: list[tuple[int, int]], now: int, recency: dict[int, int]) -> list[tuple[int, int]]:
        """The shortlist after its first members got their points for recency, sorted again (SPEC 8.1, 8.3)."""
        from ..classic.keyword import order
        from ..memory.deep_check import recency_points

        checked = []
        for position, score in shortlist[:DEEP_CHECK_LIMIT]:
            found = self._verified(position)
            if found:
                recency[position] = recency_points(found[0][2], now)
                checked.append((position, score + recency[position]))
        documents = self.snapshot.documents
        return order(checked + shortlist[DEEP_CHECK_LIMIT:], lambda position: documents[position].category)

    def verify(self, position: int, ranking: Ranking) -> RecalledMemory | None:
        """The memory at a position with the present content of its file; None if it must not be shown."""
        found = self._verified(position)
        if found is None:
            return None
        memory = RecalledMemory(position, found[0], ranking, found[1])
        memory.origin = self._source(position)
        if self.asks_trust:
            memory.standing = self.standing_of(memory)
            if self.is_vouched_part and memory.is_unreviewed:
                return None
        return memory

    def standing_of(self, memory: RecalledMemory) -> "Standing":
        """The trust in a memory. It is looked up once for each memory."""
        standing = self._standings.get(memory.position)
        if standing is None:
            memory_dir = self._source(memory.position).memory_dir
            standing = self._check().look_at(memory_dir, memory.parts[2], memory.data)
            self._standings[memory.position] = standing
        return standing

    def _check(self) -> "TrustCheck":
        if self._trust is None:
            # Loaded only if trust is looked up.
            from .trust_check import TrustCheck

            self._trust = TrustCheck()
        return self._trust

    def _verified(self, position: int) -> "tuple[StoredMemory, bytes] | None":
        if position not in self._seen:
            document = self.snapshot.stored(position)
            self._seen[position] = self._look_at(document, position) if document else None
        return self._seen[position]

    def _look_at(self, document: "StoredDocument", position: int) -> "tuple[StoredMemory, bytes] | None":
        """The description and bytes of the memory's file, because text of the snapshot is never shown; None if the
        memory must not be shown."""
        path = document.path
        try:
            data, status = self._files[self.snapshot.store_of(position)].read(path)
        except Unread as unread:
            self._notes.append(f"`{path}` {unread.words}")
            return None
        category = CATEGORIES.get(path.split("/")[-2], document.category.lower())
        now = describe_file(category, path, data, min(status.st_size, MAX_SIZE), status.st_mtime_ns)
        return (now, data) if now and (not self._statuses or now[1] in self._statuses) else None
