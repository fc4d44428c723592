"""The filters of the commands that choose memories: `search` and `export`."""

from ..basics.light_dataclass import dataclass
from .arguments import option
from .parameters import ONLY_CATEGORIES, ONLY_PATH, ONLY_TAGS, SINCE, UNTIL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..basics.options import Category, StatusFilter
    from ..retrieval.options import SearchOptions


@dataclass
class FiltersGiven:
    """The options that say which memories count."""

    categories: "list[Category]" = ONLY_CATEGORIES
    tags: list[str] = ONLY_TAGS
    statuses: "list[StatusFilter]" = option(
        "--status",
        metavar="STATUS",
        dest="statuses",
        is_repeatable=True,
        help="`active`, `retired`, `archived` or `all`; repeatable. By default `search` finds active ones, and "
        "`export` takes all.",
    )
    since: str | None = SINCE
    until: str | None = UNTIL
    path: str = ONLY_PATH

    def options(self, statuses: "Sequence[StatusFilter]") -> "SearchOptions":
        """The options of a search with these filters, and with `statuses` where none are given."""
        return {
            "categories": self.categories or (),
            "tags": self.tags or (),
            "status": self.statuses or tuple(statuses),
            "since": self.since,
            "until": self.until,
            "path": self.path,
        }
