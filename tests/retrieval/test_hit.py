"""Hits as values: they are equal, do not change, and can be copied and written as JSON."""

import copy
import json
import pickle
from typing import Any

import pytest

from cuecard import Hit, Part, Strategy

PROMPT = "why is the hook not a python script?"
STRATEGIES: tuple[Strategy, ...] = ("hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic")
DESCRIPTIONS = {
    "decision": {"description": "why the hook and the executable are native"},
    "runbook": {"description": "how to release"},
}


pytestmark = pytest.mark.usefixtures("clean_environment")


# Hits as values


def a_hit(**changed: object) -> Hit:
    part = Part("title", "hook", "hook", 2)
    fields: dict[str, object] = {
        "category": "DECISION",
        "title": "A hook",
        "path": "p.json",
        "tags": ("x",),
        "score": 2,
        "parts": (part,),
    }
    return Hit(**{**fields, **changed})  # type: ignore[arg-type]


def test_hits_with_the_same_fields_are_equal() -> None:
    assert a_hit() == a_hit()
    assert hash(a_hit()) == hash(a_hit())
    assert a_hit() != a_hit(score=3)
    assert Part("title", "a", "a", 2) != Part("tag", "a", "a", 2)


@pytest.mark.parametrize("value", [a_hit(), a_hit().parts[0]], ids=["Hit", "Part"])
def test_a_hit_and_its_parts_do_not_change(value: Any) -> None:  # noqa: ANN401
    with pytest.raises(AttributeError, match="cannot be changed"):
        value.points = 5
    with pytest.raises(AttributeError, match="cannot be changed"):
        value.other = 5
    with pytest.raises(AttributeError, match="cannot be changed"):
        del value.points


def test_a_hit_survives_copying_pickling_and_repr() -> None:
    hit = a_hit()
    assert copy.deepcopy(hit) == hit
    assert pickle.loads(pickle.dumps(hit)) == hit
    assert eval(repr(hit), {"Hit": Hit, "Part": Part}) == hit


def test_a_hit_as_a_dictionary_is_ready_for_json() -> None:
    assert json.loads(json.dumps(a_hit().as_dict())) == {
        "score": 2,
        "probability": None,
        "category": "DECISION",
        "title": "A hook",
        "path": "p.json",
        "tags": ["x"],
        "parts": [{"kind": "title", "token": "hook", "matched": "hook", "points": 2}],
        "trust": None,
        "withheld": False,
        "validity": None,
        "scope": "project",
    }
