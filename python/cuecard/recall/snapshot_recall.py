"""From a snapshot to the memories that are shown, each verified against its own file (SPEC 8, 23.3)."""

import time

from .._backend import twin
from .._pure.category import FOLDERS
from .._pure.request import Request
from ..store.files import StoreFiles
from ..store.folder import Unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._pure.filters import Filters
    from .._pure.situation import Situation
    from .._pure.snapshot import Snapshot
    from .._pure.stored_document import Described
    from ..models.query import QuerySimilarities
    from ..store.session_file import SessionFile
    from .judging import JudgeRun
    from .prompt_path import Config, Project, Shown
    from .trust_check import Standing, TrustCheck

# So many members of the keyword retriever's shortlist may gain points of recency.
DEEP_CHECK_LIMIT = 20
# So many more than are shown are found at first: some may turn out to be gone.
SPARE = 8
# The outcomes of memories that are shown.
SHOWN = ("full", "gist", "title", "line")
# So many of those that the gate holds back are told.
PASSED_OVER = 4
KEYWORD = ("keyword", "keyword_classic")
# What a stamp holds.
MAX_SIZE = 2**32 - 1
CATEGORIES = dict(FOLDERS)


class RecalledMemory:
    """A memory that is shown: where the snapshot has it, its score, the recency in it, its line as it is now, size
    and time of its file, and the bytes of the file from which all of this was read."""

    __slots__ = (
        "count",
        "data",
        "found_as",
        "logit",
        "parts",
        "position",
        "probability",
        "recency",
        "score",
        "stamp",
        "standing",
    )

    # Category, title, path and tags.
    parts: "Shown"
    # Who vouches for it; None where nobody has asked, as with `trust.review` off.
    standing: "Standing | None"

    def __init__(
        self,
        position: int,
        score: int,
        recency: int,
        document: "Described",
        logit: int | None = None,
        probability: int | None = None,
        count: int = 0,
        found_as: int | None = None,
        data: bytes | None = None,
    ) -> None:
        """`score` includes the points of `recency`; logit and probability are those of the gate, in 1/1024.

        `count` is how many were asked for when hybrid recall found it. `found_as` is the position of the memory that
        was found, where this one has taken its place. `data` is None for one that is not shown.
        """
        self.position = position
        self.data = data
        self.score = score
        self.recency = recency
        # What does not read back was not stored.
        self.parts = twin.parse_index_line(document[0]) or ("", "", "", [])
        self.stamp = document[4:]
        self.logit = logit
        self.probability = probability
        self.count = count
        self.found_as = position if found_as is None else found_as
        self.standing = None

    @property
    def is_unreviewed(self) -> bool:
        """Whether it is known that nobody vouches for it."""
        return self.standing is not None and self.standing.is_unreviewed

    @property
    def is_more(self) -> bool:
        """Whether more than its title may be shown."""
        return self.logit is None or self.logit >= (twin.Settings.gate_threshold("precise") or 0)

    @property
    def seen(self) -> tuple[str, int, int]:
        """What a session notes of it."""
        return self.parts[2], self.stamp[0], self.stamp[1]


def note_shown(session: "SessionFile", memories: list[RecalledMemory], outcomes: list[str]) -> None:
    """Note in a session what of some memories is shown."""
    for memory, outcome in zip(memories, outcomes, strict=True):
        if outcome in SHOWN:
            session.note(memory.seen, is_title=outcome == "title")


class PromptQuery:
    """A prompt as hybrid recall takes it: the session's prompts before it, the gate's setting, the situation, the time,
    and what an embedder says of it."""

    __slots__ = ("history", "now", "prompt", "setting", "similarities", "situation")

    def __init__(self, prompt: str, history: list[str], setting: str, situation: "Situation | None" = None) -> None:
        """`history` has the oldest first; the time is now, in microseconds since 1970."""
        self.prompt = prompt
        self.history = history
        self.setting = setting
        self.situation = situation
        self.now = time.time_ns() // 1000
        # None where the settings name no embedder.
        self.similarities: QuerySimilarities | None = None

    @property
    def embedded(self) -> list[tuple[int, int]] | None:
        """Position and cosine of the documents with a model vector; None where the built-in table serves."""
        return self.similarities.embedded if self.similarities else None

    def request(self, config: "Config", k: int, filters: "Filters | None" = None) -> Request:
        """What the snapshot is asked for the best `k`."""
        of_config = (config.recall, config.descriptions, config.synonyms)
        return Request(self.prompt, k, *of_config, self.history, self.now, filters, self.situation, self.embedded)


