"""Concept graphs as the vectors describe them (see the README of the vectors)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.concept_graph import ConceptGraph
from cuecard._pure.concept_graph_writer import GraphWriter
from cuecard._pure.dictionary import Dictionary, DictionaryWriter

if TYPE_CHECKING:
    from collections.abc import Callable

# Of each term its text, its impact and the numbers of its documents.
Lists = list[tuple[str, int, list[int]]]


def sections(documents: int, lists: Lists) -> tuple[bytes, bytes]:
    """The sections of the dictionary and of the graph."""
    dictionary, graph = DictionaryWriter(), GraphWriter(documents)
    for text, impact, numbers in lists:
        dictionary.push(text.encode(), 0, len(numbers), impact)
        graph.push([number << 8 | impact for number in numbers])
    return dictionary.finish(), graph.finish()


def make_graph(documents: int, lists: Lists, section: bytes | None) -> ConceptGraph:
    dictionary, made = sections(documents, lists)
    return ConceptGraph(memoryview(made if section is None else section), Dictionary(memoryview(dictionary)))


def graph_section(documents: int, lists: Lists) -> str:
    return sections(documents, lists)[1].hex(" ", -4)


def graph_neighbours(documents: int, lists: Lists, terms: list[str], section: bytes | None = None) -> object:
    graph = make_graph(documents, lists, section)
    return [graph.neighbours(term) for term in terms]


def graph_expand(documents: int, lists: Lists, query: list[tuple[str, int]], hops: int, decay: int) -> object:
    return make_graph(documents, lists, None).expand(query, hops, decay)


GRAPH_PARTS: dict[str, Callable[..., Any]] = {
    "graph_expand": graph_expand,
    "graph_neighbours": graph_neighbours,
    "graph_section": graph_section,
}
