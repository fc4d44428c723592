"""Comparisons of vector rows, and model vectors in hybrid recall, with both backends (SPEC 42)."""

from __future__ import annotations

from itertools import pairwise
from math import isqrt
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from asking import ask
from backends import outcome
from cuecard import _pure as pure
from cuecard._pure.requests.request import Request
from cuecard.basics.light_dataclass import replace
from hybrid_cases import NUMBERS, SETTINGS, stored_files
from pooled import pooled
from recall_strategies import CONFIGS, NOW, changed_stores, histories, questions
from snapshot_cases import STORE, files_of
from snapshot_strategies import Filters, filters
from snapshots import build, embedded_in, position_of
from test_parity import answer
from test_recall import COUNTS, MANY, Change, open_change, paths_of

if TYPE_CHECKING:
    from types import ModuleType

Embedded = list[tuple[int, int]]

# Cosines as models give them, unusual cosines, and equal cosines.
COSINES = st.one_of(st.integers(-800, 4096), st.sampled_from([0, 300, 301, -4096, 4096, -(2**63), 2**63 - 1]))


# Pairs of position and cosine, in any order; most of the positions exist.
EMBEDDINGS = st.lists(pooled(lambda: st.tuples(st.integers(-1, 20), COSINES)), max_size=24)


@st.composite
def row_lists(draw: st.DrawFn) -> tuple[bytes, int, bytes]:
    """Rows, their dimension, and the row of a query; most queries have the same dimension."""
    dimension = draw(st.sampled_from([0, 1, 2, 3, 7, 16, 33]))
    signed = st.one_of(st.binary(max_size=dimension * 12 + 5), st.text("\x00\x01\x7f", max_size=60).map(str.encode))
    length = draw(st.sampled_from([dimension, dimension, dimension, dimension + 1]))
    return draw(signed), dimension, draw(st.binary(min_size=length, max_size=length))


# Rows


@given(row_lists(), st.sampled_from([0, 1, 2, 5, MANY]))
def test_both_backends_find_the_same_rows(native: ModuleType, rows: tuple[bytes, int, bytes], k: int) -> None:
    assert native.nearest_rows(*rows, k) == pure.nearest_rows(*rows, k)


