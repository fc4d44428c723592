"""Keeps the agent's own tools from writing into a store, and from widening what is trusted (SPEC 16.2, 16.6, 16.7)."""

import os

from ..host.host import write_refusal
from ..host.tool_use import can_ask, read_tool_use
from .people_commands import write_answer
from .reached import Reached, absolute_cwd
from .refusal import judge_target, judge_write
from .shell_commands import find_writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.environment import Environment
    from .user_folders import UserFolders


def deny(payload: bytes, host: str, environment: "Environment") -> bytes:
    """The hook's output for a tool that is about to run: a denial, a question, or b"" if it may run.

    Raises `PayloadError`.
    """
    uses, cwd = read_tool_use(payload)
    if not uses:
        return b""
    # `..` is not resolved here: after a link it leads to another folder than the text suggests.
    folder = absolute_cwd(cwd)
    reached = Reached(os.path.normpath(folder), environment)
    own: UserFolders | None = None
    command = ""
    for use, subject in uses:
        for action, path in find_writes(use, subject, folder, environment.shell_home, environment.project_dir):
            if action == "confirm":
                command = command or path
                continue
            own = own or _user_folders(environment.home)
            reason = refuse(reached, action, path) or _refuse_user_folder(own, action, path)
            if reason:
                return write_refusal(host, "deny", reason)
    return write_answer(command, host, can_ask=can_ask(payload, host)) if command else b""


def _user_folders(home: str) -> "UserFolders":
    from .user_folders import UserFolders

    return UserFolders(home)


def _refuse_user_folder(own: "UserFolders", action: str, path: str) -> str | None:
    """The reason why a write into a folder of the user is refused; None if the path is elsewhere."""
    try:
        is_inside = own.contain(path) or ("\0" not in path and own.contain(_resolve(action, path)))
    except (OSError, ValueError):
        return None
    return own.reason if is_inside else None


def refuse(reached: Reached, action: str, path: str) -> str | None:
    """The reason why a write is refused; None if it is allowed. The path and the file behind its links are judged."""
    if judge_write(path, action, False):
        return judge_write(path, action, _exists(path))
    if "\0" in path:
        return None
    try:
        resolved = _resolve(action, path)
        other_name = reached.find_other_name(path) if action == "write" else ""
        return (
            _judge_target(resolved, action, path, reached.cwd)
            or _judge_target(reached.name_in_project(resolved), action, path, reached.cwd)
            or _judge_target(other_name, action, path, reached.cwd)
            or _refuse_above(reached, action, resolved)
        )
    except (OSError, ValueError):
        return None


def _resolve(action: str, path: str) -> str:
    """The path with its links resolved, except the last one if it is removed or moved: that changes no target."""
    folder, name = os.path.split(path.rstrip(os.sep) or path)
    follows = action == "write" or not name or name in (".", "..")
    return os.path.realpath(path) if follows else os.path.join(os.path.realpath(folder), name)


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


def _judge_target(target: str, action: str, path: str, cwd: str) -> str | None:
    if not target or not judge_target(target, "", action, False):
        return None
    given = path[len(cwd) :].lstrip(os.sep) if path.startswith(cwd.rstrip(os.sep) + os.sep) else path
    return judge_target(target, given, action, _exists(path))


def _exists(path: str) -> bool:
    return "\0" not in path and (os.path.exists(path) or os.path.exists(os.path.normpath(path)))
