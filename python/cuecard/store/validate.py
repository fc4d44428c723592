"""Looks at what a tool has written into a store past the guard; what is no memory is set aside (SPEC 16.5)."""

import os

from .._backend import twin
from .._pure.category import FOLDERS
from ..errors import CuecardError, StoreError
from .files import MAX_RECORD_BYTES, open_store
from .folder import Folder, Unread
from .guard import Reached, list_writes
from .quarantine import set_aside
from .schemas import load_schema

CATEGORIES = dict(FOLDERS)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..recall.environment import Environment


class ValidationAnswer:
    """What a validation finds: what to print, what to log, and the store whose log that is."""

    __slots__ = ("memory_dir", "notes", "stdout")

    def __init__(self) -> None:
        """Nothing to print, nothing to log, no store."""
        self.stdout = b""
        self.notes: list[str] = []
        self.memory_dir = ""


def validate(payload: bytes, environment: "Environment") -> ValidationAnswer:
    """The verdict on what a tool has done."""
    verdict = ValidationAnswer()
    try:
        _run(payload, environment, verdict)
    except CuecardError as error:
        verdict.notes.append(error.what)
    return verdict


def _run(payload: bytes, environment: "Environment", verdict: ValidationAnswer) -> None:
    tool, subject, cwd = twin.read_tool_use(payload)
    if tool != "file":
        return
    [(_action, written)] = list_writes(tool, subject, cwd, environment)
    if "\0" in written:
        return
    path = os.path.realpath(written)
    reached = Reached(os.path.abspath(cwd or "."), environment)
    name = path if twin.find_store_part(path) is not None else reached.name_in_project(path)
    if not name or not twin.judge_write(name, "write", True):
        return
    inside = twin.find_store_part(name) or ""
    shown = f"`.claude/memory/{inside}`"
    verdict.memory_dir = reached.project()[0]
    verdict.notes.append(f"{shown} was written past the guard")
    folder, _, file = inside.partition("/")
    category = CATEGORIES.get(folder.lower(), "")
    if not category or "/" in file or not file.lower().endswith(".json"):
        return
    memory_dir = path[: -len(inside) - 1] if name == path else verdict.memory_dir
    try:
        with open_store(memory_dir) as store:
            place = store.folder(folder)
    except OSError:
        verdict.notes.append(f"{shown} {Unread.UNREADABLE}")
        return
    with place:
        problems = _find_problems(place, file, category, shown, verdict)
        if not problems:
            return
        try:
            aside = f".claude/memory/{folder}/{set_aside(place, file)}"
        except OSError:
            raise StoreError(f"{shown} cannot be set aside") from None
        verdict.notes.append(f"{shown} is no valid memory; it is now `{aside}`")
        verdict.stdout = twin.write_complaint(*twin.describe_problems(file, aside, problems))


def _find_problems(
    place: Folder, file: str, category: str, shown: str, verdict: ValidationAnswer
) -> list[tuple[str, str, str]]:
    """What is wrong with a file; where it cannot be read that is noted, and nothing is."""
    try:
        return twin.check_schema(place.read(file, MAX_RECORD_BYTES)[0], load_schema(category))
    except Unread as unread:
        if unread.words == Unread.TOO_LARGE:
            return [("", "at most 256 KiB", "a larger file")]
        verdict.notes.append(f"{shown} {unread.words}")
        return []
