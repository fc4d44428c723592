"""The judged pairs of memories are complete, and the memories that they name exist."""

import json
from collections import Counter
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cuecard.files.schemas import load_schema
from relation_pairs import (
    EVALUATION,
    FIRST,
    SECOND,
    SETS,
    VERDICTS,
    as_record,
    read_pairs,
    read_project_memories,
    read_store,
    read_store_lists,
    read_unrelated,
)

CATEGORIES = ("session_summary", "decision", "runbook", "constraint", "tech_debt", "preference")


@pytest.mark.parametrize("of_set", SETS)
def test_there_are_ten_pairs_of_each_verdict_in_six_domains_and_four_languages(of_set: str) -> None:
    pairs = read_pairs(of_set)
    assert Counter(pair.verdict for pair in pairs) == dict.fromkeys(VERDICTS, 10)
    assert len({pair.domain for pair in pairs}) >= 6
    assert len({language for pair in pairs for language in pair.languages}) >= 4
    assert sum(pair.languages[0] != pair.languages[1] for pair in pairs) >= 8
    assert len({pair.id for pair in pairs}) == len(pairs)


def test_the_sets_have_no_domain_in_common() -> None:
    first, second = [{pair.domain for pair in read_pairs(of_set)} for of_set in SETS]
    assert not first & second


@pytest.mark.parametrize("of_set", SETS)
def test_each_store_has_200_memories_besides_the_one_of_a_pair(of_set: str) -> None:
    stores = read_store_lists()
    assert len(stores) == 8
    assert all(len(set(memories)) == len(memories) == 161 for memories in stores.values())
    assert len({pair.existing["id"] for pair in read_pairs(of_set)}) == 201 - 161
    assert Counter(pair.store for pair in read_pairs(of_set)).keys() == stores.keys()


def test_the_first_set_has_200_unrelated_drafts_of_other_projects_than_the_stores() -> None:
    stores = read_store_lists()
    drafts = read_unrelated(FIRST)
    assert Counter(draft.store for draft in drafts) == dict.fromkeys(stores, 25)
    assert sum(draft.draft is not None for draft in drafts) == 64
    for draft in drafts:
        assert (draft.draft is None) == bool(draft.project)
        assert draft.project not in {project for project, _ in stores[draft.store]}


def test_the_second_set_has_100_unrelated_drafts_that_are_written_out() -> None:
    drafts = read_unrelated(SECOND)
    assert len(drafts) == 100
    assert all(draft.draft for draft in drafts)
    counts = Counter(draft.store for draft in drafts)
    assert counts.keys() == read_store_lists().keys()
    assert set(counts.values()) == {12, 13}


def test_every_text_is_used_once() -> None:
    written = _written()
    assert len({memory["id"] for memory in written}) == len(written)
    assert len({memory["title"] for memory in written}) == len(written)


def test_every_memory_is_a_valid_record() -> None:
    validators = {name: Draft202012Validator(json.loads(load_schema(name))) for name in CATEGORIES}
    for memory in _written():
        record = as_record(memory)
        assert list(validators[record["category"]].iter_errors(record)) == [], memory["id"]


@pytest.mark.skipif(not EVALUATION.is_dir(), reason="the evaluation set is not on this machine")
def test_every_reference_names_a_memory() -> None:
    named = [reference for memories in read_store_lists().values() for reference in memories]
    named += [(draft.project, draft.memory) for draft in read_unrelated() if draft.project]
    known = {project: read_project_memories(project).keys() for project in {project for project, _ in named}}
    assert [(project, memory) for project, memory in named if memory not in known[project]] == []
    for name in read_store_lists():
        for of_set in SETS:
            assert len({memory["id"] for memory in read_store(name, of_set)}) == 201


def _written() -> list[dict[str, Any]]:
    """Every memory whose text is written in a set."""
    pairs = [pair for of_set in SETS for pair in read_pairs(of_set)]
    drafts = [draft.draft for of_set in SETS for draft in read_unrelated(of_set)]
    return [memory for pair in pairs for memory in (pair.existing, pair.draft)] + [draft for draft in drafts if draft]
