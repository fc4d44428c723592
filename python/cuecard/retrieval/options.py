"""The options of searches and recalls, as types.

Methods take them as keyword arguments, `**options: Unpack[SearchOptions]`, so that type checkers and editors know their
names and values.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from datetime import date

    from typing_extensions import TypedDict

    from ..basics.options import Category, GateSetting, StatusFilter, Strategy
    from .boost import Boost
    from .rerank import Rerank

    Names = str | Iterable[str]
    # A `datetime` is a `date` too.
    DateBound = date | str | None
    Path = str | os.PathLike[str]
else:

    class TypedDict:
        """Replaces `typing.TypedDict`, as far as it is used here.

        With `import typing`, an empty `python3 -I -S` takes 2.4 times its CPU time.
        """

        def __init_subclass__(cls, total: bool = True) -> None:
            """Accept any subclass."""


class SearchOptions(TypedDict, total=False):
    """The options of `Store.search` and `Store.search_many`.

    Case does not matter in names. Dates are `datetime`, `date` or ISO text; without an offset they are UTC.
    """

    strategy: "Strategy | None"
    """The strategy for the search; it overrides `CUECARD_STRATEGY`, which overrides the settings."""
    categories: "Category | Iterable[Category]"
    """Only memories of these categories; a single name may be given without a list."""
    tags: "Names"
    """Only memories that have all of these tags."""
    status: "StatusFilter | Iterable[StatusFilter]"
    """Only memories with any of these statuses: `active` by default, `all` for every status."""
    since: "DateBound"
    """Only memories updated at or after this time."""
    until: "DateBound"
    """Only memories updated at or before this time; a day without a time includes the whole day."""
    path: "Path"
    """Only memories whose path in the store begins with this text, such as `decisions/`."""
    explain: bool
    """Whether hits have `parts`, which sum to their scores."""
    boost: "Boost | None"
    """A function that takes a hit, without parts, and returns a factor from 0 to 2 for its score.

    It is called for each of the `retrieval.candidate_pool` best hits; the factor 0 drops a hit. The new scores are
    rounded down, and the hits are sorted by them.
    """
    rerank: "Rerank | None"
    """A function that takes the text and its hits, best first after the boost, and returns the hits to keep, in order.

    It is called once for each text. It can drop and reorder hits, but not add any.
    """


class PromptOptions(TypedDict, total=False):
    """The options of `Store.inject`, `Store.trace` and `Store.why_silent`; each overrides the settings."""

    setting: "GateSetting | None"
    """How sure the gate has to be that a memory helps; `off` shows every memory and asks no judge."""
    limit: int | None
    """The most memories that are shown, 1 or more."""
    strategy: "Strategy | None"
    """The strategy for the search; it overrides `CUECARD_STRATEGY`, which overrides the settings."""


class RecallOptions(PromptOptions, total=False):
    """The options of `Store.recall`: those of `inject`, and options for hits."""

    explain: bool
    """Whether hits have `parts`, which sum to their scores."""
    boost: "Boost | None"
    """As in a search. It gets the memories that pass the gate, and can reorder and drop them, but not add any."""
    rerank: "Rerank | None"
    """As in a search. It gets the memories that pass the gate and the boost."""


def check_names(options: "Mapping[str, object]", *known: type) -> None:
    """Raise TypeError for an unknown option, as a call with an unknown argument does."""
    names = [name for options_type in known for name in options_type.__annotations__]
    for name in options:
        if name not in names:
            raise TypeError(f"there is no option `{name}`; the options are {', '.join(names)}")
