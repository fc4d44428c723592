"""Runs code in a child process and kills it at a chosen system call that changes the disk."""

import builtins
import errno
import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from cuecard.errors import CuecardError

# Every function of `os` with which cuecard or filelock changes the disk. A process that dies at another call leaves the
# same files as a process that dies at the next of these calls.
CALLS = (
    "fchmod",
    "ftruncate",
    "link",
    "makedirs",
    "mkdir",
    "open",
    "remove",
    "rename",
    "replace",
    "rmdir",
    "symlink",
    "truncate",
    "unlink",
    "utime",
    "write",
)
FAILED = 70


def run_killed(work: Callable[[], object], killed_at: int) -> int | None:
    """Run `work` in a child process that is killed (SIGKILL) before its call number `killed_at`.

    If this call is a write, the child is killed in the middle of it. Returns None if the child was killed, else the
    number of calls that it made. To reach every call, count `killed_at` up from 0.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        # A garbage collection in the child would copy every memory page that it shares with its parent.
        gc.disable()
        status = FAILED
        try:
            os.close(reader)
            count = _arm(killed_at)
            work()
            report = str(count()).encode()
            _write(writer, report)
            status = 0
        except BaseException:  # nothing of the child may run the tests of the parent
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        report = stream.read()
    _pid, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return None
    assert os.WEXITSTATUS(status) == 0, "the child failed; its traceback is above"
    return int(report)


_write = os.write
_HIT = b"hit"


def run_failing(work: Callable[[], object], failed_at: int) -> bool:
    """Run `work` in a child process whose call number `failed_at` fails with "no space left".

    A write fails after half of its bytes. Returns whether there was a call with this number. `work` may raise
    CuecardError, but no other error.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        gc.disable()
        status = FAILED
        try:
            os.close(reader)
            count = _arm(failed_at, is_death=False)
            with suppress(CuecardError):
                work()
            _write(writer, _HIT if count() > failed_at else b"")
            status = 0
        except BaseException:  # nothing of the child may run the tests of the parent
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        report = stream.read()
    _pid, status = os.waitpid(child, 0)
    assert os.WIFEXITED(status)
    assert os.WEXITSTATUS(status) == 0, "the child failed; its traceback is above"
    return report == _HIT


def _arm(killed_at: int, *, is_death: bool = True) -> Callable[[], int]:
    """Count the calls of this process from now on, and kill it at call number `killed_at`.

    Without `is_death`, only this call fails. Returns a function that returns the number of calls so far.
    """
    calls = 0
    kill, pid = os.kill, os.getpid()

    def armed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401
            nonlocal calls
            if name == "open" and _only_reads(*arguments, **options):
                return function(*arguments, **options)
            if calls == killed_at:
                if name == "write":
                    # This is a torn write: only half of the bytes reach the disk.
                    data = bytes(arguments[1])
                    _write(arguments[0], data[: len(data) // 2])
                if is_death:
                    kill(pid, signal.SIGKILL)
                calls += 1
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            calls += 1
            return function(*arguments, **options)

        return call

    for name in CALLS:
        setattr(os, name, armed(name, getattr(os, name)))
    # When a process dies, the system still writes what it has accepted, so waiting for the disk changes nothing.
    setattr(os, "fsync", _settle)  # noqa: B010
    # The built-in `open` creates a file in one step, so it counts as one call.
    setattr(builtins, "open", armed("open", builtins.open))  # noqa: B010
    return lambda: calls


def _only_reads(
    _path: object, flags: int | str = "r", *_others: object, mode: int | str = "r", **_options: object
) -> bool:
    """Whether `os.open` with these flags, or `open` with this mode, does not change the disk."""
    if isinstance(flags, int):
        return not flags & (os.O_CREAT | os.O_TRUNC)
    wanted = flags if isinstance(mode, int) or mode == "r" else mode
    return not set(wanted) & set("wxa")


def _settle(_handle: int) -> None:
    """Do nothing; this replaces `fsync`."""


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
