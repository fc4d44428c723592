"""Computes vectors of texts and near memories for the test vectors in `tests/vectors` (see the README there)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard import _pure as pure
from cuecard._pure.retrieve import nearest, vectors
from cuecard._pure.retrieve.filters import ACTIVE_ONLY, Acceptance
from segment_cases import hex_of
from snapshot_cases import STORE, make_snapshot, path_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Rows = list[Any]


def document_row(title: str, tags: str, body: str) -> Rows:
    return shown(vectors.document_row(title, tags, body))


def row_of_words(words: Rows) -> Rows:
    return shown(vectors.row_of_words([(word, weight) for word, weight in words]))


def prompt_words(prompt: str, **files: Rows) -> object:
    return nearest.prompt_words(make_snapshot(pure, **files), prompt)


def near_by_signs(prompt: str, k: int, filters: Rows | None = None, **files: Rows) -> Rows:
    """The memories whose vectors have nearly the same signs as the prompt's: path below the store and cosine."""
    snapshot = make_snapshot(pure, **files)
    narrowed: Any = tuple(filters) if filters else ACTIVE_ONLY
    row, norm = vectors.row_of_words(nearest.prompt_words(snapshot, prompt))
    positions = nearest.near_by_signs(snapshot, row, k, Acceptance(narrowed))
    return [
        [path_at(pure, snapshot, position), nearest.best_cosine(nearest.cosines_at(snapshot, position, row, norm))]
        for position in positions
    ]


def cosines(prompt: str, path: str, **files: Rows) -> Rows:
    """The cosines of a prompt with the memory at a path: with its content, and with its nearest question."""
    snapshot = make_snapshot(pure, **files)
    position = snapshot.find(STORE + path)
    row, norm = vectors.row_of_words(nearest.prompt_words(snapshot, prompt))
    return [*nearest.cosines_at(snapshot, 99 if position is None else position, row, norm)]


def shown(vector: tuple[Sequence[int], int]) -> Rows:
    """The columns of a vector as hexadecimal digits, and its norm."""
    row, norm = vector
    return [hex_of(vectors.bytes_of([*row])), norm]


SEMANTIC_PARTS: dict[str, Callable[..., Any]] = {
    "cosines": cosines,
    "document_row": document_row,
    "near_by_signs": near_by_signs,
    "prompt_words": prompt_words,
    "row_of_words": row_of_words,
    "vector_words": vectors.vector_words,
}
