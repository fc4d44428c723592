"""Vectors for the memories of a store that have none, batch by batch; a kill loses at most the last.

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

# What is new is kept whenever keeping it costs no more than this share of the time that it took to make it.
KEEPING_SHARE = 0.05
# After so many failures one after the other it is the endpoint, and not a text.
MAX_FAILURES = 3

Tell = Callable[[int, int], None]


@dataclass
class EmbeddingRun:
    """What was done."""

    plan: Plan
    embedded: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Paths of memories whose text the model does not take, and what it says."""


def embed_store(
    project: tuple[str, str], embedder: Embedder, tell: Tell, is_all: bool = False, is_anew: bool = False
) -> EmbeddingRun:
    """Give every active memory of a project, or every one, its vector; `tell` gets how many are done, and of how many.

    Raises ModelError where the model does not answer: what it has answered by then is kept.
    """
    plan = plan_embedding(project, embedder, is_all, is_anew)
    if plan.missing and plan.dimension and not embedder.dimension:
        # Another model may answer by the same name.
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
    """What a run has made, and what of it is in the file."""

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
        """Embed memories together; where that fails, one by one. Raises ModelError after several failures."""
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
        """Put what is new into the file."""
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
            raise ModelError(what, "`cuecard embed --anew` makes the vectors of another model")
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
