"""The answers of the seam that hold snapshots and memories, in the classes of both backends (SPEC 15)."""

from ...basics.light_dataclass import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from ..requests.results import FileStamp
    from .snapshot import Snapshot

    State = Literal["missing", "damaged", "other settings", "partial", "whole"]


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
