"""The situation of a prompt (paths, changed files, focus), and the memories that belong to it (SPEC 34)."""

from ...basics.category import FOLDERS
from ...basics.chars import fold, scrub
from ..retrieve.anchors import at_end_of, below, covering, ending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..requests.request import Situation
    from ..retrieve.known_documents import KnownDocuments
    from .priors import Prior

# At most this number of changed files counts.
MAX_CHANGED = 64
# At most this number of paths of a prompt, and of areas of a focus, counts.
MAX_NAMED = 16
# At most this number of memories at the paths of a prompt become candidates without being found by a retriever.
MAX_CANDIDATES = 64
# The gate counts a path only if at most this number of memories belongs to it: a path with many says too little.
FEW = 16
# Points in 1/4096 (SPEC 34.3).
PATH_POINTS = 320
CHANGED_POINTS = 160
FOCUS_POINTS = 320
KINDS = ("tag", "category", "path")


class Situated:
    """The documents that belong to a situation, by their positions."""

    def __init__(self, snapshot: "KnownDocuments", situation: "Situation") -> None:
        paths, changed, focus = situation
        self._at_named: set[int] = set()
        self._singled_out: set[int] = set()
        for path in paths[:MAX_NAMED]:
            found = _anchored_to(snapshot, scrub(path))
            if len(found) <= FEW:
                self._singled_out |= found
            self._at_named |= found
        # The first documents that are anchored to paths of the prompt, in their order.
        self.named = sorted(self._at_named)[:MAX_CANDIDATES]
        self._changed = {position for path in changed[:MAX_CHANGED] for position in covering(snapshot, path)}
        self._focused: set[int] = set()
        # Folded names of categories or of their folders.
        self._categories: set[str] = set()
        for area in focus[:MAX_NAMED]:
            self._add_area(snapshot, scrub(area))

    def _add_area(self, snapshot: "KnownDocuments", area: str) -> None:
        kind, colon, rest = area.partition(":")
        if not colon or kind not in KINDS:
            kind, rest = "", area
        if kind in ("", "tag"):
            self._focused.update(_tagged(snapshot, fold(rest)))
        if kind in ("", "category"):
            self._categories.add(fold(rest))
        if kind in ("", "path"):
            self._focused.update(_anchored_to(snapshot, rest))
            self._focused.update(below(snapshot, rest))

    def is_singled_out(self, position: int) -> bool:
        """Whether the document at a position is one of a few that are anchored to a path of the prompt."""
        return position in self._singled_out

    def points(self, position: int, category: str) -> "list[Prior]":
        """The points that the situation gives a document of a category (in capitals), in 1/4096, by name."""
        name = fold(category)
        folder = next((folder for folder, known in FOLDERS if known == name), "")
        is_focused = position in self._focused or name in self._categories or folder in self._categories
        found = (
            (position in self._at_named, ("path", PATH_POINTS)),
            (position in self._changed, ("changed", CHANGED_POINTS)),
            (is_focused, ("focus", FOCUS_POINTS)),
        )
        return [prior for is_so, prior in found if is_so]


def without_path(snapshot: "KnownDocuments", position: int, paths: list[str], logit: int) -> tuple[int, int]:
    """The logit of a document without the gate's points for the paths of a prompt, and the probability of that logit
    (SPEC 34.4, 45.4)."""
    from ..settings.gate_model import probability
    from .gate import PATH_SHARE

    if Situated(snapshot, (paths, [], [])).is_singled_out(position):
        logit -= PATH_SHARE
    return logit, probability(logit)


def _anchored_to(snapshot: "KnownDocuments", path: str) -> set[int]:
    """The documents with an anchor that covers a path or ends with it or, if the path looks like a folder, is below it.
    If there is none, the documents with an anchor that the path ends with. The path may be relative to any folder."""
    found = covering(snapshot, path) | ending(snapshot, path)
    if "/" in path and "." not in path.rpartition("/")[2]:
        found |= below(snapshot, path)
    return found or at_end_of(snapshot, path)


def _tagged(snapshot: "KnownDocuments", tag: str) -> set[int]:
    """The positions of the documents with a tag; `tag` is in folded form."""
    return {position for position, document in enumerate(snapshot.documents) if tag in document.parts()[3]}
