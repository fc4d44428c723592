"""What the user of this machine vouches for, asked about memories that are about to be shown (SPEC 52)."""

from .._backend import twin
from ..store.trust import UNREVIEWED, levels_of

# The label of a memory that nobody has vouched for.
LABEL = UNREVIEWED


class Standing:
    """The level of a memory; of an unreviewed one also whether it is withheld, and its anchors that name one file."""

    __slots__ = ("anchors", "is_withheld", "level")

    def __init__(self, level: str, anchors: list[str], *, is_withheld: bool) -> None:
        """Keep them."""
        self.level = level
        self.anchors = anchors
        self.is_withheld = is_withheld

    @property
    def is_unreviewed(self) -> bool:
        """Whether nobody has vouched for the memory."""
        return self.level == UNREVIEWED


class TrustCheck:
    """Asks about the memories of one prompt."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self._known: dict[tuple[str, bytes | None], Standing] = {}

    def look_at(self, path: str, data: bytes | None) -> Standing:
        """The standing of the memory at a path; a file that cannot be read has nobody to vouch for it."""
        key = path, data
        if key not in self._known:
            self._known[key] = look_at(path, data)
        return self._known[key]


def level_of(data: bytes | None) -> str:
    """The level of a memory, by the bytes of its file."""
    trust_hash = twin.trust_hash(data) if data is not None else None
    return levels_of([trust_hash])[trust_hash] if trust_hash else UNREVIEWED


def look_at(path: str, data: bytes | None) -> Standing:
    """The standing of one memory, by the bytes of its file."""
    level = level_of(data)
    if level != UNREVIEWED:
        return Standing(level, [], is_withheld=False)
    data = data or b""
    name = path.rpartition("/")[2].removesuffix(".json")
    is_withheld = any(twin.instruction_signs(text) for text in twin.texts_of_memory(data, name))
    return Standing(UNREVIEWED, twin.concrete_anchors(data), is_withheld=is_withheld)
