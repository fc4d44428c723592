"""Places memories that are no longer valid, or not valid yet, among the valid memories (SPEC 27.6)."""

from ..memory.validity import HOLDS, holds_at, standing_at, validity_of
from ..requests.request import ASKED, HIDDEN
from ..text.cues import find_cues
from .recalled_memory import Found, RecalledMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..rank.recall import Recall, Recalled
    from ..requests.request import Request
    from .snapshot import Snapshot

IGNORED, MARKED, HEEDED = "ignored", "marked", "heeded"


class Placing:
    """Collects memories for an answer. Memories not valid now come last, and only if the prompt asks for the past."""

    def __init__(self, request: "Request", review: str, past: str) -> None:
        self._now = request.now
        # Whether memories that are not valid now are treated differently.
        self.heeds = review != MARKED and (past == HIDDEN or (past == ASKED and request.filters is None))
        self._asks_past = self.heeds and past != HIDDEN and "asks_past" in find_cues(request.prompt)
        self._withholds = review not in (IGNORED, MARKED)
        self._late: list[RecalledMemory] = []

    def judge(self, recall: "Recall", snapshot: "Snapshot", count: int) -> "list[Recalled]":
        """The best memories with the gate's verdicts: so many that `count` of them are valid now, or all if fewer are
        valid."""
        wanted = count
        while True:
            judged = recall.judge(wanted)
            standings = [standing_at(snapshot.documents[found[0]].validity, self._now) for found in judged]
            others = sum([standing != HOLDS for standing in standings]) if self.heeds else 0
            if len(judged) < wanted or wanted == count + others:
                return judged
            wanted = count + others

    def place(self, memory: RecalledMemory, found: Found) -> None:
        """Add a memory to the answer, keep it for the end of the answer, or pass it over."""
        memory.holds = standing_at(validity_of(memory.data), self._now)
        if not self.heeds or memory.holds == HOLDS:
            found.add(memory, withholds=self._withholds)
        elif self._asks_past:
            self._late.append(memory)
        else:
            found.passed_over.append((memory, memory.holds))

    def pass_over(self, memory: RecalledMemory, found: Found) -> None:
        """Pass over a superseded memory; but if it is not valid now and the prompt asks for the past, keep it for the
        end of the answer."""
        if self._asks_past and not holds_at(memory.data, self._now):
            self.place(memory, found)
        else:
            found.passed_over.append((memory, "superseded"))

    def finish(self, found: Found, wanted: int) -> Found:
        """Add the memories that were kept for the end, until the answer has `wanted` memories."""
        for memory in self._late:
            if len(found.memories) < wanted:
                found.add(memory, withholds=self._withholds)
        return found
