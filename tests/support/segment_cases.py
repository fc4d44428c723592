"""Runs plain indexes and the formulas of BM25 for the vectors in `tests/vectors` (see the README there)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.retrieve import bm25

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from cuecard import Index
    from cuecard._pure.retrieve.bm25 import OfFields

Rows = list[Any]


def hex_of(data: bytes) -> str:
    return data.hex(" ", -4)


def documents_of(texts: Rows | None, terms: Rows | None, fields: Rows | None) -> Rows:
    """The documents of a case, in the form that an index takes.

    A case gives all documents in one form: as texts, as terms or as fields.
    """
    if fields is not None:
        return [dict(zip(("title", "tags", "body"), document, strict=True)) for document in fields]
    return texts if texts is not None else terms or []


def make_index(
    engine: ModuleType,
    texts: Rows | None = None,
    terms: Rows | None = None,
    fields: Rows | None = None,
    added: Rows | None = None,
    **settings: object,
) -> Index:
    index: Index = engine.Index.build(documents_of(texts, terms, fields), **{"analyzer": "words", **settings})
    if added is not None:
        index.add(added)
    return index


def plain_search(engine: ModuleType, query: str | list[str], k: int, **documents: Rows) -> object:
    return make_index(engine, **documents).search(query, k)


def plain_scores(engine: ModuleType, query: str | list[str], **documents: Rows) -> object:
    return make_index(engine, **documents).scores(query)


def plain_explain(engine: ModuleType, query: str | list[str], number: int, **documents: Rows) -> object:
    return make_index(engine, **documents).explain(query, number)


def impact(k1: float, weights: OfFields, bs: OfFields, averages: OfFields, lengths: Rows, counts: Rows) -> int:
    return bm25.impacts((k1, weights, bs), averages, lengths, {"term": counts})["term"]


# Functions that run a case on a plain index.
OUTER: dict[str, Callable[..., Any]] = {
    "plain_explain": plain_explain,
    "plain_scores": plain_scores,
    "plain_search": plain_search,
}

# Functions that no backend exports. Here the pure functions run; the native ones run in `rust/engine/tests/vectors`.
INNER: dict[str, Callable[..., Any]] = {
    "idf": bm25.idf,
    "impact": impact,
    "natural_log": bm25.natural_log,
    "weight": bm25.weight,
}
