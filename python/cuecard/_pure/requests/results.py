"""The parts of which the answers of the seam are made, in the classes of both backends (SPEC 15)."""

from ...basics.light_dataclass import dataclass


@dataclass(frozen=True)
class FileStamp:
    """A memory file as it was when it was read."""

    # The path from the project's folder.
    path: "str"
    # The size in bytes.
    size: "int"
    # The modification time, in nanoseconds since 1970.
    modified: "int"
