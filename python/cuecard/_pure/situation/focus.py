"""The focus: areas that the user works on, set for a session, or for the project for twelve hours (SPEC 36)."""

import time

from ...basics.chars import read_whole, whole_lines
from ...basics.light_dataclass import dataclass
from ...files.user_folder import read_kept
from ..host.session import session_file_name
from .session_file import FOLDER as SESSIONS

HEADER = "cuecard focus 1"
FILE = "focus"
MAX_BYTES = 1 << 16
MAX_AREAS = 8
# How many seconds the focus of a project lasts.
LIFE = 12 * 60 * 60
MAX_SET = 2**64 - 1


@dataclass(frozen=True)
class Focus:
    """The areas of a focus, and whether it belongs to a session or to the project."""

    areas: list[str]
    is_of_session: bool
    # When the focus ends, in seconds since 1970; None if it lasts as long as its session.
    until: int | None


def read_focus(memory_dir: str, session_id: str | None) -> list[str]:
    """Return the areas of the current focus, at most eight; an empty list without a focus."""
    focus = find_focus(memory_dir, session_id)
    return focus.areas if focus else []


def find_focus(memory_dir: str, session_id: str | None) -> Focus | None:
    """Return the current focus: the session's, or else the project's; None if neither is set."""
    place = session_place(session_id)
    found = _read_file(memory_dir, place) if place else None
    if found:
        return Focus(found[1], is_of_session=True, until=None)
    found = _read_file(memory_dir, (FILE,))
    if found and 0 <= int(time.time()) - found[0] < LIFE:
        return Focus(found[1], is_of_session=False, until=found[0] + LIFE)
    return None


def session_place(session_id: str | None) -> tuple[str, str] | None:
    """Return folder and name of the file with a session's focus; None if the session's id cannot name a file."""
    name = session_file_name(session_id) if session_id else None
    return (SESSIONS, f"{name}.focus") if name else None


def _read_file(memory_dir: str, place: tuple[str, ...]) -> tuple[int, list[str]] | None:
    """Return when a focus was set, in seconds since 1970, and its areas; None if its file is missing or damaged."""
    header, *lines = whole_lines(read_kept(memory_dir, *place, limit=MAX_BYTES)) or [""]
    if header != HEADER or not lines or lines[0][:4] != "set ":
        return None
    moment = read_whole(lines[0][4:], MAX_SET)
    if moment is None or any(line[:5] != "area " or len(line) == len("area ") for line in lines[1:]):
        return None
    return moment, [line[5:] for line in lines[1 : MAX_AREAS + 1]]
