"""Looks up who vouches for each memory that is about to be shown (SPEC 52)."""

from ...memory.file_anchors import anchors_named, concrete_anchors
from ...memory.trust_levels import UNREVIEWED, levels_of
from ...memory.trust_texts import texts_of_memory
from ..memory.sign_search import instruction_signs

# `trust_hash` is imported from the package: importing the module of that name would replace the package's function.
from ..memory.trust_hash import trust_hash


class Standing:
    """The trust in a memory; if it is unreviewed, also whether it is withheld, and its anchors to single files."""

    def __init__(self, level: str, anchors: list[str], *, is_withheld: bool) -> None:
        self.level = level
        self.anchors = anchors
        self.is_withheld = is_withheld

    @property
    def is_unreviewed(self) -> bool:
        """Whether nobody has vouched for the memory."""
        return self.level == UNREVIEWED

    def heeds_paths(self, paths: list[str]) -> bool:
        """Whether the gate may count that the prompt names these paths (SPEC 52.4)."""
        return not self.is_unreviewed or anchors_named(self.anchors, paths)


def look_at(path: str, data: bytes | None) -> Standing:
    """The standing of the memory at a path with the content `data`; an unreadable memory (None) is unreviewed."""
    found = trust_hash(data) if data is not None else None
    level = levels_of([found])[found] if found else UNREVIEWED
    if level != UNREVIEWED:
        return Standing(level, [], is_withheld=False)
    data = data or b""
    name = path.rpartition("/")[2].removesuffix(".json")
    is_withheld = any(instruction_signs(text) for text in texts_of_memory(data, name))
    return Standing(UNREVIEWED, concrete_anchors(data), is_withheld=is_withheld)
