"""The settings of the judge: if they are invalid, no data is sent anywhere."""

import json
from typing import Any

import pytest

from cuecard._pure.settings.reader import read_settings
from cuecard.models.judge_settings import PROVIDERS, JudgeSettings, read_judge_settings
from judge_cases import KEY, VARIABLE


def read(judge: object) -> tuple[JudgeSettings | None, list[str]]:
    problems: list[str] = []
    return read_judge_settings(
        read_settings(json.dumps({"retrieval": {"judge": judge}}).encode(), None), problems
    ), problems


def test_without_settings_there_is_no_judge() -> None:
    wrong: list[object] = [None, {}, {"enabled": False}, {"enabled": "true"}, {"enabled": 1}, [], "x"]
    for judge in wrong:
        assert read(judge) == (None, [])
    assert read_judge_settings(read_settings(b"no JSON", None), []) is None


def test_the_defaults_are_those_of_the_provider() -> None:
    found = JudgeSettings("anthropic", "claude-haiku-4-5", "https://api.anthropic.com", VARIABLE, 700, 15, 5)
    assert read({"enabled": True}) == (found, [])
    for provider, (model, url, variable) in PROVIDERS.items():
        assert read({"enabled": True, "provider": provider}) == (JudgeSettings(provider, model, url, variable), [])


@pytest.mark.parametrize(
    "wrong",
    [
        {"provider": "olama"},
        {"provider": ["openai"]},
        {"url": "localhost:11434"},
        {"url": 3},
        {"url": f"https://me:{KEY}@host"},
        {"api_key_env": KEY},
        {"api_key_env": "HOME"},
        {"api_key_env": None},
    ],
)
def test_where_it_would_go_to_another_place_than_meant_there_is_no_judge(wrong: dict[str, object]) -> None:
    found, (problem,) = read({"enabled": True, **wrong})
    assert found is None
    assert problem.startswith(f"`retrieval.judge.{next(iter(wrong))}` must be")
    assert problem.endswith("the judge is not asked")
    assert KEY not in problem


@pytest.mark.parametrize(
    ("wrong", "default"),
    [
        ({"timeout_ms": 99}, 700),
        ({"timeout_ms": 10_001}, 700),
        ({"timeout_ms": True}, 700),
        ({"timeout_ms": 3.5}, 700),
        ({"pool": 15, "candidate_pool_size": 0}, 15),
        ({"candidate_pool_size": 31}, 15),
        ({"context_turns": 6}, 5),
        ({"include_conversation_context": "no"}, 5),
        ({"model": ""}, "claude-haiku-4-5"),
        ({"model": 5}, "claude-haiku-4-5"),
    ],
)
def test_what_else_is_malformed_has_its_default_and_a_note(wrong: dict[str, object], default: object) -> None:
    found, (problem,) = read({"enabled": True, **wrong})
    assert found == read({"enabled": True})[0]
    assert f"`retrieval.judge.{list(wrong)[-1]}` is" in problem
    assert default in (found.timeout_ms, found.pool, found.turns, found.model) if found else False


def test_both_backends_know_how_long_to_wait(engine: Any) -> None:  # noqa: ANN401 - a module
    def times(**file: object) -> tuple[int, int, list[str]]:
        config = engine.read_settings(json.dumps(file).encode(), None)
        return config.embedding_ms, config.judge_ms, config.problems

    assert times() == (0, 0, [])
    assert times(retrieval={"judge": {"enabled": True}}) == (0, 700, [])
    assert times(retrieval={"judge": {"enabled": True, "timeout_ms": 100}}) == (0, 100, [])
    assert times(retrieval={"judge": {"enabled": True, "timeout_ms": 99}}) == (0, 700, [])
    assert times(retrieval={"judge": {"timeout_ms": 99}}) == (0, 0, [])
    wrong = "`retrieval.judge.enabled` is neither true nor false; using false"
    assert times(retrieval={"judge": {"enabled": "yes"}}) == (0, 0, [wrong])
    assert times(retrieval={"judge": 5}) == (0, 0, ["`retrieval.judge` is not an object; using its defaults"])
    for provider, milliseconds in (("ollama", 150), ("openai", 150), ("minilm", 0), ("static", 0), ("x", 0), ([], 0)):
        assert times(embedding={"provider": provider})[0] == milliseconds
    assert times(embedding={"provider": "openai", "timeout_ms": 10_000})[0] == 10_000
    assert times(embedding={"provider": "openai", "timeout_ms": 10_001})[0] == 150
