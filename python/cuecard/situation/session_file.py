"""The file of a session: read before the answer, written after it, and what the host's events do to it (SPEC 30)."""

from ..files.folder import KIND, PRIVATE_FILE, REGULAR, Folder, Unread
from ..files.user_folder import open_store_folder
from ..protocol.session import count_blocks, read_session, session_file_name, write_session

FOLDER = "sessions"

# Far more than a session's file has.
MAX_BYTES = 1 << 20
# So much of the end of a transcript is read: more than a conversation has that fits into a model.
MAX_TRANSCRIPT_BYTES = 16 << 20
# A session that was quiet for so long, in seconds, is forgotten.
LIFE = 7 * 24 * 60 * 60

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..protocol.session import Shown


class SessionFile:
    """A session and its file."""

    __slots__ = ("_is_new", "_memory_dir", "_name", "blocks", "prompts", "shown", "titled")

    def __init__(self, memory_dir: str, name: str) -> None:
        """Read the file of that name; one that is missing or damaged has nothing."""
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
        self.prompts: list[str]
        self.shown: list[Shown]
        # The memories of which the agent has only the title.
        self.titled: list[Shown]
        # The blocks in the host's transcript, if the agent still has all that was shown.
        self.blocks: int
        self.prompts, self.shown, self.titled, self.blocks = read_session(data)

    @property
    def is_new(self) -> bool:
        """Whether there was no file."""
        return self._is_new

    def has(self, memory: "Shown", *, is_more: bool) -> bool:
        """Whether the agent has as much of a memory, as its file is now, as it would get: more than a title."""
        return memory in self.shown or (not is_more and memory in self.titled)

    def compare(self, blocks: int) -> None:
        """Forget what was shown where the host's transcript, which has `blocks`, lacks one: the conversation was
        compressed or taken back."""
        if blocks < self.blocks:
            self.shown, self.titled = [], []

    def note(self, memory: "Shown", *, is_title: bool) -> None:
        """Note that a memory is shown, and whether with more than its title."""
        self.shown = [earlier for earlier in self.shown if earlier[0] != memory[0]]
        self.titled = [earlier for earlier in self.titled if earlier[0] != memory[0]]
        (self.titled if is_title else self.shown).append(memory)

    def write(self) -> None:
        """Put it in its place whole, and with a new one remove those of old sessions. Raises OSError.

        Without a data folder of the user nothing is kept.
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
    """What is known of a session; None where the host gives no id that a file can be named after."""
    name = session_file_name(session_id)
    return SessionFile(memory_dir, name) if name else None


def read_blocks(transcript_path: str | None) -> int | None:
    """How many blocks a transcript has; None where it cannot be read."""
    if not transcript_path:
        return None
    from ..files.store_files import read_end

    try:
        return count_blocks(read_end(transcript_path, MAX_TRANSCRIPT_BYTES))
    except Unread:
        return None


def note_event(memory_dir: str, session_id: str | None, kept: str) -> None:
    """Leave of a session what an event leaves: "prompts" or "nothing". Raises OSError."""
    session = open_session(memory_dir, session_id) if session_id else None
    if session is None or session.is_new:
        return
    session.shown, session.titled, session.blocks = [], [], 0
    if kept == "nothing":
        session.prompts = []
    session.write()


def _prune(folder: Folder) -> None:
    """Remove the files that nobody has written for a week."""
    import time

    least = time.time() - LIFE
    for entry in list(folder.scan()):
        try:
            status = entry.stat(follow_symlinks=False)
            if status.st_mode & KIND == REGULAR and status.st_mtime < least:
                folder.remove(entry.name)
        except OSError:  # noqa: PERF203 - another one was faster
            continue
