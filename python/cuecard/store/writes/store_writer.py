"""Reads and writes a project's memories. The modules for writing are loaded with the first write."""

from ..records.store_reader import StoreReader, check_choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from ...basics.options import Category, WriteTrust
    from ..records.record_file import Fields
    from .written import Written

# Where a text comes from. `own` was typed by the user, and `drafted` comes from an agent or a program.
DRAFTED: "Final" = "drafted"
TRUSTS = ("own", DRAFTED, "accepted", "unreviewed")


class StoreWriter(StoreReader):
    """Read and write access to the memories of a project.

    Every write takes the store's lock, replaces whole files and updates the index and the snapshot. It raises
    `LockError` if other processes hold the lock for 30 seconds, and `WriteError` if a file cannot be written. Whatever
    is raised, no memory is lost or half-written.
    """

    def add(self, record: "Fields", *, category: "Category | None" = None, trust: "WriteTrust" = DRAFTED) -> "Written":
        """Create a memory from `title`, `tags` and the `content` of its category.

        `category` overrides the category in the record. If the same memory exists, the result is `unchanged`. A session
        summary beyond `max_retained` retires the oldest, and active memories that `cuecard.supersedes` names are
        retired. `trust` says where the text comes from: `own` if the user typed it, `drafted` if an agent or a program
        made it, `accepted` if the user has read it, `unreviewed` if it comes from another source. A memory that repeats
        or replaces unreviewed memories is unreviewed, and so is a draft that addresses the model, its tools or secrets.

        Raises `ValidationError`; `OverwriteError` if an active or archived memory with other content has the id;
        `ResurrectionError` if a memory with the id was retired within 24 hours; `LimitError` if the category is full;
        `InputError` if the memory supersedes itself.
        """
        check_choice("trust", trust, TRUSTS)
        from .write_memory import add_memory

        return self._told(add_memory(self.project, record, category, trust))

    def update(
        self, name: str, patch: "Fields", *, expect_hash: str = "", summary: str = "", trust: "WriteTrust" = DRAFTED
    ) -> "Written":
        """Merge a patch, or a whole record, into a memory.

        `name` is an id, `CATEGORY/ID` or a path. Fields that the patch leaves out stay, and None removes an optional
        field. `summary` is added to the history, even if nothing else changes. A title with mostly other words renames
        the file. Active memories that the patch adds to `cuecard.supersedes` are retired. An unreviewed memory stays
        unreviewed, and with the `trust` `unreviewed` any memory becomes unreviewed. What the patch adds is judged as in
        `add`. The former text is not the user's any more if it comes back.

        Raises `ConflictError` if `expect_hash` is given and the file has another SHA-256; `MissingError`,
        `ValidationError`, `MergeError`, `StatusError`.
        """
        check_choice("trust", trust, TRUSTS)
        from .write_memory import update_memory

        return self._told(update_memory(self.project, name, patch, expect_hash, summary, trust))

    def retire(self, name: str, *, reason: str = "", expect_hash: str = "") -> "Written":
        """Retire a memory, so that recall no longer finds it; `gc` deletes it after the grace period.

        `reason` is added to the history. Raises `ConflictError` as `update` does, `MissingError`, and `StatusError` if
        the memory's status does not allow the change.
        """
        return self._step("retire", name, reason, expect_hash)

    def archive(self, name: str, *, reason: str = "", expect_hash: str = "") -> "Written":
        """Archive a memory, so that recall no longer finds it and `gc` never deletes it. Otherwise like `retire`."""
        return self._step("archive", name, reason, expect_hash)

    def restore(self, name: str, *, reason: str = "", expect_hash: str = "") -> "Written":
        """Make a retired or archived memory active again. It has the arguments and errors of `retire`."""
        return self._step("restore", name, reason, expect_hash)

    def _step(self, step: str, name: str, reason: str, expect_hash: str) -> "Written":
        from .write_memory import change_status

        return self._told(change_status(self.project, step, name, reason, expect_hash))

    def _told(self, written: "Written") -> "Written":
        """Return the result of a write. Subclasses that must react to each write override this method."""
        return written
