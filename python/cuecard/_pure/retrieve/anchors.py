"""Finds the memories that are anchored to a file of the project (SPEC 33.2).

Each public function returns the positions of all matching active documents, as a set.
"""

from ...basics.chars import scrub
from ..memory.document import ACTIVE
from ..memory.forbids import FORBIDS
from ..memory.links import FILE, GLOB, normalize_path, tail_of
from ..memory.path_pattern import matches_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .known_documents import KnownDocuments

    # For each link (a name that documents refer to) the positions of the documents that have it.
    Links = dict[str, list[int]]

# The maximal number of links with the same prefix that are read.
WALK_MAX = 4096
# The maximal number of documents that are returned.
FOUND_MAX = 256
# The maximal number of components at the end of a path that are compared with anchors.
END_MAX = 16


def covering(snapshot: "KnownDocuments", path: str) -> set[int]:
    """The documents with an anchor that covers a file: the file itself, a folder above it, or a matching pattern."""
    normal = normalize_path(scrub(path))
    if normal is None:
        return set()
    names = [f"{FILE}{normal}"]
    for place, char in enumerate(normal):
        if char == "/":
            names += [f"{FILE}{normal[:place]}", f"{FILE}{normal[: place + 1]}"]
    return active(snapshot, names + [link for link in _links_from(snapshot, GLOB) if _stands_for(link, normal)])


def ending(snapshot: "KnownDocuments", name: str) -> set[int]:
    """The documents with an anchor that ends with this file name or relative path."""
    normal = normalize_path(scrub(name))
    tail = tail_of(normal) if normal else None
    return active(snapshot, [tail, *_links_from(snapshot, f"{tail}/")]) if tail else set()


def below(snapshot: "KnownDocuments", folder: str) -> set[int]:
    """The documents with an anchor below a folder."""
    normal = normalize_path(scrub(folder))
    if normal is None:
        return set()
    files, patterns = [_links_from(snapshot, f"{kind}{normal.rstrip('/')}/") for kind in (FILE, GLOB)]
    return active(snapshot, files + patterns)


def at_end_of(snapshot: "KnownDocuments", path: str) -> set[int]:
    """The documents with the longest anchor that the path ends with. Anchors of a single component do not count."""
    parts = (normalize_path(scrub(path)) or "").split("/")[-END_MAX:]
    for begin in range(len(parts) - 1):
        found = active(snapshot, [f"{FILE}{'/'.join(parts[begin:])}"])
        if found:
            return found
    return set()


def forbidden_entries(snapshot: "KnownDocuments") -> list[str]:
    """The entries of what the documents forbid, in the order of their bytes."""
    return [link.removeprefix(FORBIDS) for link in _links_from(snapshot, FORBIDS)]


def forbidding(snapshot: "KnownDocuments", entry: str) -> set[int]:
    """The documents that forbid this."""
    return active(snapshot, [FORBIDS + entry])


def active(snapshot: "KnownDocuments", names: "Iterable[str]") -> set[int]:
    """The positions of the active documents with one of these links."""
    links, documents = snapshot.links(), snapshot.documents
    return {position for name in names for position in links.get(name, ()) if documents[position].status == ACTIVE}


def _links_from(snapshot: "KnownDocuments", beginning: str) -> list[str]:
    """The first `WALK_MAX` links that begin with a text, sorted."""
    return sorted([link for link in snapshot.links() if link.startswith(beginning)])[:WALK_MAX]


def _stands_for(link: str, path: str) -> bool:
    """Whether the pattern in a link matches a path."""
    return matches_path(link.removeprefix(GLOB), path)
