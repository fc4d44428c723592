"""Looks up who vouches for each memory that is about to be shown (SPEC 45)."""

from ...files.trust_levels import UNREVIEWED, levels_of
from ..memory.card import read_card
from ..memory.file_anchors import anchors_named, concrete_anchors
from ..memory.sign_search import instruction_signs

# `trust_hash` is imported from the package: importing the module of that name would replace the package's function.
from ..memory.trust_hash import trust_hash
from ..memory.trust_texts import texts_of_memory

# The most characters that are searched for instructions for one prompt; memories beyond it are withheld. An ordinary
# memory has some thousand.
MAX_CHARS = 1 << 17
# The number of characters that each text counts more, because even an empty text takes time.
TEXT_CHARS = 64


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
        """Whether the gate may count that the prompt names these paths (SPEC 45.4)."""
        return not self.is_unreviewed or anchors_named(self.anchors, paths)


class TrustCheck:
    """Looks up the trust in the memories for one prompt."""

    def __init__(self) -> None:
        """Start with all characters that may be searched for instructions."""
        self._room = MAX_CHARS

    def look_at(self, memory_dir: str, path: str, data: bytes | None) -> Standing:
        """The standing of the memory at a path of a store with the content `data`; an unreadable memory (None) is
        unreviewed."""
        data = data or b""
        level = _level_of(memory_dir, data)
        if level != UNREVIEWED:
            return Standing(level, [], is_withheld=False)
        texts = texts_of_memory(data, path.rpartition("/")[2].removesuffix(".json"))
        is_withheld = not self._takes(texts)
        if not is_withheld:
            card = read_card(data)
            # Title and gist are shown in one line, so a text could be divided among them.
            line = f"{texts[1] if len(texts) > 1 else ''} {card[2] if card else ''}"
            has_signs = any(instruction_signs(text, learned=True) for text in texts)
            is_withheld = has_signs or bool(instruction_signs(line))
        return Standing(UNREVIEWED, concrete_anchors(data), is_withheld=is_withheld)

    def _takes(self, texts: list[str]) -> bool:
        """Whether there is room to search the texts of a memory. If so, they take it."""
        rest = self._room - sum([TEXT_CHARS + len(text) for text in texts])
        if rest >= 0:
            self._room = rest
        return rest >= 0


def is_vouched_for(memory_dir: str, data: bytes) -> bool:
    """Whether the user vouches for a memory with this content in a store."""
    return _level_of(memory_dir, data) != UNREVIEWED


def _level_of(memory_dir: str, data: bytes) -> str:
    return levels_of(memory_dir, [(trust_hash(data), data)])[0]
