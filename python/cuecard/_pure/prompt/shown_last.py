"""What a session was shown last, for programs that show it to the user (SPEC 49.7 and 49.8).

They are `cuecard-hook shown` and `cuecard-hook status-line`.
"""

from ...basics.json_reader import JsonError, read_json
from ...files.folder import Folder, Unread
from ...files.root import find_project
from ...files.store_files import StoreFiles
from ...files.user_folder import open_store_folder
from ..host.host import quote
from ..memory.trust_hash import trust_hash
from ..text.sanitize import sanitize_title
from .event import FILE, FOLDER, OLDER_FILE
from .prompt_path import SHOWN
from .user_notice import INBOX, MAX_DRAFTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.environment import Environment

# The log never becomes larger than this.
MAX_LOG_BYTES = 16 << 20
# A title in a status line has at most this many characters.
MAX_LINE_TITLE = 60
NAMES = ("id", "category", "path", "outcome")


def shown_last(session: str, environment: "Environment") -> bytes:
    """A JSON object with the memories of the last event of a session at which any were shown, and what waits.

    It is the last event of any session if `session` is empty. Raises CuecardError for a project that cannot be used.
    """
    project = find_project(".", environment.root, environment.home)
    if project is None:
        return b'{"event":null,"memories":[],"waiting":0}\n'
    event = _last_event(project[1], session)
    with StoreFiles(project[1]) as files:
        found = event.get("memories")
        rows = [_row(memory, files) for memory in found if _is_shown(memory)] if isinstance(found, list) else []
    time, of_session = [_quoted(event.get(name)) for name in ("time", "session")]
    memories = ",".join([row for row in rows if row])
    waiting = _count_waiting(project[1])
    return f'{{"event":{time},"session":{of_session},"memories":[{memories}],"waiting":{waiting}}}\n'.encode()


def status_line(payload: bytes, environment: "Environment") -> bytes:
    """A line for the status line of an agent program; empty if there is nothing to say.

    It says what the session of the payload was shown last, and how many drafts wait. Raises CuecardError for a project
    that cannot be used.
    """
    try:
        given = read_json(payload)
    except JsonError:
        given = None
    values = given if isinstance(given, dict) else {}
    session, cwd = values.get("session_id"), values.get("cwd")
    project = find_project(cwd if isinstance(cwd, str) and cwd else ".", environment.root, environment.home)
    if project is None:
        return b""
    event = _last_event(project[1], session) if isinstance(session, str) and session else {}
    found = event.get("memories")
    shown = [memory for memory in found if _is_shown(memory)] if isinstance(found, list) else []
    parts = []
    if shown:
        with StoreFiles(project[1]) as files:
            title = _read(str(shown[0].get("path")), files)[2][:MAX_LINE_TITLE]
        others = f" +{len(shown) - 1}" if len(shown) > 1 else ""
        parts.append(f"{len(shown)} shown{': ' if title else ''}{title}{others}")
    waiting = _count_waiting(project[1])
    if waiting:
        parts.append(f"{waiting} to review")
    return f"cuecard: {' · '.join(parts)}\n".encode() if parts else b""


def _last_event(memory_dir: str, session: str) -> "dict[str, object]":
    """The last event of a session at which a memory was shown; empty if there is none."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return {}
    with folder:
        return _last_in(folder, FILE, session) or _last_in(folder, OLDER_FILE, session)


def _last_in(folder: Folder, name: str, session: str) -> "dict[str, object]":
    try:
        lines = folder.read(name, MAX_LOG_BYTES)[0].split(b"\n")
    except Unread:
        return {}
    for line in reversed([line for line in lines if line]):
        try:
            event = read_json(line)
        except JsonError:
            continue
        if isinstance(event, dict) and (not session or event.get("session") == session):
            memories = event.get("memories")
            if isinstance(memories, list) and any(map(_is_shown, memories)):
                return event
    return {}


def _is_shown(memory: object) -> bool:
    return isinstance(memory, dict) and memory.get("outcome") in SHOWN


def _row(memory: "dict[str, object]", files: StoreFiles) -> str:
    """The object of a shown memory; its title is that of its file."""
    texts = [memory.get(name) for name in NAMES]
    if not all(isinstance(text, str) for text in texts):
        return ""
    data, is_memory, shown = _read(str(memory["path"]), files)
    hashed = (trust_hash(data) if is_memory else None) or ""
    named = [*zip(NAMES, map(str, texts), strict=True), ("title", shown), ("trust_hash", hashed)]
    return "{" + ",".join([f'"{name}":{quote(text)}' for name, text in named]) + "}"


def _read(path: str, files: StoreFiles) -> tuple[bytes, bool, str]:
    """The bytes of a memory's file, whether they are an object, and its title; empty where they cannot be read."""
    try:
        data = files.read(path)[0]
        record = read_json(data)
    except (Unread, JsonError):
        return b"", False, ""
    title = record.get("title") if isinstance(record, dict) else None
    return data, isinstance(record, dict), sanitize_title(title) if isinstance(title, str) else ""


def _quoted(text: object) -> str:
    return quote(text) if isinstance(text, str) else "null"


def _count_waiting(memory_dir: str) -> int:
    folder = open_store_folder(memory_dir, INBOX)
    if folder is None:
        return 0
    with folder:
        return min(sum([entry.name.endswith(".json") for entry in folder.scan()]), MAX_DRAFTS)
