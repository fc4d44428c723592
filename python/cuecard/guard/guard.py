"""Keeps the agent's own tools from writing into a store (SPEC 16.2)."""

import os

from ..guard.refusal import judge_write, write_denial
from ..guard.shell_commands import find_writes
from ..protocol.tool_use import read_tool_use
from .reached import Reached, absolute_cwd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..files.environment import Environment


def deny(payload: bytes, environment: "Environment") -> bytes:
    """The hook's output for a tool that is about to run: a denial, or b"" if it may run. Raises `PayloadError`."""
    uses, cwd = read_tool_use(payload)
    if not uses:
        return b""
    # `..` is not resolved here: after a link it leads to another folder than the text suggests.
    folder = absolute_cwd(cwd)
    reached = Reached(os.path.normpath(folder), environment)
    for use, subject in uses:
        for action, path in find_writes(use, subject, folder, environment.shell_home, environment.project_dir):
            reason = refuse(reached, action, path)
            if reason:
                return write_denial(reason)
    return b""


def refuse(reached: Reached, action: str, path: str) -> str | None:
    """The reason why a write is refused; None if it is allowed. The path and the file behind its links are judged."""
    reason = _judge(path, action, path)
    if reason or "\0" in path:
        return reason
    try:
        # Removing or moving a link does not change its target.
        folder, name = os.path.split(path.rstrip(os.sep) or path)
        follows = action == "write" or not name or name in (".", "..")
        resolved = os.path.realpath(path) if follows else os.path.join(os.path.realpath(folder), name)
        other_name = reached.find_other_name(path) if action == "write" else ""
        return (
            _judge(resolved, action, path)
            or _judge(reached.name_in_project(resolved), action, path)
            or _judge(other_name, action, path)
            or _refuse_above(reached, action, resolved)
        )
    except (OSError, ValueError):
        return None


def _refuse_above(reached: Reached, action: str, resolved: str) -> str | None:
    """The reason why the folder `resolved` must not be moved or removed; None if it contains no store."""
    holds = False
    if action != "write" and judge_write(os.path.join(resolved, "memory"), action, True):
        # The last component may be a pattern; `.claude` is the name that it would match.
        holds = os.path.isdir(os.path.join(os.path.dirname(resolved), ".claude", "memory"))
    elif action == "remove":
        memory_dir = reached.project()[1]
        holds = bool(memory_dir) and (memory_dir + os.sep).startswith(resolved.rstrip(os.sep) + os.sep)
    return judge_write(".claude/memory", action, True) if holds else None


def _judge(text: str, action: str, path: str) -> str | None:
    if not text or not judge_write(text, action, False):
        return None
    exists = "\0" not in path and (os.path.exists(path) or os.path.exists(os.path.normpath(path)))
    return judge_write(text, action, exists)