@given(row_lists())
def test_the_nearest_rows_are_those_of_the_definition(reference: ModuleType, rows: tuple[bytes, int, bytes]) -> None:
    data, dimension, query = rows
    assume(dimension and len(query) == dimension and any(query))
    wanted = memoryview(query).cast("b").tolist()
    expected = []
    for number in range(len(data) // dimension):
        row = memoryview(data)[number * dimension : (number + 1) * dimension].cast("b").tolist()
        norms = isqrt(256 * sum(a * a for a in wanted)) * isqrt(256 * sum(a * a for a in row))
        if norms:
            expected.append((number, sum(a * b for a, b in zip(wanted, row, strict=True)) * 256 * 4096 // norms))
    found = reference.nearest_rows(data, dimension, query, MANY)
    assert sorted(found) == expected
    assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
    assert reference.nearest_rows(data, dimension, query, 2) == found[:2]


def test_many_long_rows_are_compared_in_parts(native: ModuleType) -> None:
    # The pure backend handles rows in blocks; these are more rows than one block has.
    rows = bytes(range(1, 256)) * 6 * 1000
    query = bytes(range(100, 255)) * 10
    assert pure.nearest_rows(rows, 1530, query[:1530], 1000) == native.nearest_rows(rows, 1530, query[:1530], 1000)
    assert len(pure.nearest_rows(rows, 1530, query[:1530], 2000)) == 1000


def test_there_are_no_more_than_65_536_columns(engine: ModuleType) -> None:
    row = b"\x80" * 65_537
    assert engine.nearest_rows(row, 65_536, row[1:], 1) == [(0, 4096)]
    assert engine.nearest_rows(row, 65_537, row, 1) == []


# Recall


@given(changed_stores(), questions(), histories(), CONFIGS, filters(), COUNTS, EMBEDDINGS)
def test_both_backends_choose_and_account_alike_with_vectors(
    native: ModuleType,
    change: Change,
    prompt: str,
    history: list[str],
    config: bytes,
    narrowed: Filters,
    k: int,
    embedded: Embedded,
) -> None:
    ours, theirs = open_change(native, change), open_change(pure, change)
    our_config, their_config = native.read_settings(config, None), pure.read_settings(config, None)
    for chosen in (narrowed, None):
        ours_asked = Request(prompt, k, our_config, history=history, now=NOW, filters=chosen, embedded=embedded)
        theirs_asked = replace(ours_asked, settings=their_config)
        ours_asked = replace(ours_asked, embedded=embedded_in(theirs, ours, embedded))
        for setting in ("balanced", "off"):
            assert answer(ours, "recall", ours_asked, setting) == answer(theirs, "recall", theirs_asked, setting)
    for path in paths_of(change):
        traced = outcome(ours.trace, position_of(ours, path), ours_asked)
        assert traced == outcome(theirs.trace, position_of(theirs, path), theirs_asked)


@given(changed_stores(), questions(), histories(), CONFIGS, COUNTS, EMBEDDINGS)
def test_parts_and_shares_sum_up_with_vectors(
    reference: ModuleType,
    change: Change,
    prompt: str,
    history: list[str],
    config: bytes,
    k: int,
    embedded: Embedded,
) -> None:
    snapshot: Any = open_change(reference, change)
    read = reference.read_settings(config, None)
    with_vector = {position for position, _cosine in embedded if snapshot.document(position)}
    asked = Request(prompt, k, read, history=history, now=NOW, embedded=embedded)
    for position, score, logit, _chance in snapshot.recall(asked, "off"):
        *_rest, parts, features = snapshot.trace(position, asked)
        assert sum(points for *_, points in parts) == score
        assert sum(share for _, _, share in features) == logit
        is_heeded = "embedding" in {name for name, *_ in features}
        assert is_heeded == (position in with_vector and len(with_vector) >= 5)
        if position not in with_vector:
            assert "embedding" not in {kind for kind, *_ in parts}


@given(changed_stores(), questions(), histories(), CONFIGS, COUNTS)
def test_without_a_vector_of_theirs_documents_are_recalled_as_ever(
    reference: ModuleType, change: Change, prompt: str, history: list[str], config: bytes, k: int
) -> None:
    snapshot, read = open_change(reference, change), reference.read_settings(config, None)
    asked = Request(prompt, k, read, history=history, now=NOW)
    for setting in SETTINGS:
        as_ever = snapshot.recall(asked, setting)
        for embedded in (None, [], [(-1, 4096), (999, 4096)]):
            assert snapshot.recall(replace(asked, embedded=embedded), setting) == as_ever


@given(changed_stores(), questions(), EMBEDDINGS, st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_makes_no_difference(
    reference: ModuleType, change: Change, prompt: str, embedded: Embedded, chance: object
) -> None:
    snapshot: Any = open_change(reference, change)
    once = list(dict(reversed(embedded)).items())
    asked = [ask(snapshot, prompt, MANY, now=NOW, embedded=pairs) for pairs in (once, once[::-1], embedded)]
    found = [snapshot.recall(request, "off") for request in asked]
    assert found[0] == found[1] == found[2]


def backend(engine: ModuleType) -> tuple[Any, list[str]]:
    """A snapshot of `backend`, a store of the test vectors, and the paths of its documents by position."""
    files = files_of(stored_files("backend"))
    snapshot: pure.Snapshot = build(engine, files, NUMBERS)
    described = [snapshot.document(position) for position in range(len(snapshot))]
    return snapshot, [engine.parse_index_line(document[0])[2].removeprefix(STORE) for document in described if document]


@pytest.mark.parametrize("scale", [(1, 0), (1, 2500), (3, -900), (6, -4000)], ids=str)
def test_another_scale_of_cosines_ranks_alike(engine: ModuleType, scale: tuple[int, int]) -> None:
    """Models whose cosines are shifted, or have a larger spread, give the same order of memories."""
    snapshot, paths = backend(engine)
    factor, offset = scale
    plain = [(position, 100 + 37 * (position * 7 % len(paths))) for position in range(len(paths))]
    scaled = [(position, factor * cosine + offset) for position, cosine in plain]
    config = engine.read_settings(b'{"retrieval": {"weights": {"semantic": 0}, "priors": false}}', None)
    asked = Request("xyzzy", MANY, config, now=NOW)
    found = [snapshot.recall(replace(asked, embedded=embedded), "off") for embedded in (plain, scaled)]
    assert [row[0] for row in found[0]] == [row[0] for row in found[1]]
    assert len(found[0]) > 5
    # If all cosines are shifted by the same value, nothing changes, not even the scores.
    assert factor != 1 or found[0] == found[1]


def test_the_nearer_a_model_finds_a_memory_the_better_it_does(engine: ModuleType) -> None:
    snapshot, paths = backend(engine)
    rollback = paths.index("runbooks/rollback.json")
    found = []
    for cosine in range(-400, 3200, 400):
        embedded = [(position, 300 + 17 * (position % 5)) for position in range(len(paths)) if position != rollback]
        embedded.append((rollback, cosine))
        asked = ask(snapshot, "undo yesterday's deployment", MANY, now=NOW, embedded=embedded)
        recalled = {row[0]: row[1:3] for row in snapshot.recall(asked, "off")}
        found.append(recalled[rollback])
    assert all(before[0] <= after[0] and before[1] <= after[1] for before, after in pairwise(found))
    assert found[0][0] < found[-1][0]
    assert found[0][1] + 1024 < found[-1][1]
