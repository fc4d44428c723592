"""A memory that was found, and what its score is made of."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class _Value:
    """Immutable, and equal to whatever has the same type and the same fields, which are its slots."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _fields(self) == _fields(other)

    def __hash__(self) -> int:
        return hash(_fields(self))

    def __repr__(self) -> str:
        listed = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.__slots__])
        return f"{type(self).__name__}({listed})"

    def __reduce__(self) -> "tuple[type[_Value], tuple[object, ...]]":
        return type(self), _fields(self)

    def __setattr__(self, name: str, value: object) -> "NoReturn":
        raise AttributeError(f"cannot set `{name}`: a {type(self).__name__} does not change")

    def __delattr__(self, name: str) -> "NoReturn":
        raise AttributeError(f"cannot delete `{name}`: a {type(self).__name__} does not change")


def _fields(value: _Value) -> tuple[object, ...]:
    return tuple([getattr(value, name) for name in value.__slots__])


def _fill(value: _Value, *fields: object) -> None:
    for name, field in zip(value.__slots__, fields, strict=True):
        object.__setattr__(value, name, field)


class Part(_Value):
    """One reason for a memory's score.

    `token` is the piece of the prompt, `matched` what it met in the memory, both as `kind` has them:

    | strategy | kind | token | matched |
    | --- | --- | --- | --- |
    | `hybrid` | `title`, `tag`, `body` | a word | the term that it met there |
    | | `description` | "" | the category |
    | | `semantic` | "" | the rank by the cosine |
    | | the name of a prior | "" | "" |
    | `keyword` | `title`, `tag`, `prefix` | a word | the memory's word |
    | | `description` | the words that met it | the category |
    | | `recency` | "" | "" |
    | `bm25` | `title`, `tag`, `body` | a word | the term that it met there |
    | | `description` | "" | the category |
    | `tfidf` | `keyword`, `tfidf`: a ranking | "" | the rank in it |
    | `vectors` | `semantic` | "" | "" |
    """

    __slots__ = ("kind", "token", "matched", "points")

    kind: str
    token: str
    matched: str
    points: int

    def __init__(self, kind: str, token: str, matched: str, points: int) -> None:
        _fill(self, kind, token, matched, points)

    def as_dict(self) -> dict[str, str | int]:
        """The fields by name, ready for JSON."""
        return {"kind": self.kind, "token": self.token, "matched": self.matched, "points": self.points}


class Hit(_Value):
    """A memory with its score and the parts of it, whose points sum to the score.

    `category` is a display name (`DECISION`), `path` is relative to the project. There are no parts where nobody asked
    for them. `probability` is how sure the gate is that the memory helps, 0 to 1; None for strategies without a gate.
    Texts are as the memory has them: sanitise them before they go to a terminal or into a prompt.
    """

    __slots__ = ("category", "title", "path", "tags", "score", "parts", "probability")

    category: str
    title: str
    path: str
    tags: tuple[str, ...]
    score: int
    parts: tuple[Part, ...]
    probability: float | None

    def __init__(
        self,
        category: str,
        title: str,
        path: str,
        tags: tuple[str, ...],
        score: int,
        parts: tuple[Part, ...],
        probability: float | None = None,
    ) -> None:
        _fill(self, category, title, path, tuple(tags), score, tuple(parts), probability)

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
        }