class Chosen:
    """What a prompt is answered with, best first; the first of those that the gate holds back ("gate"), those whose
    place another one has taken ("superseded"), those that speak to the model without anybody to vouch for them
    ("withheld") and those that the judge leaves out ("judge"); whether the prompt is nothing but a courtesy; and what
    the judge did, None where it was not asked."""

    __slots__ = ("is_courtesy", "judgment", "memories", "passed_over")

    def __init__(self) -> None:
        """Nothing."""
        self.memories: list[RecalledMemory] = []
        self.passed_over: list[tuple[RecalledMemory, str]] = []
        self.is_courtesy = False
        self.judgment: JudgeRun | None = None

    def add(self, memory: RecalledMemory) -> None:
        """Add a memory to those that are shown, unless it is there."""
        if any(other.position == memory.position for other in self.memories):
            return
        if memory.standing and memory.standing.is_withheld:
            if all(other.position != memory.position for other, _why in self.passed_over):
                self.passed_over.append((memory, "withheld"))
        else:
            self.memories.append(memory)


def recall_memories(
    snapshot: "Snapshot",
    query: PromptQuery,
    project: "Project",
    config: "Config",
    limit: int,
    notes: list[str],
    filters: "Filters | None" = None,
    trust: "TrustCheck | None" = None,
) -> Chosen:
    """At most `limit` memories that hybrid recall shows for a prompt; `notes` as in `find_memories`.

    With `trust` the anchors and texts of unreviewed memories count less (SPEC 52.4, 52.5).
    """
    files = MemoryFiles(snapshot, project, notes, filters)
    least = twin.Settings.gate_threshold(query.setting)
    # The gate looks at no more than the first few.
    count = limit if least is not None else limit + SPARE
    if least is not None:
        least += config.recall.gate_shift
    while True:
        is_courtesy, judged = snapshot.judge(query.request(config, count, filters))
        chosen = Chosen()
        if is_courtesy and least is not None:
            chosen.is_courtesy = True
            return chosen
        for position, score, logit, probability in judged if least is not None else judged[:count]:
            if least is not None and logit < least:
                held_back = snapshot.document(position) if len(chosen.passed_over) < PASSED_OVER else None
                if held_back:
                    memory = RecalledMemory(position, score, 0, held_back, logit, probability, count)
                    chosen.passed_over.append((memory, "gate"))
                continue
            if len(chosen.memories) == limit:
                break
            document = files.verify(position)
            if not document:
                continue
            data = files.data(position)
            memory = RecalledMemory(position, score, 0, document, logit, probability, count, data=data)
            if trust:
                memory.standing = trust.look_at(memory.parts[2], data)
                _heed_anchors(memory, snapshot, query.situation)
                if least is not None and memory.logit is not None and memory.logit < least:
                    chosen.passed_over.append((memory, "gate"))
                    continue
            head = snapshot.successor(position) if filters is None else position
            if head == position:
                chosen.add(memory)
            else:
                chosen.passed_over.append((memory, "superseded"))
                document = files.verify(head)
                if document:
                    certainty = memory.logit, memory.probability
                    following = RecalledMemory(head, score, 0, document, *certainty, count, position, files.data(head))
                    if trust:
                        following.standing = trust.look_at(following.parts[2], following.data)
                    chosen.add(following)
        if len(judged) < count or len(chosen.memories) == limit or least is not None:
            return chosen
        count *= 4


