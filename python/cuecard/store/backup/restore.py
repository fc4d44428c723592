"""Reads an export in JSON Lines, and writes its memories into a store as they were."""

import json
import re
from collections.abc import Iterator

from ...basics.category import FOLDERS
from ...basics.light_dataclass import dataclass, field
from ...errors import CuecardError, InputError
from ...files.folder import Unread
from ...files.store_files import StoreFiles, read_bounded
from ...files.trust_levels import UNREVIEWED
from ..intake.intake import admit_record, admit_stored
from ..intake.personal_data import describe_personal_data, find_in_shared
from ..merging.merge_records import merge_records
from ..records.memory_file import MemoryFile, read_memory_file
from ..records.record_file import Fields, decode, encode_to_fit
from ..trust.agent_view import levels_of_files
from ..writes.transaction import Transaction, path_of, writing
from .export import MARK, VERSION

KIND = "cuecard"
MAX_BYTES = 256 << 20
MAX_HEAD_BYTES = 4096
CATEGORIES = tuple([category for _folder, category in FOLDERS])
# The name of a memory's file, which cannot leave its folder.
_ID = re.compile(r"[^/\\\\\x00-\x1f.][^/\\\\\x00-\x1f]{0,199}")


@dataclass
class Line:
    """A memory of an export."""

    number: int
    scope: str
    category: str
    id: str
    record: Fields


@dataclass
class Restored:
    """What has become of a line of an export."""

    where: str
    status: str
    """`created`, `updated`, `unchanged`, `skipped` or `failed`."""
    category: str = ""
    title: str = ""
    path: str = ""
    why: str = ""
    secrets: list[str] = field(default_factory=list)


def is_export(path: str) -> bool:
    """Whether a file begins like an export of cuecard."""
    try:
        with open(path, "rb") as file:
            head = file.readline(MAX_HEAD_BYTES)
    except OSError:
        return False
    return head.startswith(b"{") and MARK.encode() in head and MARK in _read_head(head)


def read_lines(path: str) -> Iterator[Line]:
    """The memories of an export. Raises InputError for a line that is none, and for a version that is not known."""
    try:
        data = read_bounded(path, MAX_BYTES)
    except Unread as unread:
        raise InputError(f"`{path}` {unread.words}", "name an export of at most 256 MiB") from None
    head, _, rest = data.partition(b"\n")
    version = _read_head(head).get(MARK)
    if version != VERSION:
        raise InputError(f"`{path}` is an export of version `{version}`", "update cuecard")
    for number, line in enumerate(rest.split(b"\n"), 2):
        if not line.strip():
            continue
        where = f"line {number} of `{path}`"
        value = decode(line, where)
        category, name, record = value.get("category"), value.get("id"), value.get("memory")
        if category not in CATEGORIES or not isinstance(name, str) or not isinstance(record, dict):
            raise InputError(f"{where} is no memory", "import the file as `cuecard export` has written it")
        yield Line(number, str(value.get("scope", "project")), str(category), name, record)


def restore(
    project: tuple[str, str], path: str, lines: list[Line], *, is_dry: bool = False, merges: bool = False
) -> list[Restored]:
    """Write the memories of an export, all in one operation that can be undone.

    A memory that the store has with the same record stays. Where another one has its id, it is skipped; with `merges`
    both are merged by field. What is written is unreviewed unless the user vouches for the same text on this machine.
    """
    if is_dry:
        with StoreFiles(project[1]) as files:
            return _Restore(project[1], files, None, merges).run(path, lines)
    with writing(*project, "import") as transaction, StoreFiles(project[1]) as files:
        transaction.trust.given = UNREVIEWED
        return _Restore(project[1], files, transaction, merges).run(path, lines)


class _Restore:
    """Writes lines into a store; without a transaction it only says what it would do."""

    def __init__(self, memory_dir: str, files: StoreFiles, transaction: Transaction | None, merges: bool) -> None:
        self._memory_dir = memory_dir
        self._files = files
        self._transaction = transaction
        self._merges = merges

    def run(self, source: str, lines: list[Line]) -> list[Restored]:
        return [self._take(line, f"{source}#{line.number}") for line in lines]

    def _take(self, line: Line, where: str) -> Restored:
        done = Restored(where, "skipped", line.category, str(line.record.get("title", "")))
        try:
            if not _ID.fullmatch(line.id):
                raise InputError("its id cannot be the name of a file", "give it another id")
            done.path = path_of(line.category, line.id)
            self._write(line, done)
        except CuecardError as error:
            done.status, done.why = "failed", error.what
        return done

    def _write(self, line: Line, done: Restored) -> None:
        admitted = admit_stored(line.record) if "id" in line.record else admit_record(line.record)
        done.secrets = [found.kind for found in admitted.redactions]
        record, there = admitted.fields, _read_there(self._files, done.path)
        if there is not None and there != record and not self._merges:
            done.why = "another memory has this id; `--on-similar update` merges both by field"
            return
        if there is not None:
            record = there if there == record else merge_records(None, there, record).record
        if record == there:
            done.status = "unchanged"
            return
        data = encode_to_fit(record)
        read = read_memory_file(line.category, done.path, data)
        if not isinstance(read, MemoryFile) or not read.has_known_status:
            raise InputError(read if isinstance(read, str) else "its status is not known", "repair the line")
        found = find_in_shared(self._memory_dir, record)
        if found and levels_of_files(self._memory_dir, [data])[0] == UNREVIEWED:
            done.why = f"it has {describe_personal_data(found)}"
            return
        done.status = "created" if there is None else "updated"
        if self._transaction is not None:
            self._transaction.write(line.category, done.path, record)


def _read_there(files: StoreFiles, path: str) -> Fields | None:
    """The record in a store at a path; None if there is none. Raises CuecardError if the file is no record."""
    try:
        data = files.read(path)[0]
    except Unread as unread:
        if unread.words == Unread.MISSING:
            return None
        raise InputError(f"`{path}` {unread.words}", "see what `cuecard health` says about it") from None
    return decode(data, f"`{path}`")


def _read_head(head: bytes) -> Fields:
    try:
        value = json.loads(head)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
