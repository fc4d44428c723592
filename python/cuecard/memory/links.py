"""What a memory names: files of the project, and memories whose place it takes (SPEC 33.1)."""

from ..basics.category import FOLDERS
from ..basics.chars import WHITESPACE

# So many names of a memory count.
MAX_LINKS = 64
# A longer name does not.
MAX_NAME_BYTES = 512

# Before the path of a file, or of a folder with its slash.
FILE = "file:"
# Before the parts of the path of a file, the last one first.
TAIL = "tail:"
# Before a pattern of paths.
GLOB = "glob:"
# Before the id of a superseded memory, or its folder and id.
OVER = "over:"


def read_links(record: dict[str, object]) -> list[str]:
    """The texts of a record in the dictionary of links, each once, in the order of its names."""
    own = record.get("cuecard")
    extension: dict[str, object] = own if isinstance(own, dict) else {}
    names: dict[str, None] = {}
    for name in _texts(extension.get("supersedes")):
        if len(names) == MAX_LINKS:
            break
        own_id = _superseded_id(name)
        if own_id:
            names[f"{OVER}{own_id}"] = None
    for text in _texts(extension.get("anchors")) + _texts(record.get("related_files")):
        if len(names) == MAX_LINKS:
            break
        path = normalize_path(text)
        if path:
            names[f"{GLOB if _is_pattern(path) else FILE}{path}"] = None
    tails = [tail_of(name.removeprefix(FILE)) for name in names if name.startswith(FILE)]
    return [*names, *[tail for tail in tails if tail]]


def normalize_path(text: str) -> str | None:
    """A path as links have it: forward slashes, no `./` in front, no blanks around it; None where it cannot be one."""
    path = text.strip(WHITESPACE).replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    if path in ("", ".") or "\n" in path or len(path.encode()) > MAX_NAME_BYTES:
        return None
    return path


def tail_of(path: str) -> str | None:
    """The parts of the path of a file, the last one first; None for a folder."""
    return None if path.endswith("/") else TAIL + "/".join(reversed(path.split("/")))


def _superseded_id(name: str) -> str | None:
    """The id that a name of a memory comes to, behind its folder where the name has one that there is."""
    above, _slash, own_id = name.removesuffix(".json").replace("\\", "/").rpartition("/")
    if own_id in ("", ".", "..") or "\n" in own_id or len(own_id.encode()) > MAX_NAME_BYTES:
        return None
    place = above.rpartition("/")[2]
    for folder, category in FOLDERS:
        if place in (folder, category):
            return f"{folder}/{own_id}"
    return own_id


def _is_pattern(path: str) -> bool:
    return "*" in path or "?" in path


def _texts(value: object) -> list[str]:
    """The texts of a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
