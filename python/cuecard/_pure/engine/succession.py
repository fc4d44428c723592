"""Finds the memory that supersedes another memory (SPEC 33.3)."""

from ...basics.category import FOLDERS
from ..memory.document import ACTIVE
from ..memory.links import AGAINST, OVER
from ..retrieve.filters import STORE_PREFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..retrieve.known_documents import KnownDocuments

    Replaces = Callable[[int, int], bool]

STEPS_MAX = 16
# At most this number of memories that supersede the same memory is considered.
FOLLOWING_MAX = 256


def successor(snapshot: "KnownDocuments", position: int, may_replace: "Replaces | None" = None) -> int:
    """The position of the active document that supersedes the document at `position`, directly or through other
    documents; `position` itself if no document does so. `may_replace` says whether the document at the second position
    may supersede the one at the first; by default any may."""
    head, passed = position, [position]
    for _step in range(STEPS_MAX):
        named = naming(snapshot, OVER, passed[-1]) + _conflicting(snapshot, passed[-1])
        following = [found for found in named if found not in passed]
        following = [found for found in following if may_replace is None or may_replace(passed[-1], found)]
        if not following:
            break
        # A document in the middle of a chain is usually retired, so the chain is followed through it.
        living = [found for found in following if snapshot.documents[found].status == ACTIVE]
        passed.append(living[0] if living else following[0])
        head = passed[-1] if living else head
    return head


def _conflicting(snapshot: "KnownDocuments", position: int) -> list[int]:
    """The positions of the documents of nearer stores that win over the document at `position`: those with the same
    path, and those that say they contradict it (SPEC 48.8)."""
    store = snapshot.store_of(position)
    if store == 0:
        return []
    path = snapshot.documents[position].path
    same = [place for place, document in enumerate(snapshot.documents) if document.path == path]
    same = sorted([place for place in same if snapshot.store_of(place) < store], key=snapshot.store_of)
    against = [place for place in naming(snapshot, AGAINST, position) if snapshot.store_of(place) < store]
    return same + against


def naming(snapshot: "KnownDocuments", kind: str, position: int) -> list[int]:
    """The positions, in order, of the documents that have a link of this kind to the document at `position`."""
    document = snapshot.stored(position)
    if document is None:
        return []
    above, _slash, name = document.path.rpartition("/")
    own_id = name.removesuffix(".json")
    links = snapshot.links()
    found = {*links.get(f"{kind}{above.rpartition('/')[2]}/{own_id}", ())}
    by_id = links.get(f"{kind}{own_id}", ())
    # A link by an id counts only if a single memory has that id.
    if by_id and sum([snapshot.find(f"{STORE_PREFIX}{each}/{name}") is not None for each, _category in FOLDERS]) < 2:
        found.update(by_id)
    if snapshot.places:
        # A name means the nearest document from the naming one's store on.
        found = {place for place in found if snapshot.find_from(snapshot.store_of(place), document.path) == position}
    return sorted(found)[:FOLLOWING_MAX]
