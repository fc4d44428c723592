"""Which memories of a store have no vector of an embedder that is theirs as they are now.

Rules: docs/reference/models.md, "Making vectors".
"""

from ...memory.index_md import read_all_files
from .memory_text import digest_of, text_of
from .vectors_file import DamagedVectors, VectorEntry, read_vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...memory.index_md import File
    from ..embedders.embedder import Embedder


class Missing:
    """A memory to embed: its path, the stamp of its file, the digest of its text, the text."""

    __slots__ = ("digest", "modified", "path", "size", "text")

    def __init__(self, file: "File", text: str) -> None:
        _category, self.path, _data, self.size, self.modified = file
        self.text = text
        self.digest = digest_of(text)

    def entry(self, row: bytes) -> VectorEntry:
        """What its row is kept as."""
        return self.size, self.modified, self.digest, row


class Plan:
    """What is to be done for a store."""

    def __init__(self) -> None:
        self.total = 0
        """How many memories are to have a vector."""
        self.missing: list[Missing] = []
        self.restamped: dict[str, VectorEntry] = {}
        """Memories whose file has changed while its text has not: their rows stay."""
        self.dimension = 0
        """The dimension of the rows that are there; 0 where there are none."""
        self.problem = ""
        """Why what is there cannot be used."""

    @property
    def kept(self) -> int:
        """How many have their vector."""
        return self.total - len(self.missing)


def plan_embedding(
    project: tuple[str, str], embedder: "Embedder", is_all: bool = False, is_anew: bool = False, dimension: int = 0
) -> Plan:
    """What `embedder` has to do for the active memories of a project, or all of them; with `is_anew`, for each of them.

    Rows count as there only where they have the embedder's dimension, or this one. Reads every memory. Raises
    ModelError where the embedder's files are not there.
    """
    plan = Plan()
    entries: dict[str, VectorEntry] = {}
    there = None
    try:
        there = None if is_anew else read_vectors(project[1], embedder.fingerprint)
    except DamagedVectors as error:
        plan.problem = error.what
    if there and (dimension or embedder.dimension) in (0, there.dimension):
        entries, plan.dimension = there.entries(), there.dimension
    for file in read_all_files(project[1]):
        path, data = file[1], file[2]
        found = None if data is None else text_of(path, data)
        if found is None or not (is_all or found[1] == "active"):
            continue
        plan.total += 1
        missing, known = Missing(file, found[0]), entries.get(path)
        if known is None or known[2] != missing.digest:
            plan.missing.append(missing)
        elif known[:2] != (missing.size, missing.modified):
            plan.restamped[path] = missing.entry(known[3])
    return plan
