"""Values that are drawn once for all properties, where each example needs many of them.

Hypothesis spends most of the time of such a property on drawing, choice by choice; a value of a pool is one choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

Value = TypeVar("Value")

# With fewer examples of a property a pool costs more than it saves.
LEAST_EXAMPLES = 200
SIZE = 400

_pools: list[tuple[Callable[[], SearchStrategy[Any]], list[Any]]] = []


def pooled(make: Callable[[], SearchStrategy[Value]]) -> SearchStrategy[Value]:
    """One of `SIZE` values of the strategy that `make` returns; with few examples that strategy itself."""
    if not _are_worth_it():
        # Hypothesis takes functions alone, and some of these are cached ones.
        return st.deferred(lambda: make())
    values: list[Value] = []
    _pools.append((make, values))
    return st.deferred(lambda: st.sampled_from(values))


def fill_pools() -> None:
    """Draw the values of all pools, those of the first ones first. It has to be done outside of a property."""
    while _pools:
        make, values = _pools.pop(0)
        _fill(make(), values)
        # A failing example becomes simpler towards the first one.
        values.sort(key=lambda value: len(repr(value)))


def _fill(strategy: SearchStrategy[Any], values: list[Any]) -> None:
    @settings(
        max_examples=SIZE,
        phases=[Phase.generate],
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(value: object) -> None:
        values.append(value)

    draw()


def _are_worth_it() -> bool:
    return settings.default is not None and settings.default.max_examples >= LEAST_EXAMPLES
