"""Cues and priors: their tables, and properties that every prompt and memory have."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends import outcome
from cuecard import _pure as pure
from cuecard._pure.rank.priors import MAX_PRIOR, prior_points
from cuecard._pure.text.cues import CUES, find_cues
from format_strategies import json_files, prompts, texts
from settings_cases import seen

if TYPE_CHECKING:
    from types import ModuleType

    from hypothesis.strategies import SearchStrategy

TOOL = Path(__file__).parents[2] / "tools" / "gen_cues.py"
LASTING = ["DECISION", "CONSTRAINT", "PREFERENCE"]
CATEGORIES = st.sampled_from([*LASTING, "RUNBOOK", "TECH_DEBT", "SESSION_SUMMARY", "OWN"])
NOW = 1_700_000_000_000_000
DATES = st.one_of(st.none(), st.integers(-(2**63) + 1, 2**63 - 1), st.integers(NOW - 10**12, NOW + 10**12))
NUMBERS: SearchStrategy[object] = st.sampled_from(
    [0, -0.0, 0.1, 1, 7.5, 10, 16, 16.5, 60, 200, 1000, 36500, 36500.5, -1, 2**70, "1", None, True, [], {}]
)


def settings() -> SearchStrategy[bytes]:
    """Configurations with valid and invalid settings of recall."""
    switch = st.one_of(st.booleans(), NUMBERS)
    name: SearchStrategy[object] = st.sampled_from(["precise", "balanced", "eager", "off", "score", "rrf", "", 1])
    names = st.one_of(st.lists(st.one_of(CATEGORIES, texts(), NUMBERS), max_size=4), NUMBERS)
    weights = st.fixed_dictionaries({}, optional=dict.fromkeys(["lexical", "semantic", "graph"], NUMBERS))
    decay = st.fixed_dictionaries({}, optional={"half_life_days": NUMBERS, "categories": names})
    members: dict[str, SearchStrategy[Any]] = {
        **dict.fromkeys(["gate_setting", "fusion"], name),
        **dict.fromkeys(["rrf_k", "candidate_pool"], NUMBERS),
        **dict.fromkeys(["related_terms", "graph", "priors"], switch),
        "weights": st.one_of(weights, NUMBERS),
        "decay": st.one_of(decay, NUMBERS),
    }
    retrieval = st.one_of(st.fixed_dictionaries({}, optional=members), NUMBERS)
    return json_files(st.fixed_dictionaries({}, optional={"retrieval": retrieval}).map(json.dumps))


def decaying(half_life_days: float) -> bytes:
    """Settings with which memories lose points by age, in every category for which this is possible."""
    decay = {"half_life_days": half_life_days, "categories": ["runbook", "tech_debt", "session_summary", "own"]}
    return json.dumps({"retrieval": {"decay": decay}}).encode()


def test_the_tables_are_those_that_the_lists_make() -> None:
    if not TOOL.exists():
        pytest.skip("only the repository has the lists")
    specification = importlib.util.spec_from_file_location("gen_cues", TOOL)
    assert specification
    assert specification.loader
    tool = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(tool)
    assert tool.TARGET.read_text("utf-8") == tool.write_tables()


@given(st.one_of(prompts(), texts()))
def test_cues_are_some_of_those_that_there_are_in_their_order(prompt: str) -> None:
    cues = find_cues(prompt)
    assert cues == [cue for cue in CUES if cue in cues]
    if prompt.isascii():
        assert set(find_cues(prompt.upper())) ^ set(cues) <= {"tool_prefix"}


@given(
    st.lists(st.sampled_from(CUES), unique=True),
    st.lists(st.tuples(CATEGORIES, DATES, st.integers(0, 12_000)), min_size=2, max_size=2),
    st.sampled_from([0, 0.00001, 0.3, 7, 36500]),
)
def test_no_prior_lifts_a_memory_over_one_that_is_clearly_better(
    cues: list[str], memories: list[tuple[str, int | None, int]], half_life_days: float
) -> None:
    config = pure.read_settings(decaying(half_life_days), None)
    scores = []
    for category, updated_at, fused in memories:
        found = prior_points(cues, category, updated_at, NOW, config)
        assert all(points for _name, points in found)
        moved = sum(points for _name, points in found)
        assert abs(moved) <= MAX_PRIOR
        scores.append((fused, fused + moved))
    scores.sort()
    (worse, worse_moved), (better, better_moved) = scores
    if better - worse > 2 * MAX_PRIOR:
        assert better_moved > worse_moved


@given(DATES, st.sampled_from([0.00001, 7, 36500]))
def test_what_holds_until_it_is_retired_does_not_age(updated_at: int | None, half_life_days: float) -> None:
    config = pure.read_settings(decaying(half_life_days), None)
    config.decay_categories += LASTING
    assert [prior_points([], category, updated_at, NOW, config) for category in LASTING] == [[], [], []]


@given(st.integers(0, 10**16), st.integers(0, 10**16))
def test_the_older_never_loses_less(one: int, other: int) -> None:
    config = pure.read_settings(decaying(30), None)
    younger, older = (
        sum(points for _name, points in prior_points([], "RUNBOOK", NOW - age, NOW, config))
        for age in sorted((one, other))
    )
    assert older <= younger <= 0


@given(settings())
def test_settings_of_recall_are_read_alike(native: ModuleType, data: bytes) -> None:
    def values(engine: ModuleType) -> object:
        return seen(native, engine.read_settings(data, None))

    assert outcome(values, native) == outcome(values, pure)
