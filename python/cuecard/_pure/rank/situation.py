"""What is known of the moment of a prompt beside its words, and the memories that belong to it (SPEC 34)."""

from ...basics.category import FOLDERS
from ...basics.chars import fold, scrub
from ..retrieve.anchors import at_end_of, below, covering, ending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...protocol.request import Situation
    from ..retrieve.known_documents import KnownDocuments
    from .priors import Prior

# So many of the changed files count.
MAX_CHANGED = 64
# So many paths of a prompt, and areas of a focus.
MAX_NAMED = 16
# So many of the memories that no retriever may have found become candidates.
MAX_CANDIDATES = 64
# The gate heeds a path that no more memories belong to: a folder of everything says nothing about one of them.
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
        # The first that are anchored to what the prompt names, in the order of documents.
        self.named = sorted(self._at_named)[:MAX_CANDIDATES]
        self._changed = {position for path in changed[:MAX_CHANGED] for position in covering(snapshot, path)}
        self._focused: set[int] = set()
        # Names of categories, folded, and folders.
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
        """Whether the document at a position is one of a few that are anchored to what the prompt names."""
        return position in self._singled_out

    def points(self, position: int, category: str) -> "list[Prior]":
        """What the situation adds to a document of a category (in capitals), in 1/4096, by name."""
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
    """The logit of a document without what the gate adds for the paths of a prompt, and the probability of that logit
    (SPEC 34.4, 52.4)."""
    from ...settings.gate_model import probability
    from .gate import PATH_SHARE

    if Situated(snapshot, (paths, [], [])).is_singled_out(position):
        logit -= PATH_SHARE
    return logit, probability(logit)


def _anchored_to(snapshot: "KnownDocuments", path: str) -> set[int]:
    """The documents that a path which may begin anywhere stands for: anchors that cover it or end with it; those below
    it where it looks like a folder; else, where there is none of these, an anchor that it ends with."""
    found = covering(snapshot, path) | ending(snapshot, path)
    if "/" in path and "." not in path.rpartition("/")[2]:
        found |= below(snapshot, path)
    return found or at_end_of(snapshot, path)


def _tagged(snapshot: "KnownDocuments", tag: str) -> set[int]:
    """The documents with a tag, folded, by their positions."""
    return {position for position, document in enumerate(snapshot.documents) if tag in document.parts()[3]}
