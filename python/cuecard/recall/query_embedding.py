"""Adds what an embedder says to recall: how similar each memory is to the prompt.

Rules: docs/reference/models.md, "Vectors of prompts".
"""

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..models.vectors.prompt_vector import QuerySimilarities
    from .snapshot_recall import ProjectSnapshot, PromptQuery

# Who waits for a model that is not in memory yet: nobody, a prompt to come, the one who asks.
HOOK, RESIDENT, PERSON = "hook", "resident", "person"
# An answer serves all that is asked about one prompt at a time.
MEMO_SECONDS = 10.0


class LastQuerySimilarities:
    """What the embedder said last; threads may share it."""

    __slots__ = ("_said",)

    def __init__(self) -> None:
        """Nothing yet."""
        # To what, what, and until when that holds.
        self._said: tuple[object, QuerySimilarities, float] | None = None

    def find(self, key: object) -> "QuerySimilarities | None":
        """Its answer to the same text, if that was given just now."""
        said = self._said
        return said[1] if said and said[0] == key and time.monotonic() < said[2] else None

    def keep(self, key: object, similarities: "QuerySimilarities") -> None:
        """Keep the answer to a text for a short time."""
        self._said = key, similarities, time.monotonic() + MEMO_SECONDS


def add_query_similarities(
    query: "PromptQuery", store: "ProjectSnapshot", who: str, last: LastQuerySimilarities | None = None
) -> None:
    """Add to what is asked how similar the memories are to the prompt, if the settings name an embedder.

    Where that fails in whatever way the built-in table serves, and the notes say so.
    """
    settings = query.config.embedding
    if settings is None:
        return
    begin = time.monotonic()
    from ..models.vectors.prompt_vector import compare_with_memories  # noqa: PLC0415 - no prompt needs it unless the settings do

    key = query.prompt, query.history, settings.key, store.snapshot
    similarities = last.find(key) if last else None
    if similarities is None:
        of_store = store.project[1], store.snapshot
        similarities = compare_with_memories(settings, of_store, query.prompt, query.history, who, begin)
        if last:
            last.keep(key, similarities)
    query.similarities = similarities
    if similarities.is_fault:
        store.notes.append(f"the built-in table serves instead of the embedder: {similarities.note}")
