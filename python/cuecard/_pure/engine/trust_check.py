"""Looks up who vouches for each memory that is about to be shown (SPEC 52)."""

from ...memory.file_anchors import anchors_named, concrete_anchors
from ...memory.trust_levels import UNREVIEWED, levels_of
from ...memory.trust_texts import texts_of_memory
from ..memory.sign_search import instruction_signs

# Imported from the package: importing the module of that name would put it in the function's place there.
from ..memory.trust_hash import trust_hash


class Standing:
    """The level of a memory; of an unreviewed one also whether it is withheld, and its anchors that name one file."""

    def __init__(self, level: str, anchors: list[str], *, is_withheld: bool) -> None:
        """Keep them."""
        self.level = level
        self.anchors = anchors
        self.is_withheld = is_withheld

    @property
    def is_unreviewed(self) -> bool:
        """Whether nobody has vouched for the memory."""
        return self.level == UNREVIEWED

    def heeds_paths(self, paths: list[str]) -> bool:
        """Whether the gate may heed that a prompt names these paths (SPEC 52.4)."""
        return not self.is_unreviewed or anchors_named(self.anchors, paths)


def look_at(path: str, data: bytes | None) -> Standing:
    """The standing of the memory at a path; a file that cannot be read has nobody to vouch for it."""
    found = trust_hash(data) if data is not None else None
    level = levels_of([found])[found] if found else UNREVIEWED
    if level != UNREVIEWED:
        return Standing(level, [], is_withheld=False)
    data = data or b""
    name = path.rpartition("/")[2].removesuffix(".json")
    is_withheld = any(instruction_signs(text) for text in texts_of_memory(data, name))
    return Standing(UNREVIEWED, concrete_anchors(data), is_withheld=is_withheld)
