"""Asks the embedder of the settings how similar each memory is to a prompt of a person.

Rules: docs/reference/models.md, "Vectors of prompts".
"""

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..models.vectors.prompt_vector import QuerySimilarities
    from .snapshot_recall import ProjectSnapshot, PromptQuery

# How long an answer of the embedder is reused for the same prompt.
MEMO_SECONDS = 10.0


class LastQuerySimilarities:
    """The last answer of the embedder, kept for a short time. Threads may share it."""

    def __init__(self) -> None:
        """Start without an answer."""
        # The question, the answer to it, and the monotonic time at which the answer expires.
        self._said: tuple[object, QuerySimilarities, float] | None = None

    def find(self, key: object) -> "QuerySimilarities | None":
        """Return the kept answer if it belongs to `key` and has not expired; otherwise None."""
        said = self._said
        return said[1] if said and said[0] == key and time.monotonic() < said[2] else None

    def keep(self, key: object, similarities: "QuerySimilarities") -> None:
        """Keep the answer for a key for `MEMO_SECONDS`."""
        self._said = key, similarities, time.monotonic() + MEMO_SECONDS


def add_query_similarities(query: "PromptQuery", store: "ProjectSnapshot", last: LastQuerySimilarities) -> None:
    """Add to a query how similar the memories are to the prompt, if the settings name an embedder.

    If the embedder fails for any reason, recall uses the built-in table and a note says so.
    """
    settings = query.config.embedding
    if settings is None:
        return
    from ..models.vectors.prompt_vector import compare_with_memories  # noqa: PLC0415 - no prompt needs it unless the settings do

    key = query.prompt, query.texts, settings.key, store.snapshot
    similarities = last.find(key)
    if similarities is None:
        of_store = store.project[1], store.snapshot
        similarities = compare_with_memories(settings, of_store, query.prompt, query.texts, "person")
        last.keep(key, similarities)
    query.similarities = similarities
    if similarities.problem:
        store.notes.append(similarities.problem)
