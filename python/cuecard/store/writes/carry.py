"""Copies or moves a memory into another store (docs/reference/export.md)."""

from ...basics.light_dataclass import dataclass
from ...basics.timestamp import utc_stamp
from ...errors import InputError, StoreError
from ...files.trust_levels import OWN, UNREVIEWED
from ..intake.intake import admit_stored
from ..intake.personal_data import describe_personal_data, find_in_shared
from ..records import lifecycle
from ..records.memory import Memory
from ..records.record_check import check
from ..records.record_file import extension_of, status_of
from ..trust.agent_view import levels_of_files
from .transaction import path_of, writing

Project = tuple[str, str]
# What only has a meaning in the store in which it was written: names of other memories, and places in the project.
_OF_ITS_STORE = ("supersedes", "derived_from", "causes", "contradicts", "anchors")


@dataclass(frozen=True)
class Carried:
    """The result of a copy or a move."""

    status: str
    """`created`, or `unchanged` if the other store has the memory already."""
    source: str
    """The path of the memory in its store."""
    target: str
    """The path of the memory in the other store."""
    root: str
    """The folder of the other store's project."""
    left_out: list[str]
    """The fields that have no meaning in the other store."""
    is_retired: bool
    """Whether the memory was retired in its own store."""
    problems: list[str]


def carry(source: Project, memory: Memory, target: Project, *, is_move: bool) -> Carried:
    """Write a memory into another store; with `is_move` it is retired in its own store after that.

    The user must vouch for the memory, so that a repository cannot speak for another store. Raises StoreError,
    InputError, OverwriteError, LockError and WriteError; then the memory is where it was.
    """
    if source[1] == target[1]:
        raise InputError("both stores are the same", "name another store")
    level = levels_of_files(source[1], [memory.data])[0]
    if level == UNREVIEWED:
        raise StoreError(
            "nobody on this machine vouches for this memory, so it stays in its store",
            "`cuecard trust` shows it to a person, who may accept it",
        )
    if status_of(memory.record) != "active":
        raise InputError(f"`{memory.id}` is {memory.status}", f"`cuecard restore {memory.name}` makes it active")
    if "pointer" in memory.extension:
        raise InputError(f"`{memory.id}` points to a document of its project", "import the document there")
    record = admit_stored({"id": memory.id, **memory.record}).fields
    extension = extension_of(record)
    left_out = [f"cuecard.{name}" for name in _OF_ITS_STORE if name in extension]
    kept = {name: value for name, value in extension.items() if name not in _OF_ITS_STORE}
    record = {name: value for name, value in record.items() if name != "cuecard"} | ({"cuecard": kept} if kept else {})
    check(record)
    found = find_in_shared(target[1], record)
    if found:
        raise StoreError(f"it has {describe_personal_data(found)}, and the other store is shared", "leave that out")
    path = path_of(memory.category, memory.id)
    with writing(*target, "copy") as transaction:
        transaction.trust.given = "own" if level == OWN else "accepted"
        same = transaction.find_same(memory.category, path, record)
        if same is None:
            transaction.clear_the_way(memory.category, path)
            transaction.write(memory.category, path, record)
    problems = list(transaction.problems)
    if is_move:
        problems += _retire(source, memory, target)
    status = "created" if same is None else "unchanged"
    return Carried(status, memory.path, path, target[0], left_out, is_move, problems)


def _retire(source: Project, memory: Memory, target: Project) -> list[str]:
    """Retire the memory in its own store. Returns the problems."""
    now = utc_stamp()
    with writing(*source, "move") as transaction:
        old = transaction.read(memory.path, memory.hash)
        record = lifecycle.apply("retire", old.record, f"moved to the store of {target[0]}", now)
        if record is not None:
            transaction.write(old.category, old.path, record)
    return list(transaction.problems)
