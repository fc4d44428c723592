"""Values that are drawn once and shared by all property tests whose examples need many values.

Drawing the parts of a value one by one takes most of the time of such a test. Taking a value from a pool is only one
choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

Value = TypeVar("Value")

# With fewer examples, a pool takes more time than it saves.
LEAST_EXAMPLES = 200
SIZE = 400

_pools: list[tuple[Callable[[], SearchStrategy[Any]], list[Any]]] = []


def pooled(make: Callable[[], SearchStrategy[Value]]) -> SearchStrategy[Value]:
    """One of `SIZE` values, drawn in advance from the strategy that `make` returns.

    If a run has only few examples, the strategy itself is used.
    """
    if not _are_worth_it():
        # `st.deferred` only accepts functions, but `make` may be a cached function, which is an object.
        return st.deferred(lambda: make())
    values: list[Value] = []
    _pools.append((make, values))
    return st.deferred(lambda: st.sampled_from(values))


def fill_pools() -> None:
    """Draw the values of all pools, in the order in which the pools were created.

    This must not happen within a property test.
    """
    while _pools:
        make, values = _pools.pop(0)
        _fill(make(), values)
        # Hypothesis simplifies a failing example towards the first value of the pool.
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
