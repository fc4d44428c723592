"""What the hook does about an event of a host, and how long each stage of that takes."""

import time

from .event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import Loaded
    from ..situation.git_state import GitState
    from ..situation.session_file import SessionFile


class Answer:
    """What the hook does about a prompt."""

    __slots__ = (
        "event",
        "git",
        "greeting",
        "index_made",
        "is_logged",
        "loaded",
        "memory_dir",
        "notes",
        "rebuilt_index",
        "session",
        "stdout",
    )

    def __init__(self) -> None:
        """Nothing to print, nothing to log, nothing to write, no store asked."""
        self.stdout = b""
        self.notes: list[str] = []
        # The text of an index to write; None where it stays.
        self.rebuilt_index: str | None = None
        # The time that the rebuilt index bears.
        self.index_made = 0
        # The snapshot that has answered, to be written where it is not on disk.
        self.loaded: Loaded | None = None
        self.memory_dir = ""
        # What the user is told about the store.
        self.greeting = ""
        # What the session has been asked and shown, to be written.
        self.session: SessionFile | None = None
        # What git says of the working tree, to be kept.
        self.git: GitState | None = None
        # The decision, of no kind where there is none; whether it is logged: None where the settings were not read.
        self.event = Event("")
        self.is_logged: bool | None = None


class Stopwatch:
    """Tells how long stages take."""

    __slots__ = ("_lap", "_start")

    def __init__(self) -> None:
        """Start."""
        self._start = self._lap = time.perf_counter_ns()

    def lap(self) -> int:
        """Microseconds since the last lap."""
        before, self._lap = self._lap, time.perf_counter_ns()
        return (self._lap - before) // 1000

    def total(self) -> int:
        """Microseconds since the start."""
        return (time.perf_counter_ns() - self._start) // 1000
