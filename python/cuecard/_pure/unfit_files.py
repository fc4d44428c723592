"""Files of a store that were read and have no document: which they are, so that nobody reads them again (SPEC 22.1)."""

MAX_SIZE = 2**32 - 1
MAX_PATH_BYTES = 65_535
# Size, modification time, bytes of the path.
FIXED = 4 + 8 + 2


# The modification time of a file that segments before this one have, and that is gone or has a document now.
GONE = -(2**63)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    # Size and modification time by path.
    Unfit = dict[str, tuple[int, int]]


def write_unfit(before: "Unfit", files: "Unfit") -> bytes:
    """The bytes of the section of a segment behind others that have the files `before`: what is new or gone."""
    entries = {path: (0, GONE) for path in before if path not in files}
    entries.update({path: stamp for path, stamp in files.items() if before.get(path) != stamp})
    section = []
    for path in sorted(entries):
        text = path.encode()
        size, modified = entries[path]
        if len(text) <= MAX_PATH_BYTES:
            section += [min(size, MAX_SIZE).to_bytes(4, "little"), modified.to_bytes(8, "little", signed=True)]
            section += [len(text).to_bytes(2, "little"), text]
    return b"".join(section)


def read_unfit(sections: "Iterable[memoryview]") -> "Unfit":
    """The files in the sections of segments that follow each other; each up to the first that does not fit."""
    files: Unfit = {}
    for section in sections:
        data = bytes(section)
        at = 0
        while at + FIXED <= len(data):
            end = at + FIXED + int.from_bytes(data[at + 12 : at + FIXED], "little")
            try:
                path = data[at + FIXED : end].decode()
            except UnicodeDecodeError:
                break
            if end > len(data):
                break
            modified = int.from_bytes(data[at + 4 : at + 12], "little", signed=True)
            if modified == GONE:
                files.pop(path, None)
            else:
                files[path] = int.from_bytes(data[at : at + 4], "little"), modified
            at = end
    return files
