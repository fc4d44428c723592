"""What a search and a recall can be given beside their texts: each list of options stands here, once.

Methods take them as keyword arguments, `**options: Unpack[SearchOptions]`, so that type checkers and editors know
their names and values.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from datetime import date

    from typing_extensions import TypedDict

    from ..settings.options import Category, GateSetting, StatusFilter, Strategy
    from .boost import Boost
    from .rerank import Rerank

    Names = str | Iterable[str]
    # A `datetime` is a `date` too.
    DateBound = date | str | None
    Path = str | os.PathLike[str]
else:

    class TypedDict:
        """`typing.TypedDict` as far as it is used here.

        With `import typing`, an empty `python3 -I -S` takes 2.4 times its CPU time.
        """

        def __init_subclass__(cls, total: bool = True) -> None:
            """Any subclass will do."""


class SearchOptions(TypedDict, total=False):
    """The options of `Store.search` and `Store.search_many`.

    Names count in any case. Dates are `datetime`, `date` or ISO text; without an offset they are UTC.
    """

    strategy: "Strategy | None"
    """How to search; it takes precedence over `CUECARD_STRATEGY`, and that over the settings."""
    categories: "Category | Iterable[Category]"
    """Only memories of any of these categories; one name may stand for a list of it."""
    tags: "Names"
    """Only memories that have all of these tags."""
    status: "StatusFilter | Iterable[StatusFilter]"
    """Only memories with any of these statuses: `active` by default, `all` for every one."""
    since: "DateBound"
    """Only what was updated at that time or later."""
    until: "DateBound"
    """Only what was updated at that time or before; a day without a time stands for its end."""
    path: "Path"
    """Only files whose path in the store begins so, such as `decisions/`."""
    explain: bool
    """Whether hits have `parts`, which sum to their scores."""
    boost: "Boost | None"
    """A function of a hit, without parts, that gives a factor of 0 to 2 for its score, which is then rounded down.

    It is asked about each of the `retrieval.candidate_pool` best; 0 drops the hit. The order follows the new scores.
    """
    rerank: "Rerank | None"
    """A function of the text and its hits, best first and after the boost, that gives the hits to keep, in its order.

    It is called once for each text. It can leave out and reorder, and adds nothing.
    """


class PromptOptions(TypedDict, total=False):
    """The options of `Store.inject`, `Store.trace` and `Store.why_silent`; each takes precedence over the settings."""

    setting: "GateSetting | None"
    """How sure the gate has to be that a memory helps; `off` lets everything through and asks no judge."""
    limit: int | None
    """How many memories are shown at most, 1 or more."""
    strategy: "Strategy | None"
    """How to search; it takes precedence over `CUECARD_STRATEGY`, and that over the settings."""


class RecallOptions(PromptOptions, total=False):
    """The options of `Store.recall`: those of `inject`, and what concerns hits."""

    explain: bool
    """Whether hits have `parts`, which sum to their scores."""
    boost: "Boost | None"
    """As in a search, for what the gate lets through: it reorders and drops, and never opens the gate."""
    rerank: "Rerank | None"
    """As in a search, for what the gate lets through and the boost keeps."""


def check_names(options: "Mapping[str, object]", *known: type) -> None:
    """Raises TypeError for an option of another name, as a call with an unknown argument does."""
    names = [name for options_type in known for name in options_type.__annotations__]
    for name in options:
        if name not in names:
            raise TypeError(f"there is no option `{name}`; the options are {', '.join(names)}")
