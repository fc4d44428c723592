"""Reads memory files."""

from ...basics.light_dataclass import dataclass
from ...errors import InputError, MissingError, StoreError
from ...files.folder import Unread
from ...files.memory_files import list_records
from ...files.store_files import StoreFiles
from . import record_file
from .memory_file import INACTIVE
from .record_file import Fields, status_of


@dataclass(frozen=True)
class Memory:
    """A memory file as it was read."""

    data: bytes
    """The bytes of the memory's file."""

    category: str
    """The category that belongs to the file's folder."""
    path: str
    """The path of the memory's file, relative to the project."""
    record: Fields

    @property
    def hash(self) -> str:
        """The SHA-256 of the memory's file in hexadecimal, for `expect_hash`."""
        return record_file.content_hash(self.data)

    @property
    def id(self) -> str:
        """The name of the memory's file without `.json`."""
        return self.path.rpartition("/")[2].removesuffix(".json")

    @property
    def name(self) -> str:
        """CATEGORY/ID, which is unique in the store."""
        return f"{self.category}/{self.id}"

    @property
    def extension(self) -> Fields:
        """The record's own fields of cuecard; empty if it has none."""
        return record_file.extension_of(self.record)

    @property
    def title(self) -> str:
        """The record's title, or its id if it has no title."""
        title = self.record.get("title")
        return title if isinstance(title, str) else self.id

    @property
    def status(self) -> str:
        """`active`, `retired` or `archived`; `unknown` for any other text in the file."""
        status = status_of(self.record)
        return status if status == "active" or status in INACTIVE else "unknown"

    def as_dict(self) -> dict[str, object]:
        """Return what `--json` prints."""
        return {"category": self.category, "id": self.id, "path": self.path, "hash": self.hash, "record": self.record}


def read_memory(root: str, memory_dir: str, category: str, path: str) -> Memory:
    """Read the memory in the file at `path`.

    Raises `MissingError` if there is no file, `InputError` if it is damaged, and `StoreError` if the path is a link.
    """
    with StoreFiles(memory_dir) as files:
        return _read_memory(files, category, path)


def _read_memory(files: StoreFiles, category: str, path: str) -> Memory:
    try:
        data = files.read(path)[0]
    except Unread as unread:
        if unread.words == Unread.OUTSIDE:
            what = f"`{path}` is a link or outside the store"
            raise StoreError(what, "put the file itself into the store") from None
        if unread.words == Unread.MISSING:
            raise MissingError(f"`{path}` is missing", "`cuecard index rebuild` removes it from index.md") from None
        raise InputError(f"`{path}` {unread.words}", "see what `cuecard health` says about it") from None
    try:
        return Memory(data, category, path, record_file.decode(data, f"`{path}`"))
    except InputError as error:
        # The hint for bad input does not help with a damaged file.
        error.hint = "fix the file, or see what `cuecard health` says about it"
        raise


def read_memories(root: str, memory_dir: str, category: str | None = None) -> list[Memory]:
    """Read the memories of a category, or all of them, in the order of folders and names; skip unreadable files."""
    memories = []
    with StoreFiles(memory_dir) as files:
        for folder_category, path in list_records(memory_dir):
            if category in (None, folder_category):
                try:
                    memories.append(_read_memory(files, folder_category, path))
                except StoreError:
                    continue
    return memories
