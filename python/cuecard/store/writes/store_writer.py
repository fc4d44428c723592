"""A project's memories: read, written, moved through their lives; what writing needs is loaded with the first write."""

from ...memory.trust_levels import OWN, UNREVIEWED
from ..records.store_reader import StoreReader, check_choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...settings.options import Category, WriteTrust
    from ..records.record_file import Fields
    from .written import Written

TRUSTS = (OWN, UNREVIEWED)


class StoreWriter(StoreReader):
    """The memories of a project, to be read and written.

    Every write takes the store's one lock, replaces whole files and brings what is derived from them up to date. It
    raises `LockError` when others write for 30 seconds, `WriteError` when the machine does not take it. Whatever is
    raised, no memory is lost or half-written.
    """

    def add(self, record: "Fields", *, category: "Category | None" = None, trust: "WriteTrust" = OWN) -> "Written":
        """Create a memory from `title`, `tags` and the `content` of its category.

        `category` goes before the record's own. The same memory once more is `unchanged`. A session summary beyond
        `max_retained` retires the oldest; active memories that `cuecard.supersedes` names are retired. `trust` is
        `unreviewed` for a text that comes from somewhere else; it is unreviewed too where it is based on such text.

        Raises `ValidationError`; `OverwriteError` where the id is taken by an active or archived memory of other
        content; `ResurrectionError` where it was retired within 24 hours; `LimitError` where the category is full;
        `InputError` where it supersedes itself.
        """
        check_choice("trust", trust, TRUSTS)
        from .write_memory import add_memory

        return self._told(add_memory(self.project, record, category, trust))

    def update(
        self, name: str, patch: "Fields", *, expect_hash: str = "", summary: str = "", trust: "WriteTrust" = OWN
    ) -> "Written":
        """Merge a patch, or a whole record, into a memory.

        `name` is an id, `CATEGORY/ID` or a path. What the patch leaves out stays, None takes an optional field away.
        `summary` is put into the history, also where nothing else changes. A title of mostly other words renames the
        file. Active memories that `cuecard.supersedes` newly names are retired. An unreviewed memory stays so; any is
        unreviewed afterwards with `trust` `unreviewed`.

        Raises `ConflictError` where `expect_hash` is given and the file has another SHA-256; `MissingError`,
        `ValidationError`, `MergeError`, `StatusError`.
        """
        check_choice("trust", trust, TRUSTS)
        from .write_memory import update_memory

        return self._told(update_memory(self.project, name, patch, expect_hash, summary, trust))

    def retire(self, name: str, *, reason: str = "", expect_hash: str = "") -> "Written":
        """Take a memory out of recall; `gc` deletes it after the grace period.

        `reason` goes into the history. Raises `ConflictError` as `update` does, `MissingError`, and `StatusError` where
        the memory's status does not allow it.
        """
        return self._step("retire", name, reason, expect_hash)

    def archive(self, name: str, *, reason: str = "", expect_hash: str = "") -> "Written":
        """Take a memory out of recall and keep it for good; the rest is as in `retire`."""
        return self._step("archive", name, reason, expect_hash)

    def unarchive(self, name: str, *, reason: str = "", expect_hash: str = "") -> "Written":
        """Make an archived memory active again; the rest is as in `retire`."""
        return self._step("unarchive", name, reason, expect_hash)

    def restore(self, name: str, *, reason: str = "", expect_hash: str = "") -> "Written":
        """Make a retired memory active again; the rest is as in `retire`."""
        return self._step("restore", name, reason, expect_hash)

    def _step(self, step: str, name: str, reason: str, expect_hash: str) -> "Written":
        from .write_memory import change_status

        return self._told(change_status(self.project, step, name, reason, expect_hash))

    def _told(self, written: "Written") -> "Written":
        """What a write did; for who has to hear of each."""
        return written
