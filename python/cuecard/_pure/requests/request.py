"""The requests that both backends take: a prompt with its settings, history and situation (SPEC 21, 27)."""

from ...basics.light_dataclass import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..settings.reader import Descriptions, Settings

Synonyms = list[list[str]]
# The fields of a `ScorePart`.
PartValues = tuple[str, str, str, int]
# Position and score of a document.
Scored = tuple[int, int]
# Categories (any of them), tags (all of them), statuses (any of them), `updated_at` from and until in microseconds
# since 1970, and the beginning of the path below `.claude/memory/`.
Filters = tuple[list[str], list[str], list[str], "int | None", "int | None", str]
# Three lists: paths that the prompt names, from `mentioned_paths` (relative to any folder); changed files, relative to
# the project's root; and the areas of the user's focus: `tag:x`, `category:x`, `path:x`, or `x` for any of the three.
Situation = tuple[list[str], list[str], list[str]]
# Position of a document, and the cosine of its vector and the prompt's vector, in 1/4096.
Embedded = list[tuple[int, int]]


class KeptTerms(str):
    """What a session keeps of an earlier prompt (SPEC 27.7), where a text could stand too."""

    __slots__ = ()


@dataclass(frozen=True)
class Request:
    """A request to a snapshot. Both backends read the fields by their names."""

    # What the user typed.
    prompt: "str"
    # How many documents are wanted.
    k: "int"
    # The settings object of the backend that answers.
    settings: "Settings"
    # Key and description of each described category.
    descriptions: "Descriptions" = field(default_factory=list)
    # Groups of synonyms in addition to the built-in groups.
    synonyms: "Synonyms" = field(default_factory=list)
    # Texts that count as older prompts, the oldest first.
    history: "Sequence[str]" = ()
    # The time, in microseconds since 1970.
    now: "int" = 0
    # Which documents may be found; None means all active documents.
    filters: "Filters | None" = None
    # The situation of the prompt; None if it is not known.
    situation: "Situation | None" = None
    # Position and cosine, in 1/4096, of each document with a model vector; None if the built-in table is used.
    embedded: "Embedded | None" = None
    # What the session keeps of its earlier prompts (`kept_terms`), the oldest first. They come after `history`.
    earlier: "Sequence[str]" = ()


SHOWN, ASKED, HIDDEN = "shown", "asked", "hidden"
# The outcome of a memory of which only the title is named.
NAMED = "named"


@dataclass(frozen=True)
class Question:
    """A question to a store: a request to its snapshot, and how the candidates are gated and checked."""

    request: "Request"
    # The strategy that finds the memories.
    strategy: "str"
    # The setting of the gate of `hybrid`.
    setting: "str" = "off"
    # How memories that nobody vouches for are treated (SPEC 45). With `ignored` each counts as reviewed. With `marked`
    # each is marked as unreviewed. With `heeded`, in addition, anchors that name more than one file count less, and
    # text that addresses the model is withheld.
    review: "str" = "ignored"
    # Which memories are found that are not valid now (SPEC 27.6). `SHOWN`: all of them. `HIDDEN`: none. `ASKED`: only
    # memories that the prompt asks for, after all valid ones. With filters `ASKED` is the same as `SHOWN`.
    past: "str" = ASKED
