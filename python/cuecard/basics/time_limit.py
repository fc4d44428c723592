"""Bounds how long reading a stranger's text may take: long loops check a clock, and stop when the time is over.

The clock counts the CPU time of the thread, so a busy machine does not make a limit stricter. No signal and no second
process is needed, so limits work on every system and in every thread.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

clock: Callable[[], float] = getattr(time, "thread_time", time.process_time)


class TakesTooLong(Exception):
    """The time of `limit` is over."""

    def __init__(self, limit: "TimeLimit") -> None:
        """Keep the limit, so that the code that set it can tell it from other limits."""
        super().__init__(f"takes longer than {limit.seconds:g} seconds")
        self.limit = limit


class Stopped(Exception):
    """Nobody waits for the result any more."""


class TimeLimit:
    """A limit for the work that runs inside of it; `outer` is the limit around it."""

    def __init__(self, seconds: float, outer: "TimeLimit | None", is_stopped: Callable[[], bool] | None) -> None:
        """Begin to count now."""
        self.seconds = seconds
        self._outer = outer
        self._ends = clock() + seconds
        self._is_stopped = is_stopped

    def check(self) -> None:
        """Raise TakesTooLong if the time is over, also that of an outer limit; Stopped if nobody waits any more."""
        if self._is_stopped is not None and self._is_stopped():
            raise Stopped
        if self._outer is not None:
            self._outer.check()
        if clock() > self._ends:
            raise TakesTooLong(self)


_current: ContextVar[TimeLimit | None] = ContextVar("time limit", default=None)


@contextmanager
def time_limit(seconds: float, is_stopped: Callable[[], bool] | None = None) -> Iterator[TimeLimit]:
    """Run the body of a `with` statement with at most so many seconds of CPU time.

    `check_time` then raises TakesTooLong, with the limit that this function yields. `is_stopped` is asked as well.
    """
    limit = TimeLimit(seconds, _current.get(), is_stopped)
    token = _current.set(limit)
    try:
        yield limit
    finally:
        _current.reset(token)


def check_time() -> None:
    """Raise TakesTooLong if the time of a limit around the caller is over. Without a limit nothing happens."""
    limit = _current.get()
    if limit is not None:
        limit.check()
