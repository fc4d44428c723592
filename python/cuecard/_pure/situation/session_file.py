"""The file of a session: it is read before the answer, and changed after it and by the host's events (SPEC 30)."""

import os

from ...files.folder import KIND, PRIVATE_FILE, REGULAR, Folder, Unread
from ...files.store_files import read_end
from ...files.user_folder import open_project_folder, open_store_folder, read_kept
from ..host.session import (
    count_blocks,
    is_old_form,
    read_session,
    session_file_name,
    was_compressed,
    write_session,
)
from ..host.typed import Typed, left_line

FOLDER = "sessions"
# The file of a store that says how many substantial prompts each session has left unprocessed (SPEC 30.6).
LEFT = "left"
# The folder of ledgers.
LEDGERS = "ledger"
# Up to this number of prompts, each new one is told to later sessions. More make no difference to them.
TELLING = 3

# Far larger than any file of a session.
MAX_BYTES = 1 << 20
# How many bytes at the end of a transcript are read. A conversation that fits into a model is shorter.
MAX_TRANSCRIPT_BYTES = 16 << 20
# The file of a session is removed after this many seconds without a write.
LIFE = 7 * 24 * 60 * 60
# The same for a session with prompts that are in no ledger yet: as long as a ledger is kept.
UNREAD_LIFE = 2 * LIFE
# An older block, in seconds, is no debt: its memories may have changed.
OWED_LIFE = 10 * 60

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..host.session import Shown


class SessionFile:
    """A session and its file."""

    def __init__(self, memory_dir: str, name: str) -> None:
        """Read the session's file `name`. A missing or damaged file gives an empty session."""
        self._memory_dir = memory_dir
        self._name = name
        self._tells_left = False
        data = read_kept(memory_dir, FOLDER, name, limit=MAX_BYTES)
        # Where the file has the old form, the session begins again, which removes the other files of that form too.
        self._is_missing = data is None or is_old_form(data)
        data = b"" if data is None or self._is_missing else data
        kept = read_session(data)
        self.prompts, self.shown, self.titled, self.blocks, self.typed, self.spoken, self.named = kept
        # The block that the host may have dropped, for the next event that reaches the agent; "" if there is none, and
        # None if nothing changes.
        self.owed: str | None = None
        # Whether recall has not used the session yet.
        self.is_new = self._is_missing or (self.typed is not None and self.typed.is_unused)

    @property
    def is_missing(self) -> bool:
        """Whether the session had no file yet."""
        return self._is_missing

    def note_typed(self, prompt: str | None, host: str, transcript: str) -> bool:
        """Count a prompt that was typed; if `prompt` is None, only begin to count. Return whether the file changes.

        `transcript` is the path of the host's transcript, "" if it names none.
        """
        before = self.typed.row if self.typed else None
        typed = self.typed = self.typed or Typed(flags="n" if self._is_missing else "-")
        count, had_ended = typed.open, typed.has_ended
        if prompt is not None:
            typed.note(prompt)
        if os.path.isabs(transcript):
            typed.host, typed.transcript = host, transcript
        self._tells_left = (typed.open != count and typed.open <= TELLING) or (had_ended and not typed.has_ended)
        return typed.row != before

    def note_end(self) -> None:
        """Record that the session has ended, and tell later sessions of it."""
        if self.typed:
            self.typed.has_ended = self._tells_left = True

    def has(self, memory: "Shown", *, is_more: bool) -> bool:
        """Whether the agent was already shown as much of this version of a memory as it would be shown now.

        `is_more` says whether it would be shown more than the title.
        """
        return memory in self.shown or (not is_more and memory in self.titled)

    def has_title(self, memory: "Shown") -> bool:
        """Whether the agent knows the title of this version of a memory, in whatever way it was told."""
        return self.has(memory, is_more=False) or memory in self.named

    def forget_shown(self) -> None:
        """Forget what the agent was shown and told."""
        self.shown, self.titled, self.named, self.spoken = [], [], [], []

    def compare(self, blocks: int) -> None:
        """Forget what was shown if the host's transcript has fewer blocks than the session wrote.

        The host has then compressed or rewound the conversation. `blocks` is the number in the transcript.
        """
        if blocks < self.blocks:
            self.forget_shown()

    def note(self, memory: "Shown", *, is_title: bool) -> None:
        """Record that a memory is shown; `is_title` says whether only its title is shown."""
        self.shown = [earlier for earlier in self.shown if earlier[0] != memory[0]]
        self.titled = [earlier for earlier in self.titled if earlier[0] != memory[0]]
        (self.titled if is_title else self.shown).append(memory)

    def note_named(self, memory: "Shown") -> None:
        """Record that the title of a memory is named."""
        self.named = [*[earlier for earlier in self.named if earlier[0] != memory[0]], memory]

    def take_owed(self) -> str:
        """Take the block that the session's agent is owed, for nobody else; "" if there is none, or if it is old."""
        import time

        folder = open_store_folder(self._memory_dir, FOLDER)
        if folder is None:
            return ""
        try:
            with folder:
                block, status = folder.read(self._name_of_owed, MAX_BYTES)
                folder.remove(self._name_of_owed)
                return block.decode() if time.time() - status.st_mtime <= OWED_LIFE else ""
        except (Unread, OSError, UnicodeDecodeError):
            return ""

    @property
    def _name_of_owed(self) -> str:
        """The name of the file with what the agent is owed. No id of a session has a dot."""
        return f"{self._name}.owed"

    def _write_owed(self, folder: Folder) -> None:
        if self.owed:
            folder.replace(self._name_of_owed, self.owed.encode(), mode=PRIVATE_FILE, durable=False)
        elif self.owed is not None and folder.kind(self._name_of_owed):
            folder.remove(self._name_of_owed)

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
            if self._is_missing:
                _prune(folder)
            memories = {"shown": self.shown, "titled": self.titled, "named": self.named}
            self._write_owed(folder)
            data = write_session(self.prompts, memories, self.blocks, self.typed, self.spoken)
            folder.replace(self._name, data, mode=PRIVATE_FILE, durable=False)
        if self.typed and self._tells_left:
            tell_left(self._memory_dir, self._name, self.typed.open, has_ended=self.typed.has_ended)


