"""Turns memory files into documents: terms, links and vectors of their texts (SPEC 19, 22.1, 23.2)."""

from ...basics.chars import scrub
from ...files.trust_levels import PREFIX_CHARS
from ..memory.document import Document, read_document
from ..memory.stored_document import MAX_SIZE, StoredDocument, count_terms, store_document
from ..memory.trust_hash import trust_hash
from ..retrieve.vectors import bytes_of, document_row
from ..text.terms import document_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.memory_files import File
    from ..memory.stored_document import Stamp

# Memory files larger than this are not read.
MAX_FILE_BYTES = 262_144

BAD_LINE = "a `category` or `tags` that an index line cannot contain"


class Documents:
    """The documents of memory files. Files can be added one by one, so that a caller can stop between two files."""

    def __init__(self, files: "list[File] | None" = None) -> None:
        """Read the given files, in their order."""
        self.stored: list[StoredDocument] = []
        # The paths of all files, and the stamps of the files that were read but gave no document.
        self.paths: list[str] = []
        self.unfit: dict[str, Stamp] = {}
        # Path and reason of each file without a document, except files whose memory is marked as inactive.
        self.skipped: list[tuple[str, str]] = []
        for file in files or ():
            self.add(*file)

    def __len__(self) -> int:
        """The number of files, including those without a document."""
        return len(self.paths)

    def add(self, category: str, path: str, data: bytes | None, size: int, modified: int) -> None:
        """Read one more file; `data` is None if it cannot be read."""
        path = scrub(path)
        self.paths.append(path)
        stamp = min(size, MAX_SIZE), modified
        document = read_document(category, path, data)
        if isinstance(document, Document):
            title, tags, questions, body = document.fields()
            asked = [question for question in questions.split("\n") if question]
            texts = [count_terms(document_terms(text)) for text in (title, tags, body, *asked)]
            vectors = [document_row(title, tags, body)] + [document_row("", "", question) for question in asked]
            stored = store_document(document, stamp, texts, [bytes_of(row) for row, _norm in vectors])
            if stored:
                stored.trust = (trust_hash(data or b"") or "")[:PREFIX_CHARS]
                self.stored.append(stored)
                return
            reason, is_inactive, is_known = BAD_LINE, False, True
        else:
            reason, is_inactive = document
            # An unreadable file is not recorded, so that it is tried again, unless it is too large.
            is_known = data is not None or size > MAX_FILE_BYTES
        if is_known:
            self.unfit[path] = stamp
        if not is_inactive:
            self.skipped.append((path, reason))
