"""Builds the concept graphs for the vectors in `tests/vectors` (see the README there)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.retrieve.concept_graph import expand, make_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from cuecard._pure.retrieve.concept_graph import Edges

# One item for each term: its text, its impact, and the numbers of the documents that contain it.
Lists = list[tuple[str, int, list[int]]]


def graph_of(documents: int, lists: Lists) -> Edges:
    """The concept graph of a store with `documents` documents; `lists` gives the terms of these documents."""
    impacts: list[dict[str, int]] = [{} for _ in range(documents)]
    for text, impact, numbers in lists:
        for number in numbers:
            impacts[number][text] = impact
    return make_graph(impacts)


def graph_neighbours(documents: int, lists: Lists, terms: list[str]) -> object:
    edges = graph_of(documents, lists)
    return [edges.get(term, []) for term in terms]


def graph_expand(documents: int, lists: Lists, query: list[tuple[str, int]], hops: int, decay: int) -> object:
    return expand(graph_of(documents, lists), query, hops, decay)


GRAPH_PARTS: dict[str, Callable[..., Any]] = {"graph_expand": graph_expand, "graph_neighbours": graph_neighbours}