def find_memories(
    snapshot: "Snapshot",
    prompt: str,
    project: "Project",
    config: "Config",
    limit: int,
    notes: list[str],
    filters: "Filters | None" = None,
    trust: "TrustCheck | None" = None,
) -> Chosen:
    """At most `limit` memories for a prompt, best first; what is wrong with their files is added to `notes`.

    With `trust` unreviewed memories that speak to the model are withheld (SPEC 52.5).
    """
    files = MemoryFiles(snapshot, project, notes, filters)
    is_keyword = config.strategy in KEYWORD
    count = limit + SPARE + (DEEP_CHECK_LIMIT if is_keyword else 0)
    while True:
        request = Request(prompt, count, config.recall, config.descriptions, config.synonyms, filters=filters)
        found = snapshot.search(request, config.strategy)
        is_all = len(found) < count
        recency: dict[int, int] = {}
        if is_keyword:
            found = _deep_check(snapshot, found, files, recency)
        chosen = Chosen()
        for position, score in found:
            if len(chosen.memories) == limit:
                break
            head = snapshot.successor(position) if filters is None else position
            document = files.verify(head)
            if document:
                points, data = recency.get(position, 0), files.data(head)
                memory = RecalledMemory(head, score, points, document, found_as=position, data=data)
                if trust:
                    memory.standing = trust.look_at(memory.parts[2], data)
                chosen.add(memory)
        if is_all or len(chosen.memories) == limit:
            return chosen
        count *= 4


def _heed_anchors(memory: RecalledMemory, snapshot: "Snapshot", situation: "Situation | None") -> None:
    """Take from an unreviewed memory what the gate has added for anchors that do not name one file (SPEC 52.4)."""
    standing, paths = memory.standing, situation[0] if situation else []
    if memory.logit is None or not standing or not standing.is_unreviewed or not paths:
        return
    if not twin.anchors_named(standing.anchors, paths):
        memory.logit, memory.probability = snapshot.without_path(memory.position, paths, memory.logit)


def _deep_check(
    snapshot: "Snapshot", shortlist: list[tuple[int, int]], files: "MemoryFiles", recency: dict[int, int]
) -> list[tuple[int, int]]:
    """The shortlist with the points of recency of its first members, in its order then (SPEC 8.1, 8.3)."""
    now = time.time_ns() // 1000
    checked = []
    for position, score in shortlist[:DEEP_CHECK_LIMIT]:
        document = files.verify(position)
        if document:
            recency[position] = twin.recency_points(document[2], now)
            checked.append((position, score + recency[position]))
    return snapshot.order_keyword(checked + shortlist[DEEP_CHECK_LIMIT:])


class MemoryFiles:
    """What the files of a snapshot's memories say about showing them; each is read once."""

    __slots__ = ("_data", "_files", "_notes", "_seen", "_snapshot", "_statuses")

    def __init__(
        self, snapshot: "Snapshot", project: "Project", notes: list[str], filters: "Filters | None" = None
    ) -> None:
        """Of `project`; what is wrong with a file is added to `notes`. Filters decide which statuses will do."""
        self._snapshot = snapshot
        self._files = StoreFiles(project[1])
        self._notes = notes
        self._statuses = ["active"] if filters is None else filters[2]
        self._seen: dict[int, Described | None] = {}
        self._data: dict[int, bytes] = {}

    def verify(self, position: int) -> "Described | None":
        """The memory at a position as its file has it now; None where it must not be shown."""
        if position not in self._seen:
            document = self._snapshot.document(position)
            self._seen[position] = self._look_at(position, document) if document else None
        return self._seen[position]

    def data(self, position: int) -> bytes | None:
        """The bytes of the file of a memory that `verify` has found good."""
        return self._data.get(position)

    def _look_at(self, position: int, document: "Described") -> "Described | None":
        """What the memory's own file says: the snapshot finds memories, and is never shown."""
        parts = twin.parse_index_line(document[0])
        if parts is None:
            return None
        path = parts[2]
        try:
            data, status = self._files.read(path)
        except Unread as unread:
            self._notes.append(f"`{path}` {unread.words}")
            return None
        category = CATEGORIES.get(path.split("/")[-2], parts[0].lower())
        now = twin.describe_file(category, path, data, min(status.st_size, MAX_SIZE), status.st_mtime_ns)
        if now is None or (self._statuses and now[1] not in self._statuses):
            return None
        self._data[position] = data
        return now
