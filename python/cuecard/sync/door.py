"""What may pass between this machine and a team, in both directions. Rules: docs/reference/sync.md, "The door"."""

from dataclasses import dataclass

from ..basics.category import FOLDERS
from ..basics.memory_name import is_id
from ..errors import CuecardError, InputError
from ..store.intake.intake import admit_stored
from ..store.intake.personal_data import describe_personal_data, find_personal_data
from ..store.records.memory_file import read_memory_file
from ..store.records.record_file import Fields, decode, encode_to_fit

# The category of what stays private.
PRIVATE = "session_summary"
_CATEGORY_OF = dict(FOLDERS)


@dataclass(frozen=True)
class Admitted:
    """What a pack has of a memory that was pulled."""

    problem: str
    """Why the pack does not have it; "" if it has."""
    shown: bytes | None = None
    """The bytes for the pack where secrets or hidden text were removed; None if they are those of the remote."""


def category_of(path: str) -> str:
    """The category of a path such as `decisions/a.json`; "" for a path that no shared memory can have."""
    folder, _slash, file = path.partition("/")
    category = _CATEGORY_OF.get(folder, "")
    return category if file.endswith(".json") and is_id(file.removesuffix(".json")) and category != PRIVATE else ""


def admit_pulled(path: str, data: bytes) -> Admitted:
    """Look at a memory that comes from a team. The result depends on nothing but the arguments."""
    category = category_of(path)
    if not category:
        return Admitted("its path is not that of a memory that can be shared")
    try:
        record = _read(path, data)
        if find_personal_data(record):
            return Admitted(f"it has {describe_personal_data(find_personal_data(record))}")
        admitted = admit_stored({**record, "id": _id_of(path)})
        if not admitted.redactions and not admitted.fixes:
            return Admitted("")
        return Admitted("", encode_to_fit(admitted.fields))
    except CuecardError as error:
        return Admitted(error.what)


def check_pushed(path: str, data: bytes) -> str:
    """Why a memory may not leave this machine; "" if it may."""
    if category_of(path) == "":
        return "session summaries and prompts stay private"
    try:
        record = _read(path, data)
        secrets = admit_stored(record).redactions
    except CuecardError as error:
        return error.what
    if secrets:
        return f"it has a secret ({secrets[0].kind}) in `{secrets[0].field}`"
    found = find_personal_data(record)
    return f"it has {describe_personal_data(found)}" if found else ""


def _read(path: str, data: bytes) -> Fields:
    """The record in the bytes of a memory. Raises InputError for conflict markers and anything else that is none."""
    category = category_of(path)
    record = decode(data, "it")
    found = read_memory_file(category, f".claude/memory/{path}", data)
    if isinstance(found, str):
        raise InputError(found)
    if record.get("category") != category or record.get("id") != _id_of(path):
        raise InputError("its category or id is not that of its file")
    return record


def _id_of(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".json")
