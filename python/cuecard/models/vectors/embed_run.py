"""Computes the missing vectors of a store in batches and saves them often, in case the run is interrupted.

Rules: docs/reference/models.md, "Making vectors".
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ...errors import ModelError
from ..embedders.embedder import Embedder
from .embed_plan import Missing, Plan, plan_embedding
from .vectors_file import VectorEntry
from .vectors_update import update_vectors

# New vectors are saved when saving costs at most this share of the time since the last save.
KEEPING_SHARE = 0.05
# After this many failures in a row the endpoint is assumed to be the cause, not a text.
MAX_FAILURES = 3

Tell = Callable[[int, int], None]


@dataclass
class EmbeddingRun:
    """The result of `embed_store`."""

    plan: Plan
    embedded: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    """The paths of memories that the model rejects, with its message."""


def embed_store(
    project: tuple[str, str], embedder: Embedder, tell: Tell, is_all: bool = False, is_anew: bool = False
) -> EmbeddingRun:
    """Compute the missing vectors of a project's active memories, or with `is_all` of every memory.

    `tell` is called with the number of finished memories and the total. Raises ModelError if the model does not fit
    the store, and if it does not answer; the vectors of earlier answers are saved.
    """
    plan = plan_embedding(project, embedder, is_all, is_anew)
    if plan.missing and plan.dimension and not embedder.dimension:
        # Another model may use the same name, so its dimension is checked.
        dimension = len(embedder.encode([plan.missing[0].text], None)[0])
        if dimension != plan.dimension:
            plan = plan_embedding(project, embedder, is_all, dimension=dimension)
    run = _Run(project[1], embedder, plan)
    tell(0, len(plan.missing))
    try:
        for begin in range(0, len(plan.missing), embedder.batch):
            batch = plan.missing[begin : begin + embedder.batch]
            run.embed(batch)
            tell(begin + len(batch), len(plan.missing))
    finally:
        run.keep()
    if run.last_error and not run.done.embedded:
        raise run.last_error
    return run.done


class _Run:
    """The state of a run: its results, and the vectors that are not saved yet."""

    def __init__(self, memory_dir: str, embedder: Embedder, plan: Plan) -> None:
        self.done = EmbeddingRun(plan)
        self.last_error: ModelError | None = None
        self._memory_dir = memory_dir
        self._embedder = embedder
        self._fresh: dict[str, VectorEntry] = dict(plan.restamped)
        self._dimension = embedder.dimension or plan.dimension
        self._failures = 0
        self._keeping_seconds = 0.0
        self._kept_at = time.monotonic()

    def embed(self, batch: list[Missing]) -> None:
        """Embed memories in one request; if it fails, in one request each. Raises ModelError after `MAX_FAILURES`."""
        try:
            self._add(batch)
        except ModelError as error:
            if len(batch) == 1:
                self._note_failure(batch[0], error)
            else:
                for missing in batch:
                    self.embed([missing])
        if time.monotonic() - self._kept_at >= self._keeping_seconds / KEEPING_SHARE:
            self.keep()

    def keep(self) -> None:
        """Save the new vectors."""
        if not self._fresh:
            return
        begin = time.monotonic()
        update_vectors(self._memory_dir, self._embedder.fingerprint, self._dimension, self._fresh)
        self._fresh = {}
        self._kept_at = time.monotonic()
        self._keeping_seconds = self._kept_at - begin

    def _add(self, batch: list[Missing]) -> None:
        rows = self._embedder.encode([missing.text for missing in batch], None)
        dimension = len(rows[0])
        if dimension != (self._dimension or dimension):
            what = f"the model has answered with a vector of {dimension} numbers, not {self._dimension}"
            raise ModelError(what, "`cuecard embed --anew` computes a new vector for each memory")
        self._dimension = dimension
        self._fresh.update({missing.path: missing.entry(row) for missing, row in zip(batch, rows, strict=True)})
        self.done.embedded += len(batch)
        self._failures = 0

    def _note_failure(self, missing: Missing, error: ModelError) -> None:
        self.done.failed.append((missing.path, error.what))
        self.last_error = error
        self._failures += 1
        if self._failures == MAX_FAILURES:
            raise error
