"""Decides the trust of a memory that is written, which depends on the text that it is based on (SPEC 52.7)."""

import re
from collections.abc import Iterable

from ..._backend import engine
from ...configuration.settings_files import read_effective_settings
from ...memory.trust_levels import OWN, UNREVIEWED, grant, levels_of
from ...memory.trust_texts import texts_of_memory
from ..records.find_memory import find_places
from ..records.memory import Memory, read_memories
from ..records.record_file import Fields

Project = tuple[str, str]

# A text is a copy of another if they have this share of the shorter text's runs of words in common.
COPIED_SHARE = 0.4
MIN_COPIED_RUNS = 2
RUN_WORDS = 4
# The fields of a record that name the memories it is based on.
_NAMING = ("supersedes", "derived_from")
_WORD = re.compile(r"\w+")


class TrustOfWrites:
    """Decides the trust of the memories that one transaction writes.

    `given` is the trust of new text: `own` for text that the user typed or an agent drafted, `unreviewed` for text from
    another source. With `unreviewed`, a change also makes the changed memory unreviewed.
    """

    def __init__(self, project: Project) -> None:
        self.given = OWN
        self._project = project
        self._unreviewed: list[Memory] | None = None

    def settle(self, before: bytes | None, memory: Memory) -> None:
        """Vouch for a written memory if the rules allow it; `before` is its file before the write, None for a new one.

        If the trust cannot be stored, the memory stays unreviewed.
        """
        old = engine.trust_hash(before) if before is not None else None
        new = engine.trust_hash(memory.data)
        if new is None or new == old or self.given == UNREVIEWED:
            return
        level = levels_of([old])[old] if old is not None else self.given
        if level == UNREVIEWED or self._is_based_on_unreviewed(memory):
            return
        try:
            grant([new], level)
        except OSError:
            return

    def _is_based_on_unreviewed(self, memory: Memory) -> bool:
        """Whether a memory supersedes, derives from or copies the text of an unreviewed memory."""
        others = [other for other in self._find_unreviewed() if other.path != memory.path]
        if not others:
            return False
        named = {path for name in _names_of(memory.record) for _category, path in find_places(*self._project, name)}
        if any(other.path in named for other in others):
            return True
        runs = _runs_of(memory)
        return any(_is_copy(runs, _runs_of(other)) for other in others)

    def _find_unreviewed(self) -> list[Memory]:
        """Return the memories of the store that nobody vouches for, as they were at the first call."""
        if self._unreviewed is None:
            settings = read_effective_settings(self._project[1]).settings
            memories = read_memories(*self._project) if settings.reviews_trust else []
            hashes = [engine.trust_hash(memory.data) or "" for memory in memories]
            levels = levels_of([found for found in hashes if found])
            pairs = zip(memories, hashes, strict=True)
            self._unreviewed = [memory for memory, found in pairs if levels.get(found, UNREVIEWED) == UNREVIEWED]
        return self._unreviewed


def _names_of(record: Fields) -> Iterable[str]:
    extension = record.get("cuecard")
    extension = extension if isinstance(extension, dict) else {}
    for field in _NAMING:
        names = extension.get(field)
        yield from [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _runs_of(memory: Memory) -> frozenset[tuple[str, ...]]:
    """Return all runs of `RUN_WORDS` words in the texts of a memory."""
    runs: set[tuple[str, ...]] = set()
    # The id is left out, because it repeats the title.
    for text in texts_of_memory(memory.data, "")[1:]:
        words = _WORD.findall(text.lower())
        runs.update(zip(*[words[start:] for start in range(RUN_WORDS)], strict=False))
    return frozenset(runs)


def _is_copy(runs: frozenset[tuple[str, ...]], others: frozenset[tuple[str, ...]]) -> bool:
    common = len(runs & others)
    return common >= MIN_COPIED_RUNS and common >= COPIED_SHARE * min(len(runs), len(others))
