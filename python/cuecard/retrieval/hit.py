"""A memory that a search found, and the parts of its score."""

from ..basics.light_dataclass import asdict, dataclass, replace


@dataclass(frozen=True)
class Part:
    """One part of a memory's score.

    `token` is a text from the prompt, and `matched` is what it matched in the memory. Both depend on `kind`:

    | strategy | kind | token | matched |
    | --- | --- | --- | --- |
    | `hybrid` | `title`, `tag`, `body` | a word | the term that it matched |
    | | `description` | "" | the category |
    | | `semantic` | "" | the memory's rank by the cosine |
    | | the name of a prior | "" | "" |
    | any | `boost` | "" | "" |
    | `keyword` | `title`, `tag`, `prefix` | a word | the memory's word |
    | | `description` | the words that matched it | the category |
    | | `recency` | "" | "" |
    | `bm25` | `title`, `tag`, `body` | a word | the term that it matched |
    | | `description` | "" | the category |
    | `tfidf` | `keyword`, `tfidf` (a ranking) | "" | the memory's rank in that ranking |
    | `vectors` | `semantic` | "" | "" |
    """

    kind: str
    token: str
    matched: str
    points: int

    def as_dict(self) -> dict[str, str | int]:
        """The fields by name, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Hit:
    """A memory with its score and, if asked for, the parts whose points sum to the score.

    `category` is a display name (`DECISION`), `path` is relative to the project. `probability` is the gate's estimate
    that the memory helps, 0 to 1; None for strategies without a gate. `trust` is `own`, `reviewed` or `unreviewed`; ""
    if it was not looked up. `is_withheld` marks an unreviewed memory that addresses the model, its tools or secrets;
    agents never see it (SPEC 45.5). `validity` says why the memory is not valid now: its status, `ended DATE` or `from
    DATE`; "" if it is valid. `scope` is `parent`, `user` or `team NAME` for a memory of another store.

    The texts are as in the memory: sanitise them before you print them or add them to a prompt.
    """

    category: str
    title: str
    path: str
    tags: tuple[str, ...]
    score: int
    parts: tuple[Part, ...]
    probability: float | None = None
    trust: str = ""
    is_withheld: bool = False
    validity: str = ""
    scope: str = ""

    def with_score(self, score: int, parts: tuple[Part, ...] = ()) -> "Hit":
        """A copy with another score and other parts."""
        return replace(self, score=score, parts=parts)

    def with_trust(self, trust: str, is_withheld: bool) -> "Hit":
        """A copy with this trust level, and this value of `is_withheld`."""
        return replace(self, trust=trust, is_withheld=is_withheld)

    def with_scope(self, scope: str) -> "Hit":
        """A copy with the scope of another store."""
        return replace(self, scope=scope)

    def with_validity(self, validity: str) -> "Hit":
        """A copy with the reason why the memory is not valid."""
        return replace(self, validity=validity)

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {
            "score": self.score,
            "probability": self.probability,
            "category": self.category,
            "title": self.title,
            "path": self.path,
            "tags": list(self.tags),
            "parts": [part.as_dict() for part in self.parts],
            "trust": self.trust or None,
            "withheld": self.is_withheld,
            "validity": self.validity or None,
            "scope": self.scope or "project",
        }
