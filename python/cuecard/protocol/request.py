"""A prompt and what it is answered by (SPEC 21, 27)."""

from ..basics.light_dataclass import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..settings.reader import Descriptions, Settings

Synonyms = list[list[str]]
# Position and score of a document; and of a part of a score its kind, the piece of the prompt, what that matched, and
# the points.
Scored = tuple[int, int]
ScorePart = tuple[str, str, str, int]
# Categories (any of them), tags (all of them), statuses (any of them), `updated_at` from and until in microseconds
# since 1970, and the beginning of the path below `.claude/memory/`.
Filters = tuple[list[str], list[str], list[str], "int | None", "int | None", str]
# Paths that the prompt names, by `mentioned_paths` (they may begin anywhere); files that have changed; and what the
# user works on: `tag:x`, `category:x`, `path:x`, or any of them. Paths are those of the project, from its root.
Situation = tuple[list[str], list[str], list[str]]
# Position of a document, and the cosine of its row and the prompt's, in 1/4096.
Embedded = list[tuple[int, int]]


@dataclass(frozen=True)
class Request:
    """What a snapshot is asked. Both backends read the fields by their names."""

    # What the user typed.
    prompt: "str"
    # How many documents are wanted.
    k: "int"
    # Those of the backend that is asked.
    settings: "Settings"
    # Key and description of each described category.
    descriptions: "Descriptions" = field(default_factory=list)
    # Groups of words that stand for each other, beside the built-in ones.
    synonyms: "Synonyms" = field(default_factory=list)
    # The session's prompts before this one, the oldest first.
    history: "Sequence[str]" = ()
    # The time, in microseconds since 1970.
    now: "int" = 0
    # Which documents may be found; the active ones where this is None.
    filters: "Filters | None" = None
    # What else is known; None where nothing is.
    situation: "Situation | None" = None
    # Position and cosine, in 1/4096, of each document that has a model vector; None where the built-in table serves.
    embedded: "Embedded | None" = None


@dataclass(frozen=True)
class Question:
    """What a store is asked: a request to its snapshot, and what is made of the answer."""

    request: "Request"
    # The strategy that finds the memories.
    strategy: "str"
    # How sure the gate of `hybrid` has to be.
    setting: "str" = "off"
    # What becomes of memories that nobody vouches for (SPEC 52). With `ignored` each counts as reviewed, with `marked`
    # each says who vouches for it; with `heeded` anchors that name more than one file count less, and what addresses
    # the model is withheld.
    review: "str" = "ignored"
