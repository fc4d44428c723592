"""The links of a memory: the files and the superseded or contradicted memories that it names (SPEC 33.1)."""

from ...basics.category import FOLDERS
from ...basics.chars import WHITESPACE
from ...basics.json_reader import object_in
from ..text.compose import compose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# The most names of a memory that count.
MAX_LINKS = 64
# Longer names are ignored.
MAX_NAME_BYTES = 512

# The prefix of a file's path, or of a folder's path with its slash.
FILE = "file:"
# The prefix of the components of a file's path, the last component first.
TAIL = "tail:"
# The prefix of a pattern of paths.
GLOB = "glob:"
# The prefix of a superseded memory's id, or of its folder and id.
OVER = "over:"
# The prefix of a contradicted memory's id, or of its folder and id.
AGAINST = "against:"


def read_links(record: dict[str, object]) -> list[str]:
    """The files and memories that a record names, as keys of the dictionary of links, without repetitions."""
    extension = object_in(record, "cuecard")
    names: dict[str, None] = {}
    memories = [(OVER, name) for name in texts_of(extension.get("supersedes"))]
    memories += [(AGAINST, name) for name in texts_of(extension.get("contradicts"))]
    for kind, name in memories:
        if len(names) == MAX_LINKS:
            break
        known = memory_id(name)
        if known:
            names[f"{kind}{known}"] = None
    for text in texts_of(extension.get("anchors")) + texts_of(record.get("related_files")):
        if len(names) == MAX_LINKS:
            break
        path = normalize_path(text)
        if path:
            names[f"{GLOB if _is_pattern(path) else FILE}{path}"] = None
    tails = [tail_of(name.removeprefix(FILE)) for name in names if name.startswith(FILE)]
    return [*names, *[tail for tail in tails if tail]]


def normalize_path(text: str) -> str | None:
    """A path in the form of links: composed, with forward slashes, no `./` in front and no blanks around it.

    None if the path is invalid.
    """
    path = compose(text.strip(WHITESPACE)).replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    if path in ("", ".") or "\n" in path or len(path.encode()) > MAX_NAME_BYTES:
        return None
    return path


def tail_of(path: str) -> str | None:
    """The key with the components of a file's path, the last component first; None for a folder."""
    return None if path.endswith("/") else TAIL + "/".join(reversed(path.split("/")))


def memory_id(name: str) -> str | None:
    """The id in a memory's name, with the folder if the name has a category or its folder; None if invalid."""
    above, _slash, own_id = name.removesuffix(".json").replace("\\", "/").rpartition("/")
    if own_id in ("", ".", "..") or "\n" in own_id or len(own_id.encode()) > MAX_NAME_BYTES:
        return None
    place = above.rpartition("/")[2]
    for folder, category in FOLDERS:
        if place in (folder, category):
            return f"{folder}/{own_id}"
    return own_id


def find_named(name: str, find: "Callable[[str], int | None]") -> int | None:
    """The position of the memory with a folder and an id, or with an id that exactly one memory has; None if there is
    none. `find` returns the position of a path, or None."""
    names = [name] if "/" in name else [f"{folder}/{name}" for folder, _category in FOLDERS]
    found = [position for each in names if (position := find(f".claude/memory/{each}.json")) is not None]
    return found[0] if len(found) == 1 else None


def _is_pattern(path: str) -> bool:
    return "*" in path or "?" in path


def texts_of(value: object) -> list[str]:
    """The strings in a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
