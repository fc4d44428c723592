"""The answers of the seam that hold snapshots and memories, in the classes of both backends (SPEC 15)."""

from ...basics.light_dataclass import dataclass
from ...basics.light_row import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from ..requests.results import FileStamp, JudgeRun
    from .recalled_memory import RecalledMemory
    from .snapshot import Snapshot

    State = Literal["missing", "damaged", "other settings", "partial", "whole"]


class Recalled(Row):
    """The memories for a question, best first, before they are packed.

    `passed_over` has memories that are not shown with the reason: the first that the gate rejects (`gate`), those whose
    place another memory has taken (`superseded`), and those that address the model while nobody vouches for them
    (`withheld`). `is_courtesy` says whether the prompt is only a courtesy. `least` is the lowest logit, in 1/1024, of a
    memory that the gate shows for this prompt; None without a gate, and for a courtesy. `notes` has a sentence for each
    file that cannot be read.
    """

    memories: "list[RecalledMemory]"
    passed_over: "list[tuple[RecalledMemory, str]]"
    is_courtesy: bool
    least: "int | None"
    notes: "list[str]"


class Judged(Row):
    """The memories to show after a judge was asked, and those passed over with the reason.

    `run` is None if there was nothing to ask about. `notes` has a line for the log if the judge failed.
    """

    memories: "list[RecalledMemory]"
    passed_over: "list[tuple[RecalledMemory, str]]"
    run: "JudgeRun | None"
    notes: "list[str]"


@dataclass(frozen=True)
class Inspected:
    """What is known of the snapshot of a store after every byte of its files was checked."""

    # `partial` says that some files were not read yet. The snapshot is None in the first three states.
    state: "State"
    # Why the snapshot is damaged; "" if it is not damaged.
    reason: "str"
    snapshot: "Snapshot | None" = None
    # The files of the memories that the snapshot has.
    files: "Sequence[FileStamp]" = ()
    # The files that were read and are no memory.
    unfit: "Sequence[FileStamp]" = ()
    # When each of the six folders had changed when it was read, in nanoseconds since 1970, or a mark (SPEC 23.1).
    watermark: "Sequence[int]" = ()
    # How many parts of the snapshot are in the file beside it.
    deltas: "int" = 0
