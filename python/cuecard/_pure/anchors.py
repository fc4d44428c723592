"""Which memories are anchored to a file of the project (SPEC 33.2)."""

from .chars import scrub
from .layout import ACTIVE, LINKS
from .links import FILE, GLOB, normalize_path, tail_of
from .postings import read_list
from .snapshot import living_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .snapshot import Snapshot

# Of the texts of living documents that begin alike so many are looked at.
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
    patterns = [text for text in _links_from(snapshot, GLOB) if _stands_for(text, normal)]
    return active(snapshot, _linked(snapshot, [name.encode() for name in names] + patterns))


def ending(snapshot: "Snapshot", name: str) -> list[int]:
    """What `anchored_name` finds, all of it, unordered."""
    normal = normalize_path(scrub(name))
    tail = tail_of(normal) if normal else None
    if tail is None:
        return []
    return active(snapshot, _linked(snapshot, [tail.encode(), *_links_from(snapshot, f"{tail}/")]))


def below(snapshot: "Snapshot", folder: str) -> list[int]:
    """What `anchored_below` finds, all of it, unordered."""
    normal = normalize_path(scrub(folder))
    if normal is None:
        return []
    files, patterns = [_links_from(snapshot, f"{kind}{normal.rstrip('/')}/") for kind in (FILE, GLOB)]
    return active(snapshot, _linked(snapshot, files + patterns))


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
    if len(snapshot.parts) == 1 or not distinct or distinct[-1] < snapshot.parts[0].segment.documents():
        return distinct[:limit]
    # Within a part numbers are in the order of documents: the parts only have to be merged.
    runs, begin, end = [], 0, 0
    for part in snapshot.parts:
        end += part.segment.documents()
        begin_of_run = begin
        while begin < len(distinct) and distinct[begin] < end:
            begin += 1
        if begin > begin_of_run:
            runs.append(distinct[begin_of_run:begin])
    heads = [(snapshot.order_key(run[0]), number, 0) for number, run in enumerate(runs)]
    merged: list[int] = []
    while len(merged) < limit and heads:
        first = min(heads)
        heads.remove(first)
        _key, number, place = first
        merged.append(runs[number][place])
        if place + 1 < len(runs[number]):
            heads.append((snapshot.order_key(runs[number][place + 1]), number, place + 1))
    return merged


def named(snapshot: "Snapshot", name: str) -> list[int]:
    """The positions of the living documents that name this."""
    return _linked(snapshot, [name.encode()])


def active(snapshot: "Snapshot", positions: list[int]) -> list[int]:
    """Those of active documents."""
    places = [(position, snapshot.place(position)) for position in positions]
    return [position for position, place in places if place and snapshot.parts[place[0]].status(place[1]) == ACTIVE]


def _links_from(snapshot: "Snapshot", beginning: str) -> list[bytes]:
    """The first texts of the dictionaries of links that begin so."""
    return living_texts(snapshot.parts, LINKS, beginning.encode(), WALK_MAX)


def _linked(snapshot: "Snapshot", texts: list[bytes]) -> list[int]:
    """The positions of the living documents that have one of these texts."""
    found: list[int] = []
    for place, part in enumerate(snapshot.parts):
        links, section, documents = part.segment.links(), part.segment.link_postings(), part.segment.documents()
        entries = [links.entry(entry) for text in texts if (entry := links.find(text)) is not None]
        numbers = {posting >> 8 for entry in entries for posting in read_list(section, entry, documents)}
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
