"""Keeps the agent's own tools from writing into a store (SPEC 16.2)."""

import os
from contextlib import suppress

from .._backend import twin
from ..errors import CuecardError, StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..recall.environment import Environment

_REGULAR = 0o100000
_FOLDERS = ("sessions", "decisions", "runbooks", "constraints", "tech-debt", "preferences", "")


def deny(payload: bytes, environment: "Environment") -> bytes:
    """What to print about what a tool is about to do: a denial, or nothing. Raises `PayloadError`."""
    tool, subject, cwd = twin.read_tool_use(payload)
    if tool == "other":
        return b""
    writes = list_writes(tool, subject, cwd, environment)
    if not writes:
        return b""
    reached = Reached(os.path.abspath(cwd or "."), environment)
    for action, path in writes:
        reason = reached.refuse(action, path)
        if reason:
            return twin.write_denial(reason)
    return b""


def list_writes(tool: str, subject: str, cwd: str | None, environment: "Environment") -> list[tuple[str, str]]:
    """What a tool writes, by its words alone."""
    # Dots stay: behind a link they lead elsewhere.
    folder = cwd or "."
    if not os.path.isabs(folder):
        try:
            folder = os.path.join(os.getcwd(), folder)
        except OSError:
            raise StoreError("the working directory is gone") from None
    return twin.find_writes(tool, subject, folder, environment.home, environment.project_dir)


class Reached:
    """What a path reaches once links are followed."""

    __slots__ = ("_cwd", "_environment", "_project")

    def __init__(self, cwd: str, environment: "Environment") -> None:
        """For a host that works in `cwd`."""
        self._cwd = cwd
        self._environment = environment
        self._project: tuple[str, str] | None = None

    def refuse(self, action: str, path: str) -> str | None:
        """Why a write must not happen: for what its words say, and for what they lead to."""
        reason = _judge(path, action, path)
        if reason or "\0" in path:
            return reason
        try:
            # What removes or moves a link leaves its target alone.
            folder, name = os.path.split(path.rstrip(os.sep) or path)
            follows = action == "write" or not name or name in (".", "..")
            resolved = os.path.realpath(path) if follows else os.path.join(os.path.realpath(folder), name)
            return (
                _judge(resolved, action, path)
                or _judge(self.name_in_project(resolved), action, path)
                or self._refuse_above(action, resolved)
                or self._refuse_twin(action, path)
            )
        except (OSError, ValueError):
            return None

    def project(self) -> tuple[str, str]:
        """The memory folder of the project, as it is named and as it is, "" where there is none."""
        if self._project is None:
            from .root import find_project  # noqa: PLC0415 - most commands write nothing

            try:
                found = find_project(self._cwd, self._environment.root, self._environment.home)
            except CuecardError:
                found = None
            self._project = (found[1], os.path.realpath(found[1])) if found else ("", "")
        return self._project

    def name_in_project(self, resolved: str) -> str:
        """The path of a file of the project's store by its plain name, where links have given it another."""
        memory_dir = self.project()[1]
        if memory_dir and (resolved == memory_dir or resolved.startswith(memory_dir + os.sep)):
            return f".claude/memory/{resolved[len(memory_dir) + 1 :]}"
        return ""

    def _refuse_above(self, action: str, resolved: str) -> str | None:
        """Why a folder must stay: it holds a store."""
        if action not in ("remove_tree", "move"):
            return None
        holds = False
        if twin.judge_write(os.path.join(resolved, "memory"), action, True):
            # Whatever pattern stands in the last place: this is the name that it would find.
            holds = os.path.isdir(os.path.join(os.path.dirname(resolved), ".claude", "memory"))
        elif action == "remove_tree":
            memory_dir = self.project()[1]
            holds = bool(memory_dir) and (memory_dir + os.sep).startswith(resolved.rstrip(os.sep) + os.sep)
        return twin.judge_write(".claude/memory", action, True) if holds else None

    def _refuse_twin(self, action: str, path: str) -> str | None:
        """Why a file must not be written: under another name it is one of the store's."""
        if action != "write" or not os.path.exists(path):
            return None
        status = os.stat(path)
        memory_dir = self.project()[0]
        if status.st_mode & 0o170000 != _REGULAR or status.st_nlink < 2 or not memory_dir:
            return None
        from .files import open_store  # noqa: PLC0415 - most commands write nothing

        for folder in _FOLDERS:
            with suppress(OSError), open_store(memory_dir) as store:
                place = store.folder(folder) if folder else store
                for entry in place.scan():
                    own = entry.stat(follow_symlinks=False)
                    if (own.st_dev, own.st_ino) == (status.st_dev, status.st_ino):
                        return twin.judge_write(f".claude/memory/{folder}/{entry.name}", action, True)
        return None


def _judge(text: str, action: str, path: str) -> str | None:
    if not text or not twin.judge_write(text, action, False):
        return None
    exists = "\0" not in path and (os.path.exists(path) or os.path.exists(os.path.normpath(path)))
    return twin.judge_write(text, action, exists)
