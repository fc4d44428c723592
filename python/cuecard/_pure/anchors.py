"""Which memories are anchored to a file of the project (SPEC 33.2)."""

from .chars import scrub
from .layout import ACTIVE
from .links import FILE, GLOB, normalize_path, tail_of
from .postings import read_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .dictionary import Dictionary
    from .snapshot import Snapshot

# Of the texts that begin alike so many are looked at.
WALK_MAX = 4096
# So many documents are found.
FOUND_MAX = 256
# The parts of a path that an anchor may end with.
END_MAX = 16


def anchored(snapshot: "Snapshot", path: str) -> list[int]:
    """The positions of the first active documents with an anchor that covers a file of the project, in their order.

    The file itself, a folder above it, or a pattern that stands for it.
    """
    return first_in_order(snapshot, covering(snapshot, path), FOUND_MAX)


def anchored_name(snapshot: "Snapshot", name: str) -> list[int]:
    """The same with an anchor whose last parts are this name of a file."""
    return first_in_order(snapshot, ending(snapshot, name), FOUND_MAX)


def anchored_below(snapshot: "Snapshot", folder: str) -> list[int]:
    """The same with an anchor to what is below a folder."""
    return first_in_order(snapshot, below(snapshot, folder), FOUND_MAX)


def covering(snapshot: "Snapshot", path: str) -> list[int]:
    """What `anchored` finds, all of it, unordered."""
    normal = normalize_path(scrub(path))
    if normal is None:
        return []
    names = [f"{FILE}{normal}"]
    for place, char in enumerate(normal):
        if char == "/":
            names += [f"{FILE}{normal[:place]}", f"{FILE}{normal[: place + 1]}"]

    def pick(links: "Dictionary") -> "list[int | None]":
        patterns = links.range(GLOB.encode())[:WALK_MAX]
        standing = [entry for entry in patterns if _stands_for(links.text(entry), normal)]
        return [*[links.find(name.encode()) for name in names], *standing]

    return active(snapshot, _linked(snapshot, pick))


def ending(snapshot: "Snapshot", name: str) -> list[int]:
    """What `anchored_name` finds, all of it, unordered."""
    normal = normalize_path(scrub(name))
    tail = tail_of(normal) if normal else None
    if tail is None:
        return []
    longer = f"{tail}/".encode()
    found = _linked(snapshot, lambda links: [links.find(tail.encode()), *links.range(longer)[:WALK_MAX]])
    return active(snapshot, found)


def below(snapshot: "Snapshot", folder: str) -> list[int]:
    """What `anchored_below` finds, all of it, unordered."""
    normal = normalize_path(scrub(folder))
    if normal is None:
        return []
    files, patterns = [f"{kind}{normal.rstrip('/')}/".encode() for kind in (FILE, GLOB)]
    found = _linked(snapshot, lambda links: [*links.range(files)[:WALK_MAX], *links.range(patterns)[:WALK_MAX]])
    return active(snapshot, found)


def at_end_of(snapshot: "Snapshot", path: str) -> list[int]:
    """The active documents with the longest anchor of two parts and more that a path ends with, unordered."""
    parts = (normalize_path(scrub(path)) or "").split("/")[-END_MAX:]
    for begin in range(len(parts) - 1):
        end = "/".join(parts[begin:])
        found = active(snapshot, named(snapshot, f"{FILE}{end}"))
        if found:
            return found
    return []


def first_in_order(snapshot: "Snapshot", positions: "Iterable[int]", limit: int) -> list[int]:
    """The first of some positions in the order of their documents, each once."""
    distinct = sorted(set(positions))
    base = snapshot.parts[0].segment.documents()
    of_delta = [position for position in distinct if position >= base]
    if not of_delta:
        return distinct[:limit]
    # Within a part numbers are in the order of documents: base and delta only have to be merged.
    of_base = distinct[: len(distinct) - len(of_delta)]
    merged: list[int] = []
    while len(merged) < limit and (of_base or of_delta):
        if of_base and of_delta:
            is_base_next = snapshot.order_key(of_base[0]) <= snapshot.order_key(of_delta[0])
        else:
            is_base_next = bool(of_base)
        merged.append((of_base if is_base_next else of_delta).pop(0))
    return merged


def named(snapshot: "Snapshot", name: str) -> list[int]:
    """The positions of the living documents that name this."""
    return _linked(snapshot, lambda links: [links.find(name.encode())])


def active(snapshot: "Snapshot", positions: list[int]) -> list[int]:
    """Those of active documents."""
    places = [(position, snapshot.place(position)) for position in positions]
    return [position for position, place in places if place and snapshot.parts[place[0]].status(place[1]) == ACTIVE]


def _linked(snapshot: "Snapshot", pick: "Callable[[Dictionary], Iterable[int | None]]") -> list[int]:
    """The positions of the living documents in the lists of the entries that are picked."""
    found: list[int] = []
    for place, part in enumerate(snapshot.parts):
        links, section, documents = part.segment.links(), part.segment.link_postings(), part.segment.documents()
        numbers = {
            posting >> 8
            for entry in pick(links)
            if entry is not None
            for posting in read_list(section, links.entry(entry), documents)
        }
        found += [snapshot.position(place, number) for number in numbers.difference(part.dead)]
    return found


def _stands_for(text: bytes, path: str) -> bool:
    """Whether the pattern in a text of the dictionary stands for a path; not where it is no text."""
    # Of stores with patterns: most have none.
    from .path_pattern import matches_path

    try:
        return matches_path(text.decode().removeprefix(GLOB), path)
    except UnicodeDecodeError:
        return False
