"""The filters that decide which documents of a snapshot a search accepts (SPEC 22.5)."""

from ...basics.chars import scrub
from ...errors import UsageError
from ..memory.document import STATUSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..memory.stored_document import StoredDocument
    from ..requests.request import Filters

ACTIVE_ONLY: "Filters" = ([], [], ["active"], None, None, "")
_CAPITALS = {point: point - 32 for point in range(0x61, 0x7B)}
STORE_PREFIX = ".claude/memory/"


class Acceptance:
    """The filters of a search, prepared for testing many documents."""

    def __init__(self, filters: "Filters") -> None:
        """No statuses means any status; categories are compared in capitals. Raises UsageError for a bad status."""
        categories, tags, statuses, self._since, self._until, path = filters
        self._categories = frozenset(scrub(category).translate(_CAPITALS) for category in categories)
        self._tags = frozenset(map(scrub, tags))
        self._path = scrub(path)
        for name in statuses:
            if name not in STATUSES:
                raise UsageError(f"unknown status `{scrub(name)}`", f"use `{'` or `'.join(STATUSES)}`")
        self._statuses = frozenset(STATUSES.index(name) for name in statuses) or frozenset(range(len(STATUSES)))
        self._is_by_status = not (
            categories or tags or self._path or self._since is not None or self._until is not None
        )

    def takes(self, document: "StoredDocument") -> bool:
        """Whether the filters accept a document."""
        if document.status not in self._statuses:
            return False
        if self._is_by_status:
            return True
        category, _title, path, tags = document.parts()
        since, until, updated = self._since, self._until, document.updated_at
        return (
            (since is None or (updated is not None and updated >= since))
            and (until is None or (updated is not None and updated <= until))
            and (not self._categories or category in self._categories)
            and self._tags.issubset(tags)
            and path.removeprefix(STORE_PREFIX).startswith(self._path)
        )
