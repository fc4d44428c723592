"""The judged pairs are complete and name memories that exist."""

import json
from collections import Counter

import pytest
from jsonschema import Draft202012Validator

from cuecard.store.records.schemas import load_schema
from relation_pairs import (
    EVALUATION,
    VERDICTS,
    as_record,
    read_pairs,
    read_project_memories,
    read_store,
    read_store_lists,
    read_unrelated,
)

CATEGORIES = ("session_summary", "decision", "runbook", "constraint", "tech_debt", "preference")


def test_there_are_ten_pairs_of_each_verdict_in_six_domains_and_four_languages() -> None:
    pairs = read_pairs()
    assert Counter(pair.verdict for pair in pairs) == dict.fromkeys(VERDICTS, 10)
    assert len({pair.domain for pair in pairs}) >= 6
    assert len({language for pair in pairs for language in pair.languages}) >= 4
    assert sum(pair.languages[0] != pair.languages[1] for pair in pairs) >= 8
    assert len({pair.id for pair in pairs}) == len(pairs)


def test_each_store_has_200_memories_besides_the_one_of_a_pair() -> None:
    stores = read_store_lists()
    assert len(stores) == 8
    assert all(len(set(memories)) == len(memories) == 161 for memories in stores.values())
    assert len({pair.existing["id"] for pair in read_pairs()}) == 201 - 161
    assert Counter(pair.store for pair in read_pairs()).keys() == stores.keys()


def test_there_are_200_unrelated_drafts_of_other_projects_than_the_stores() -> None:
    stores = read_store_lists()
    drafts = read_unrelated()
    assert Counter(draft.store for draft in drafts) == dict.fromkeys(stores, 25)
    assert sum(draft.draft is not None for draft in drafts) == 64
    for draft in drafts:
        assert (draft.draft is None) == bool(draft.project)
        assert draft.project not in {project for project, _ in stores[draft.store]}


def test_every_text_is_used_once() -> None:
    written = [memory for pair in read_pairs() for memory in (pair.existing, pair.draft)]
    written += [draft.draft for draft in read_unrelated() if draft.draft is not None]
    assert len({memory["id"] for memory in written}) == len(written)
    assert len({memory["title"] for memory in written}) == len(written)


def test_every_memory_is_a_valid_record() -> None:
    validators = {name: Draft202012Validator(json.loads(load_schema(name))) for name in CATEGORIES}
    written = [memory for pair in read_pairs() for memory in (pair.existing, pair.draft)]
    written += [draft.draft for draft in read_unrelated() if draft.draft is not None]
    for memory in written:
        record = as_record(memory)
        assert list(validators[record["category"]].iter_errors(record)) == [], memory["id"]


@pytest.mark.skipif(not EVALUATION.is_dir(), reason="the evaluation set is not here")
def test_every_reference_names_a_memory() -> None:
    named = [reference for memories in read_store_lists().values() for reference in memories]
    named += [(draft.project, draft.memory) for draft in read_unrelated() if draft.project]
    known = {project: read_project_memories(project).keys() for project in {project for project, _ in named}}
    assert [(project, memory) for project, memory in named if memory not in known[project]] == []
    for name in read_store_lists():
        assert len({memory["id"] for memory in read_store(name)}) == 201
