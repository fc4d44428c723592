"""The pointer of a memory: a place in a document of the project that the memory names instead of copying it
(SPEC 39.8)."""

from ...basics.chars import scrub
from ...basics.json_reader import object_in
from ...basics.timestamp import parse_timestamp
from .file_anchors import is_concrete

# A path of more characters is not shown, so it is no pointer.
MAX_PATH_CHARS = 100
# The most characters of a place, with its heading.
MAX_PLACE_CHARS = 112


class Pointer:
    """A place in a document, and what the document was like when the memory was written."""

    def __init__(self, path: str, heading: str, size: int | None, time: int | None) -> None:
        """`path` starts at the project's root. `size` is in bytes, and `time` in microseconds since 1970."""
        self.path = path
        self.size = size
        self.time = time
        place = f"{path}#{heading}"
        self.place = place if heading and len(place) <= MAX_PLACE_CHARS else path


def read_pointer(extension: object) -> Pointer | None:
    """The pointer in the value of `cuecard`; None where its path does not name one file of the project."""
    pointer = object_in(extension, "pointer")
    path, heading, time = [
        scrub(text) if isinstance(text, str) else "" for text in map(pointer.get, ("path", "heading", "time"))
    ]
    if not is_concrete(path) or any(char in path for char in "\\\n\r") or len(path) > MAX_PATH_CHARS:
        return None
    size = pointer.get("size")
    return Pointer(
        path, heading, size if isinstance(size, int) and not isinstance(size, bool) else None, parse_timestamp(time)
    )
