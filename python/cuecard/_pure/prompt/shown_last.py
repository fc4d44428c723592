"""What a session was shown last, for programs that show it to the user (SPEC 49.7 and 49.8).

They are `cuecard-hook shown` and `cuecard-hook status-line`.
"""

import os

from ...basics.json_reader import read_json_object
from ...files.root import locate_stores
from ...files.store_files import StoreFiles
from ...files.user_folder import open_store_folder, read_kept
from ..host.host import quote, working_directory
from ..memory.trust_hash import trust_hash
from ..settings.recall_settings import RecallSettings
from ..settings.settings_files import read_effective_settings
from ..text.sanitize import plain_title
from .event import FILE, FOLDER, OLDER_FILE
from .joined_stores import first_project, list_scoped
from .prompt_path import SHOWN
from .user_notice import INBOX, MAX_DRAFTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.environment import Environment
    from ...files.scopes import ScopedStore

# The log never becomes larger than this.
MAX_LOG_BYTES = 16 << 20
# A title in a status line has at most this many characters.
MAX_LINE_TITLE = 60
NAMES = ("id", "category", "path", "outcome")


def shown_last(session: str, environment: "Environment") -> bytes:
    """A JSON object with the memories of the last event of a session at which any were shown, and what waits.

    It is the last event of any session if `session` is empty. Raises CuecardError for a project that cannot be used.
    """
    stores = _find_stores(".", environment)
    if not stores:
        return b'{"event":null,"memories":[],"waiting":0}\n'
    event = _last_event(stores[0].memory_dir, session)
    found = event.get("memories")
    rows = [_row(memory, stores) for memory in found if _is_shown(memory)] if isinstance(found, list) else []
    time, of_session = [_quoted(event.get(name)) for name in ("time", "session")]
    memories = ",".join([row for row in rows if row])
    waiting = _count_waiting(stores[0].memory_dir)
    return f'{{"event":{time},"session":{of_session},"memories":[{memories}],"waiting":{waiting}}}\n'.encode()


def status_line(payload: bytes, environment: "Environment") -> bytes:
    """A line for the status line of an agent program; empty if there is nothing to say.

    It says what the session of the payload was shown last, and how many drafts wait. Raises CuecardError for a project
    that cannot be used.
    """
    values = read_json_object(payload) or {}
    stores = _find_stores(working_directory(values) or ".", environment)
    if not stores:
        return b""
    session = values.get("session_id")
    event = _last_event(stores[0].memory_dir, session) if isinstance(session, str) and session else {}
    found = event.get("memories")
    shown = [memory for memory in found if _is_shown(memory)] if isinstance(found, list) else []
    parts = []
    if shown:
        title = _read(shown[0], stores)[2][:MAX_LINE_TITLE]
        others = f" +{len(shown) - 1}" if len(shown) > 1 else ""
        parts.append(f"{len(shown)} shown{': ' if title else ''}{title}{others}")
    waiting = _count_waiting(stores[0].memory_dir)
    if waiting:
        parts.append(f"{waiting} to review")
    return f"cuecard: {' · '.join(parts)}\n".encode() if parts else b""


def _find_stores(cwd: str, environment: "Environment") -> "list[ScopedStore]":
    """The stores that count in a folder, as for a prompt; none if the settings keep the one that leads out."""
    located = locate_stores(os.path.abspath(cwd), environment.root, environment.home)
    first = first_project(located)
    if first is None:
        return []
    settings = read_effective_settings(first[1], as_plugin=environment.is_exactly_classic)
    return list_scoped(first, located, RecallSettings(settings, environment, []), prints_classic=False)


def _last_event(memory_dir: str, session: str) -> "dict[str, object]":
    """The last event of a session at which a memory was shown; empty if there is none."""
    for name in (FILE, OLDER_FILE):
        log = read_kept(memory_dir, FOLDER, name, limit=MAX_LOG_BYTES) or b""
        for line in reversed([line for line in log.split(b"\n") if line]):
            event = read_json_object(line)
            if event is not None and (not session or event.get("session") == session):
                memories = event.get("memories")
                if isinstance(memories, list) and any(map(_is_shown, memories)):
                    return event
    return {}


def _is_shown(memory: object) -> bool:
    return isinstance(memory, dict) and memory.get("outcome") in SHOWN


def _row(memory: "dict[str, object]", stores: "list[ScopedStore]") -> str:
    """The object of a shown memory; its title is that of its file."""
    texts = [memory.get(name) for name in NAMES]
    if not all(isinstance(text, str) for text in texts):
        return ""
    data, is_memory, shown = _read(memory, stores)
    hashed = (trust_hash(data) if is_memory else None) or ""
    named = [*zip(NAMES, map(str, texts), strict=True), ("title", shown), ("trust_hash", hashed)]
    return "{" + ",".join([f'"{name}":{quote(text)}' for name, text in named]) + "}"


def _read(memory: "dict[str, object]", stores: "list[ScopedStore]") -> tuple[bytes, bool, str]:
    """The bytes of a memory's file, whether they are an object, and its title; empty where they cannot be read."""
    given = memory.get("scope")
    scope = given if isinstance(given, str) else ""
    # A worktree's own file comes before that of its counterpart.
    read = [_read_file(str(memory.get("path")), store.memory_dir) for store in stores if store.label == scope]
    data = next((data for data in read if data is not None), b"")
    record = read_json_object(data)
    title = record.get("title") if record else None
    return data, record is not None, plain_title(title) if isinstance(title, str) else ""


def _read_file(path: str, memory_dir: str) -> bytes | None:
    """The bytes of a file in a store; None where it cannot be read."""
    with StoreFiles(memory_dir) as files:
        return files.read_if_any(path)


def _quoted(text: object) -> str:
    return quote(text) if isinstance(text, str) else "null"


def _count_waiting(memory_dir: str) -> int:
    folder = open_store_folder(memory_dir, INBOX)
    if folder is None:
        return 0
    with folder:
        return min(sum([entry.name.endswith(".json") for entry in folder.scan()]), MAX_DRAFTS)
