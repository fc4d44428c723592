"""The file of a session: read before the answer, written after it, and what the host's events do to it (SPEC 30)."""

from .._backend import twin
from ..system import os
from .files import Unread, read_bounded

# Far more than a session's file has.
MAX_BYTES = 1 << 20
# A session that was quiet for so long, in seconds, is forgotten.
MAX_NOTICE_BYTES = 4096
LIFE = 7 * 24 * 60 * 60

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._pure.session import Shown


class SessionFile:
    """A session and its file."""

    __slots__ = ("_is_new", "_path", "prompts", "shown", "titled")

    def __init__(self, path: str) -> None:
        """Read it; one that is missing or damaged has nothing."""
        self._path = path
        self._is_new = False
        data = b""
        try:
            data = read_bounded(path, MAX_BYTES)
        except Unread:
            self._is_new = True
        self.prompts: list[str]
        self.shown: list[Shown]
        # Of which the agent has no more than the title.
        self.titled: list[Shown]
        self.prompts, self.shown, self.titled = twin.read_session(data)

    @property
    def is_new(self) -> bool:
        """Whether there was no file."""
        return self._is_new

    def has(self, memory: "Shown", *, is_more: bool) -> bool:
        """Whether the agent has as much of a memory, as its file is now, as it would get: more than a title."""
        return memory in self.shown or (not is_more and memory in self.titled)

    def note(self, memory: "Shown", *, is_title: bool) -> None:
        """Note that a memory is shown, by no more than its title or with more."""
        self.shown = [earlier for earlier in self.shown if earlier[0] != memory[0]]
        self.titled = [earlier for earlier in self.titled if earlier[0] != memory[0]]
        (self.titled if is_title else self.shown).append(memory)

    def write(self) -> None:
        """Put it in its place whole, and with a new one remove those of old sessions. Raises OSError."""
        from .derived import ensure_derived_folder

        folder = os.path.dirname(self._path)
        ensure_derived_folder(os.path.dirname(os.path.dirname(folder)))
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
        if self._is_new:
            _prune(folder)
        temporary = f"{self._path}.{os.getpid()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        handle = os.open(temporary, flags, 0o600)
        try:
            try:
                os.write(handle, twin.write_session(self.prompts, self.shown, self.titled))
            finally:
                os.close(handle)
            os.replace(temporary, self._path)
        except OSError:
            os.unlink(temporary)
            raise


def open_session(memory_dir: str, session_id: str) -> SessionFile | None:
    """What is known of a session; None where the host gives no id that a file can be named after."""
    name = twin.session_file_name(session_id)
    return SessionFile(os.path.join(memory_dir, ".cuecard", "sessions", name)) if name else None


def note_event(memory_dir: str, session_id: str | None, kept: str) -> None:
    """Leave of a session what an event leaves: "prompts" or "nothing". Raises OSError."""
    session = open_session(memory_dir, session_id) if session_id else None
    if session is None or session.is_new:
        return
    session.shown, session.titled = [], []
    if kept == "nothing":
        session.prompts = []
    session.write()


def take_notice(memory_dir: str, session_id: str) -> bytes:
    """Take away what a commit has left for the session's user (SPEC 42.7), and give its bytes.

    Of several processes one gets them, and next to always there are none.
    """
    name = twin.session_file_name(session_id)
    path = os.path.join(memory_dir, ".cuecard", "staging", name or "", "notice")
    taken = f"{path}.{os.getpid()}.taken"
    try:
        if not name:
            return b""
        os.rename(path, taken)
    except OSError:
        return b""
    try:
        data = b"" if os.path.islink(taken) else read_bounded(taken, MAX_NOTICE_BYTES)
    except Unread:
        data = b""
    if not os.path.isdir(taken):
        os.unlink(taken)
    return data


def _prune(folder: str) -> None:
    """Remove the files that nobody has written for a week."""
    import time

    least = time.time() - LIFE
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        try:
            if os.stat(path).st_mtime < least:
                os.unlink(path)
        except OSError:
            # Another one was faster.
            continue
