"""Finds out which documents of a snapshot the user vouches for (SPEC 45.11).

The answer is kept in the user's data folder, so that a prompt need not look up every memory.
"""

from ...files.folder import PRIVATE_FILE
from ...files.trust_levels import read_changes, vouched_among
from ...files.user_folder import open_store_folder, read_kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sized
    from typing import Protocol

    from ..memory.stored_document import StoredDocument

    class Snapshot(Sized, Protocol):
        """The documents of a store."""

        documents: list[StoredDocument]

        def identity(self) -> tuple[int, int]:
            """A checksum of the documents, and their number."""


FILE = "vouched"
HEAD = "cuecard vouched 1 "
# The file has one byte for each document of a store in which some are vouched for.
MAX_BYTES = 1 << 26
ALL, NONE = "all", "none"


class VouchedTable:
    """For each document of a snapshot whether the user vouches for it."""

    def __init__(self, snapshot: "Snapshot", memory_dir: str) -> None:
        """Read the table of the snapshot of a store, or make it and keep it if it is missing or no longer right."""
        self._snapshot = snapshot
        self._memory_dir = memory_dir
        # Whether everything was looked up now.
        self.is_new = False
        changes = read_changes()
        checksum, documents = snapshot.identity()
        self._head = f"{HEAD}{changes}\n{checksum:08x} {documents} "
        # None if the user vouches for nothing.
        self._flags: str | None = NONE if changes is None else self._read()
        if self._flags is None:
            self.renew()

    def renew(self) -> None:
        """Look up everything again, and keep it. It is not kept if the data folder cannot be written."""
        prefixes = [document.trust for document in self._snapshot.documents]
        vouched = vouched_among(self._memory_dir, prefixes)
        flags = "".join(["1" if prefix in vouched else "0" for prefix in prefixes])
        self._flags = ALL if "0" not in flags else NONE if "1" not in flags else flags
        self.is_new = True
        folder = open_store_folder(self._memory_dir, make=True)
        if folder is None:
            return
        with folder:
            try:
                folder.replace(FILE, f"{self._head}{self._flags}\n".encode(), mode=PRIVATE_FILE, durable=False)
            except OSError:
                return

    def says(self, position: int) -> bool:
        """Whether the user vouches for the document at a position."""
        flags = self._flags or NONE
        return flags == ALL or (flags != NONE and flags[position : position + 1] == "1")

    def unvouched(self) -> set[int] | None:
        """The positions of the documents that nobody vouches for; None if the user vouches for all or for none."""
        if self._flags in (ALL, NONE, None):
            return None
        return {place for place, flag in enumerate(self._flags or "") if flag != "1"}

    def _read(self) -> str | None:
        text = (read_kept(self._memory_dir, FILE, limit=MAX_BYTES) or b"").decode("ascii", "replace")
        if not text.startswith(self._head) or not text.endswith("\n"):
            return None
        flags = text[len(self._head) : -1]
        return flags if flags in (ALL, NONE) or len(flags) == len(self._snapshot) else None


class JoinedTable:
    """For each document of several stores whether the user vouches for it."""

    def __init__(self, places: "list[tuple[int, int]]", tables: "list[VouchedTable]") -> None:
        """`places` has for each document its store and its place there, `tables` the table of each store."""
        self._places = places
        self._tables = tables

    @property
    def is_new(self) -> bool:
        """Whether everything was looked up now."""
        return all(table.is_new for table in self._tables)

    def renew(self) -> None:
        """Look up everything again, and keep it."""
        for table in self._tables:
            table.renew()

    def says(self, position: int) -> bool:
        """Whether the user vouches for the document at a position."""
        store, place = self._places[position]
        return self._tables[store].says(place)

    def unvouched(self) -> set[int] | None:
        """The positions of the documents that nobody vouches for; None if the user vouches for all or for none."""
        found = {position for position in range(len(self._places)) if not self.says(position)}
        return found if 0 < len(found) < len(self._places) else None
