"""Memory files on their way into a snapshot: read and counted one by one (SPEC 22.1, 23.2)."""

from . import layout
from .chars import scrub
from .document import Document, read_document
from .segment_builder import Builder
from .stored_document import StoredDocument, store_document
from .tokenize import tokenize
from .vectors import RowMaker

# Category by folder, path relative to the project, content (None: unreadable), size, modification time in nanoseconds.
File = tuple[str, str, "bytes | None", int, int]

# A larger memory file is not read.
MAX_FILE_BYTES = 262_144

IN_TITLE = 1
IN_TAGS = 2

BAD_LINE = "a `category` or `tags` that no index line can hold"


class Documents:
    """The documents of memory files, with what a segment keeps of them.

    Files may come one by one, so that a caller can stop between two of them.
    """

    __slots__ = ("_rows", "builder", "paths", "skipped", "stored", "unfit")

    def __init__(self, files: list[File] | None = None) -> None:
        """Of these files, in their order."""
        self.builder = Builder(layout.ANALYZERS.index("terms"))
        self.stored: list[StoredDocument] = []
        # The paths of all files, and path and stamp of those that were read and have no document.
        self.paths: list[str] = []
        self.unfit: dict[str, tuple[int, int]] = {}
        # Path and reason of each that has no document and does not say itself that it takes no part.
        self.skipped: list[tuple[str, str]] = []
        self._rows = RowMaker()
        for file in files or ():
            self.add(*file)

    def __len__(self) -> int:
        """How many files came, those without a document too."""
        return len(self.paths)

    def add(self, category: str, path: str, data: bytes | None, size: int, modified: int) -> None:
        """Read one more file."""
        self.paths.append(scrub(path))
        document = read_document(category, path, data)
        if not isinstance(document, Document):
            reason, is_inactive = document
            # One that cannot be read is tried again, unless it is too large.
            is_known = data is not None or size > MAX_FILE_BYTES
            self._leave_out(path, (size, modified), "" if is_inactive else reason, is_known=is_known)
            return
        stored = store_document(document, (size, modified))
        if stored is None:
            self._leave_out(path, (size, modified), BAD_LINE, is_known=True)
        else:
            self._push(document, stored)

    def _push(self, document: Document, stored: StoredDocument) -> None:
        builder = self.builder
        fields = document.fields()
        builder.push(fields)
        builder.push_row(*self._rows.document_row(*fields))
        self.stored.append(stored)
        parts = stored.parts()
        if parts:
            _category, title, _path, tags = parts
            for word in tokenize(title, "current"):
                builder.push_word(word, IN_TITLE)
            for word in tags:
                builder.push_word(word, IN_TAGS)
        for link in document.links():
            builder.push_link(link)

    def _leave_out(self, path: str, stamp: tuple[int, int], reason: str, *, is_known: bool) -> None:
        if is_known:
            self.unfit[scrub(path)] = stamp
        if reason:
            self.skipped.append((scrub(path), reason))
