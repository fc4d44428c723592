"""The answer of the hook to an event of a host, and a stopwatch for the stages of recall (SPEC 14.1)."""

import time

from .event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.snapshot_upkeep import Loaded
    from ..situation.git_state import GitState
    from ..situation.session_file import SessionFile


class Answer:
    """The hook's answer to a prompt or a tool event: the bytes to print, and what to write and log afterwards."""

    def __init__(self) -> None:
        """Start with an empty answer: nothing to print, log or write, and no store."""
        self.stdout = b""
        self.notes: list[str] = []
        # The text of the rebuilt `index.md`; None if the file on disk stays as it is.
        self.rebuilt_index: str | None = None
        # The modification time of the rebuilt index.
        self.index_made = 0
        # The snapshot that answered; it is written if it is not on disk yet.
        self.loaded: Loaded | None = None
        self.memory_dir = ""
        # The messages to the user about unreviewed memories and files in conflict, on a line each; "" if there is none.
        self.greeting = ""
        # The session's prompts and shown memories, to be written to its file.
        self.session: SessionFile | None = None
        # The session with what is noted of the typed prompt, to be written if `session` is not.
        self.noted: SessionFile | None = None
        # The memory folders and snapshots of the other stores that were searched.
        self.others: list[tuple[str, Loaded]] = []
        # The session of a folder without memories, in which a wish to remember something was noted.
        self.wish: SessionFile | None = None
        # The branch and the changed files that Git reported, to be cached on disk.
        self.git: GitState | None = None
        # The decision about the prompt or tool event. Its kind is "" if there was nothing to decide.
        self.event = Event("")
        # Whether a session begins in the project, so that the files which the host shows by itself may have to be read.
        self.begins = False
        # Whether the decision is logged; None if the settings were not read.
        self.is_logged: bool | None = None

    def take(self, loaded: "Loaded") -> None:
        """Take what a loaded snapshot leaves to write and to log."""
        self.loaded = loaded
        self.notes += loaded.notes
        if loaded.index_text is not None:
            self.rebuilt_index, self.index_made = loaded.index_text, loaded.index_made


class Stopwatch:
    """Measures how long the stages of recall take."""

    def __init__(self) -> None:
        """Start the stopwatch."""
        self._start = self._lap = time.perf_counter_ns()

    def lap(self) -> int:
        """Return the microseconds since the last call, or since the start at the first call."""
        before, self._lap = self._lap, time.perf_counter_ns()
        return (self._lap - before) // 1000

    def total(self) -> int:
        """Return the microseconds since the start."""
        return (time.perf_counter_ns() - self._start) // 1000
