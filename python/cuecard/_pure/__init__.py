"""The pure twin of the recall path: the same functions as `cuecard._native`, value for value.

File names equal those of `rust/core/src`. Nothing here touches a file, the clock or the environment.
"""

from .config import read_config
from .host import budget_of, is_too_short, read_payload, write_answer
from .index import Index
from .index_line import parse_index_line
from .keyword import score_description, score_entry
from .record import check_record
from .render import render
from .sanitize import sanitize_title
from .strategy import find_strategy, revision_of
from .timestamp import parse_timestamp
from .tokenize import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .rebuild import rebuild_index

__all__ = [
    "Index",
    "budget_of",
    "check_record",
    "find_strategy",
    "is_too_short",
    "parse_index_line",
    "parse_timestamp",
    "read_config",
    "read_payload",
    "rebuild_index",
    "render",
    "revision_of",
    "sanitize_title",
    "score_description",
    "score_entry",
    "tokenize",
    "write_answer",
]


def __getattr__(name: str) -> object:
    # Loaded when an index is missing, which is next to never: not on every prompt's import path.
    if name == "rebuild_index":
        from .rebuild import rebuild_index

        return rebuild_index
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
