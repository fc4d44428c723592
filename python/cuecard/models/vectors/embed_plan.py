"""Finds the memories of a store without a current vector of an embedder.

Rules: docs/reference/models.md, "Making vectors".
"""

from ...errors import ModelError
from ...files.memory_files import read_all_files
from .memory_text import digest_of, is_latin, text_of
from .vectors_file import DamagedVectors, VectorEntry, read_vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.memory_files import File
    from ..embedders.embedder import Embedder

# If more than one memory in this many is in letters that the embedder does not know, the embedder makes recall worse.
ONE_OTHER_IN = 5
MULTILINGUAL = (
    "use a multilingual model: `e5`, or `bge-m3` of `ollama`; or no model: the built-in table has 8 languages"
)


class Missing:
    """A memory to embed: its path, the size and time of its file, its text, and the digest of its text."""

    def __init__(self, file: "File", text: str) -> None:
        _category, self.path, _data, self.size, self.modified = file
        self.text = text
        self.digest = digest_of(text)

    def entry(self, row: bytes) -> VectorEntry:
        """The entry for the memory with its row."""
        return self.size, self.modified, self.digest, row


class Plan:
    """The result of `plan_embedding`: the memories without a vector, and the rows that are kept."""

    def __init__(self) -> None:
        self.total = 0
        """The number of memories that should have a vector."""
        self.missing: list[Missing] = []
        self.restamped: dict[str, VectorEntry] = {}
        """Memories whose file has changed but whose text has not: their rows are kept."""
        self.dimension = 0
        """The dimension of the existing rows; 0 if there are none."""
        self.problem = ""
        """Why the existing file of vectors cannot be used; "" if it can be used or does not exist."""

    @property
    def kept(self) -> int:
        """The number of memories that already have their vector."""
        return self.total - len(self.missing)


def plan_embedding(
    project: tuple[str, str], embedder: "Embedder", is_all: bool = False, is_anew: bool = False, dimension: int = 0
) -> Plan:
    """Plan what `embedder` has to do for the active memories of a project, or with `is_all` for every memory.

    Existing rows are kept only if they have the dimension `dimension`, or the embedder's if that is 0; with `is_anew`
    no row is kept. Reads every memory. Raises ModelError if the embedder's files are missing, and if too many memories
    are in letters that the embedder does not know.
    """
    plan, others = Plan(), 0
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
        others += embedder.is_latin and not is_latin(found[0])
        missing, known = Missing(file, found[0]), entries.get(path)
        if known is None or known[2] != missing.digest:
            plan.missing.append(missing)
        elif known[:2] != (missing.size, missing.modified):
            plan.restamped[path] = missing.entry(known[3])
    if others * ONE_OTHER_IN > plan.total:
        what = f"the model knows only English, and {others} of {plan.total} memories are in other letters"
        raise ModelError(what, MULTILINGUAL)
    return plan
