"""Checks the files that a tool has written into a store without cuecard, and renames invalid files (SPEC 16.5)."""

import os
import time

from ...basics.category import FOLDERS
from ...errors import CuecardError, StoreError
from ...files.folder import Folder, Unread
from ...files.quarantine import set_aside
from ...files.schemas import load_schema
from ...files.store_files import MAX_RECORD_BYTES, open_store
from ..host.host import HOSTS, read_object, write_tool_context
from ..host.tool_use import read_tool_use
from ..memory.schema import check_schema
from .complaint import describe_problems, write_complaint
from .reached import Reached, absolute_cwd
from .refusal import judge_write
from .shell_commands import find_writes
from .store_path import find_store_part

CATEGORIES = dict(FOLDERS)
# The assumed run time of a tool if its event has no duration, and how far a file system's clock may lag behind.
USUAL_MS = 10_000
CLOCK_LAG_MS = 2000
MAX_MS = 1_000_000_000
# After a tool that names no file, at most this number of changed files is checked.
MAX_CHANGED = 64
# The characters that separate the words of a command.
SEPARATORS = " \t\r\n;&|(){}'\"`"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.environment import Environment


class ValidationAnswer:
    """The result of a validation: messages to the agent, notes for the log, and the store whose log gets the notes."""

    def __init__(self, host: str) -> None:
        """Begin without messages, notes and store."""
        self.host, self.event = host, "PostToolUse"
        # The reason and the context of each invalid file, for the agent.
        self.complaints: list[tuple[str, str]] = []
        self.notes: list[str] = []
        self.memory_dir = ""

    @property
    def stdout(self) -> bytes:
        """The answer of the hook for standard output; b"" if no file is invalid."""
        if not self.complaints:
            return b""
        reasons = [reason for reason, _context in self.complaints]
        contexts = [context for _reason, context in self.complaints]
        reason, context = "\n".join(reasons), "\n".join(contexts)
        if self.host == HOSTS[0]:
            return write_complaint(reason, context)
        # Only Claude Code tells a reason from the rest.
        return write_tool_context(self.host, self.event, f"{reason}\n{context}")


def validate(payload: bytes, host: str, environment: "Environment") -> ValidationAnswer:
    """Check the files that a tool has written. An error becomes a note of the answer."""
    verdict = ValidationAnswer(host)
    try:
        _run(payload, environment, verdict)
    except CuecardError as error:
        verdict.notes.append(error.what)
    return verdict


def _run(payload: bytes, environment: "Environment", verdict: ValidationAnswer) -> None:
    uses, cwd = read_tool_use(payload)
    event = read_object(payload).get("hook_event_name")
    verdict.event = event if isinstance(event, str) else verdict.event
    folder = absolute_cwd(cwd)
    reached = Reached(os.path.normpath(folder), environment)
    for action, subject in uses:
        if action == "write":
            [(_action, written)] = find_writes(action, subject, folder, environment.shell_home, "")
            if "\0" not in written:
                _look_at_file(os.path.realpath(written), reached, verdict)
    began = _began(payload, uses)
    if began is not None:
        _look_at_store(began, reached, verdict)


def _began(payload: bytes, uses: list[tuple[str, str]]) -> int | None:
    """When a shell command or an MCP tool began, in nanoseconds since 1970.

    None for other tools, for MCP tools that name a file, and for shell commands that run git.
    """
    event = read_object(payload)
    are_commands = all(action.endswith("shell") and not _runs_git(command) for action, command in uses)
    if not are_commands or not (uses or str(event.get("tool_name")).startswith("mcp__")):
        return None
    duration = event.get("duration_ms")
    if not isinstance(duration, int) or isinstance(duration, bool):
        duration = USUAL_MS
    return time.time_ns() - (min(max(duration, 0), MAX_MS) + CLOCK_LAG_MS) * 1_000_000


def _runs_git(command: str) -> bool:
    """Whether a command contains the word `git`. Files that git checks out are the user's, so they are not checked."""
    return "git" in command.translate(dict.fromkeys(map(ord, SEPARATORS), " ")).split(" ")


def _look_at_file(path: str, reached: Reached, verdict: ValidationAnswer) -> None:
    """Check a file that a tool has named, if it is in a store and tools of agents must not write it."""
    name = path if find_store_part(path) is not None else reached.name_in_project(path)
    if not name or not judge_write(name, "write", True):
        return
    inside = find_store_part(name) or ""
    verdict.memory_dir = reached.project()[0]
    verdict.notes.append(f"`.claude/memory/{inside}` was written by a tool that bypassed the guard")
    folder, _, file = inside.partition("/")
    if CATEGORIES.get(folder.lower()) and "/" not in file and file.lower().endswith(".json"):
        _check(path[: -len(inside) - 1] if name == path else verdict.memory_dir, folder, file, verdict)


def _look_at_store(began: int, reached: Reached, verdict: ValidationAnswer) -> None:
    """Check the project's memories that have changed after `began` (ns since 1970) and differ from the snapshot."""
    memory_dir = reached.project()[0]
    if not memory_dir:
        return
    from .changed_files import changed_files

    for folder, file in changed_files(memory_dir, began, MAX_CHANGED):
        verdict.memory_dir = memory_dir
        verdict.notes.append(f"`.claude/memory/{folder}/{file}` was written by a tool that bypassed the guard")
        _check(memory_dir, folder, file, verdict)


def _check(memory_dir: str, folder: str, file: str, verdict: ValidationAnswer) -> None:
    """Check a file of a store, and rename it if it is not a valid memory. Raises `StoreError` if renaming fails."""
    shown = f"`.claude/memory/{folder}/{file}`"
    try:
        with open_store(memory_dir) as store:
            place = store.folder(folder)
    except OSError:
        verdict.notes.append(f"{shown} {Unread.UNREADABLE}")
        return
    with place:
        problems = _find_problems(place, file, CATEGORIES[folder.lower()], shown, verdict)
        if not problems:
            return
        try:
            aside = f".claude/memory/{folder}/{set_aside(place, file)}"
        except OSError:
            raise StoreError(f"{shown} is not a valid memory, and it could not be renamed") from None
        verdict.notes.append(f"{shown} is not a valid memory; it was renamed to `{aside}`")
        verdict.complaints.append(describe_problems(file, aside, problems))


def _find_problems(
    place: Folder, file: str, category: str, shown: str, verdict: ValidationAnswer
) -> list[tuple[str, str, str]]:
    """The problems of a file. If it cannot be read, the answer gets a note and the result is empty."""
    try:
        return check_schema(place.read(file, MAX_RECORD_BYTES)[0], load_schema(category))
    except Unread as unread:
        if unread.words == Unread.TOO_LARGE:
            return [("", "at most 256 KiB", "a larger file")]
        verdict.notes.append(f"{shown} {unread.words}")
        return []
