"""The file of a session: it is read before the answer, and changed after it and by the host's events (SPEC 30)."""

from ...files.folder import KIND, PRIVATE_FILE, REGULAR, Folder, Unread
from ...files.user_folder import open_store_folder
from ..host.session import count_blocks, is_old_form, read_session, session_file_name, write_session

FOLDER = "sessions"

# Far larger than any file of a session.
MAX_BYTES = 1 << 20
# How many bytes at the end of a transcript are read. A conversation that fits into a model is shorter.
MAX_TRANSCRIPT_BYTES = 16 << 20
# The file of a session is removed after this many seconds without a write.
LIFE = 7 * 24 * 60 * 60

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..host.session import Shown


class SessionFile:
    """A session and its file."""

    __slots__ = ("_is_new", "_memory_dir", "_name", "blocks", "prompts", "shown", "titled")

    def __init__(self, memory_dir: str, name: str) -> None:
        """Read the session's file `name`. A missing or damaged file gives an empty session."""
        self._memory_dir = memory_dir
        self._name = name
        self._is_new = False
        data = b""
        folder = open_store_folder(memory_dir, FOLDER)
        try:
            if folder is None:
                raise Unread(Unread.MISSING)
            with folder:
                data = folder.read(name, MAX_BYTES)[0]
        except Unread:
            self._is_new = True
        if is_old_form(data):
            # The session begins again, which removes the other files of that form too.
            self._is_new, data = True, b""
        # What is kept of the earlier prompts, as lines of `kept_terms`.
        self.prompts: list[str]
        self.shown: list[Shown]
        # The memories of which the agent was shown only the title.
        self.titled: list[Shown]
        # How many blocks the host's transcript must contain if the agent still has all of them.
        self.blocks: int
        self.prompts, self.shown, self.titled, self.blocks = read_session(data)

    @property
    def is_new(self) -> bool:
        """Whether the session had no file yet."""
        return self._is_new

    def has(self, memory: "Shown", *, is_more: bool) -> bool:
        """Whether the agent was already shown as much of this version of a memory as it would be shown now.

        `is_more` says whether it would be shown more than the title.
        """
        return memory in self.shown or (not is_more and memory in self.titled)

    def compare(self, blocks: int) -> None:
        """Forget what was shown if the host's transcript has fewer blocks than the session wrote.

        The host has then compressed or rewound the conversation. `blocks` is the number in the transcript.
        """
        if blocks < self.blocks:
            self.shown, self.titled = [], []

    def note(self, memory: "Shown", *, is_title: bool) -> None:
        """Record that a memory is shown; `is_title` says whether only its title is shown."""
        self.shown = [earlier for earlier in self.shown if earlier[0] != memory[0]]
        self.titled = [earlier for earlier in self.titled if earlier[0] != memory[0]]
        (self.titled if is_title else self.shown).append(memory)

    def remove_old_form(self) -> None:
        """Remove the session's file if it has the form that held the texts of prompts."""
        folder = open_store_folder(self._memory_dir, FOLDER)
        if folder is not None:
            with folder:
                _remove_old_form(folder, self._name)

    def write(self) -> None:
        """Replace the session's file atomically. A new session also removes the files of old sessions.

        Nothing is written if the user has no data folder. Raises OSError.
        """
        folder = open_store_folder(self._memory_dir, FOLDER, make=True)
        if folder is None:
            return
        with folder:
            if self._is_new:
                _prune(folder)
            data = write_session(self.prompts, self.shown, self.titled, self.blocks)
            folder.replace(self._name, data, mode=PRIVATE_FILE, durable=False)


def open_session(memory_dir: str, session_id: str) -> SessionFile | None:
    """Open the file of a session; None if the session's id cannot name a file."""
    name = session_file_name(session_id)
    return SessionFile(memory_dir, name) if name else None


def read_blocks(transcript_path: str | None) -> int | None:
    """Return how many blocks of memories a transcript contains; None if it cannot be read."""
    if not transcript_path:
        return None
    from ...files.store_files import read_end

    try:
        return count_blocks(read_end(transcript_path, MAX_TRANSCRIPT_BYTES))
    except Unread:
        return None


def note_event(memory_dir: str, session_id: str | None, kept: str) -> None:
    """Forget a session's shown memories after an event of the host; if `kept` is "nothing", its prompts too.

    Raises OSError.
    """
    session = open_session(memory_dir, session_id) if session_id else None
    if session is None:
        return
    if session.is_new:
        session.remove_old_form()
        return
    session.shown, session.titled, session.blocks = [], [], 0
    if kept == "nothing":
        session.prompts = []
    session.write()


def _remove_old_form(folder: Folder, name: str) -> None:
    try:
        data = folder.read(name, MAX_BYTES)[0]
    except Unread:
        return
    if is_old_form(data):
        folder.remove(name)


def _prune(folder: Folder) -> None:
    """Remove the files of sessions that were not written for a week, and those of the form that held texts."""
    import time

    least = time.time() - LIFE
    for entry in list(folder.scan()):
        try:
            status = entry.stat(follow_symlinks=False)
            if status.st_mode & KIND == REGULAR and status.st_mtime < least:
                folder.remove(entry.name)
            else:
                # Also a temporary file that a crash has left.
                _remove_old_form(folder, entry.name)
        except OSError:  # noqa: PERF203 - another process removed it first
            continue
