"""Runs work in a thread and stops waiting for it at a deadline (docs/reference/models.md, "Vectors of prompts")."""

import threading
import time

from ...errors import CuecardError, ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")


def run_with_timeout(deadline: float, work: "Callable[[], T]") -> "T":
    """Run `work` in a thread until `deadline`, and return its result or raise its error.

    `deadline` is a time of `time.monotonic`; a late thread is abandoned. Raises ModelError for a timeout, and in place
    of every error of `work` that is not a CuecardError.
    """
    found: list[T | BaseException] = []
    is_good: list[bool] = []

    def run() -> None:
        try:
            found.append(work())
            is_good.append(True)
        except BaseException as error:  # handed to the thread that waits
            found.append(error)
            is_good.append(False)

    worker = threading.Thread(target=run, name="cuecard-embedder", daemon=True)
    worker.start()
    worker.join(max(deadline - time.monotonic(), 0))
    if not is_good:
        raise ModelError("the embedder has not answered in time", "raise `embedding.timeout_ms`, or repair its server")
    outcome = found[0]
    if not isinstance(outcome, BaseException):
        return outcome
    if isinstance(outcome, CuecardError):
        raise outcome
    raise ModelError(f"the embedder has failed: {type(outcome).__name__}: {outcome}")
