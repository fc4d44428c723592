"""Vectors for the search by meaning on a server, made by the sentence model of the user's own settings."""

from collections.abc import Sequence

from .._backend import read_effective_settings
from ..models.embedders.choice import open_embedder
from ..models.embedders.embedder import Embedder
from ..models.embedders.embedding_settings import read_embedding_settings
from ..models.vectors.memory_text import text_of
from .remote import Change

PROMPT_SECONDS = 10.0


def own_embedder() -> Embedder | None:
    """The sentence model that the user has chosen; None if the user has chosen none."""
    settings = read_embedding_settings(read_effective_settings("").settings, [])
    return open_embedder(settings) if settings else None


def rows_of(embedder: Embedder, changes: Sequence[Change]) -> dict[str, str]:
    """The vectors of memories, as the server reads them, by path. Raises ModelError."""
    texts = {change.path: text_of(change.path, change.data) for change in changes if change.data is not None}
    known = {path: found[0] for path, found in texts.items() if found}
    paths = list(known)
    rows: dict[str, str] = {}
    for begin in range(0, len(paths), embedder.batch):
        batch = paths[begin : begin + embedder.batch]
        encoded = embedder.encode([known[path] for path in batch], None)
        rows.update(zip(batch, map(_written, encoded), strict=True))
    return rows


def row_of_query(embedder: Embedder, words: str) -> str:
    """The vector of a query. Raises ModelError."""
    return _written(embedder.encode_prompt(words, PROMPT_SECONDS))


def _written(row: bytes) -> str:
    """A row of signed bytes in the form of pgvector."""
    return f"[{','.join(map(str, memoryview(row).cast('b').tolist()))}]"