def open_session(memory_dir: str, session_id: str) -> SessionFile | None:
    """Open the file of a session; None if the session's id cannot name a file."""
    name = session_file_name(session_id)
    return SessionFile(memory_dir, name) if name else None


def read_blocks(transcript_path: str | None) -> int | None:
    """Return how many blocks of memories a transcript contains; None if it cannot be read."""
    data = _read_transcript(transcript_path or "")
    return None if data is None else count_blocks(data)


def reads_compression(transcript_path: str) -> bool:
    """Whether a transcript shows that the conversation was just compressed; false if it cannot be read."""
    return was_compressed(_read_transcript(transcript_path) or b"")


def _read_transcript(path: str) -> bytes | None:
    """The end of a transcript; None if it cannot be read."""
    try:
        return read_end(path, MAX_TRANSCRIPT_BYTES) if path else None
    except Unread:
        return None


def note_event(memory_dir: str, session_id: str | None, kept: str) -> None:
    """Forget a session's shown memories after an event of the host; if `kept` is "nothing", its prompts too.

    Raises OSError.
    """
    session = open_session(memory_dir, session_id) if session_id else None
    if session is None:
        return
    if session.is_missing:
        session.remove_old_form()
        return
    session.forget_shown()
    session.blocks = 0
    if session.typed and kept == "prompts":
        session.typed.is_compacted = True
    if kept == "nothing":
        session.prompts = []
    session.write()


def tell_left(memory_dir: str, session: str, count: int, *, has_ended: bool, make: bool = False) -> None:
    """Add a line for a session to the file `left`. `make` says whether the file may be begun.

    Where there are ledgers, only who knows them may begin the file: without it they are looked at. Failures are
    ignored.
    """
    import time

    folder = open_project_folder(memory_dir, make=make)
    if folder is None:
        return
    with folder:
        try:
            if make or folder.kind(LEFT) or not folder.kind(LEDGERS):
                line = left_line(session, count, int(time.time()), has_ended=has_ended)
                folder.append(LEFT, line.encode())
        except OSError:
            return


def _remove_old_form(folder: Folder, name: str) -> None:
    if is_old_form(folder.read_if_any(name, MAX_BYTES) or b""):
        folder.remove(name)


def _is_unread(folder: Folder, name: str) -> bool:
    """Whether a session has prompts that are in no ledger yet, and its transcript is known."""
    typed = read_session(folder.read_if_any(name, MAX_BYTES) or b"").typed
    return typed is not None and typed.transcript != "" and typed.open > typed.read


def _prune(folder: Folder) -> None:
    """Remove the files of sessions that were not written for a week, and those of the form that held texts.

    A session with prompts in no ledger has two weeks.
    """
    import time

    now = time.time()
    for entry in list(folder.scan()):
        try:
            status = entry.stat(follow_symlinks=False)
            aged = now - status.st_mtime if status.st_mode & KIND == REGULAR else 0
            if aged > LIFE and (aged > UNREAD_LIFE or not _is_unread(folder, entry.name)):
                folder.remove(entry.name)
            else:
                # Also a temporary file that a crash has left.
                _remove_old_form(folder, entry.name)
        except OSError:  # noqa: PERF203 - another process removed it first
            continue
