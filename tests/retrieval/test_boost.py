"""The boost, a function of the caller: it reorders and drops hits, but adds no hit that the gate rejects."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cuecard
from cuecard import GateSetting, Hit, Strategy, UsageError
from cuecard.retrieval.recall import open_recall
from small_project import MEMORIES, SampleMemory, write_project

PROMPT = "why is the hook not a python script?"
STRATEGIES = ("hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic")

pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with more memories about hooks than a candidate pool can have, and a few other memories."""
    hooks = [
        SampleMemory("runbook", f"h{number:02}", f"Mend the hook number {number}", ("hook",)) for number in range(60)
    ]
    return write_project(tmp_path_factory.mktemp("boosted"), *MEMORIES, *hooks)


def keep(_hit: Hit) -> float:
    return 1


class RecordingBoost:
    """A boost that records the paths of the hits for which it is called."""

    def __init__(self, factor: float) -> None:
        self.paths: list[str] = []
        self._factor = factor

    def __call__(self, hit: Hit) -> float:
        self.paths.append(hit.path)
        return self._factor


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_factor_of_one_or_of_no_number_changes_nothing(project: Path, strategy: Strategy) -> None:
    recaller = open_recall(project, strategy=strategy)
    for boost in (keep, lambda _hit: math.nan, lambda _hit: True):
        assert recaller.search("hook script", boost=boost, explain=True) == recaller.search("hook script", explain=True)
        assert recaller.recall(PROMPT, boost=boost, explain=True) == recaller.recall(PROMPT, explain=True)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_boost_lifts_what_the_caller_wants_and_the_parts_still_sum(project: Path, strategy: Strategy) -> None:
    recaller = open_recall(project, strategy=strategy)
    plain = recaller.search("hook", k=50, explain=True)
    wanted = plain[-1].path
    lifted = recaller.search("hook", k=50, boost=lambda hit: 2.0 if hit.path == wanted else 0.5, explain=True)
    assert lifted[0].path == wanted
    assert lifted[0].score == 2 * plain[-1].score
    before = {hit.path: hit for hit in plain}
    for hit in lifted:
        assert sum(part.points for part in hit.parts) == hit.score
        change = hit.score - before[hit.path].score
        assert [part.points for part in hit.parts if part.kind == "boost"] == ([change] if change else [])
        assert hit.probability == before[hit.path].probability


@given(factors=st.lists(st.floats(), min_size=50, max_size=50))
def test_scores_are_floors_in_order_and_nothing_of_0_is_left(project: Path, factors: list[float]) -> None:
    recaller = open_recall(project)
    plain = recaller.search("mend hook", k=50, explain=False)
    by_path = {hit.path: factor for hit, factor in zip(plain, factors, strict=True)}
    expected = []
    for hit in plain:
        factor = by_path[hit.path]
        clipped = 1 if math.isnan(factor) else min(max(factor, 0), 2)
        expected.append((hit.path, math.floor(hit.score * clipped)))
    found = recaller.search("mend hook", k=50, explain=False, boost=lambda hit: by_path[hit.path])
    kept = sorted([(path, score) for path, score in expected if score], key=lambda one: -one[1])
    assert [(hit.path, hit.score) for hit in found] == kept


def test_every_candidate_is_asked_about_once_and_a_lower_one_can_come_first(project: Path) -> None:
    asked: list[str] = []

    def boost(hit: Hit) -> float:
        assert (hit.parts, hit.score > 0) == ((), True)
        asked.append(hit.path)
        return 2 if len(asked) == 50 else 1

    found = cuecard.open(project).search("hook", 3, boost=boost)
    assert (len(asked), len(set(asked)), len(found)) == (50, 50, 3)
    assert found[0].path == asked[49]


def test_the_pool_is_that_of_the_settings(tmp_path: Path) -> None:
    memories = [SampleMemory("decision", f"d{number}", f"Hook number {number}") for number in range(30)]
    root = write_project(tmp_path / "pool", *memories, config={"retrieval": {"candidate_pool": 12}})
    asked = RecordingBoost(1)
    open_recall(root).search("hook", k=2, boost=asked)
    assert len(asked.paths) == 12


@pytest.mark.parametrize("setting", ["precise", "balanced", "eager"])
def test_a_boost_never_opens_the_gate(project: Path, setting: GateSetting) -> None:
    recaller = open_recall(project)
    for prompt in (PROMPT, "mend the hook number 7", "what colour has the sky over the sea"):
        judged = {hit.path for hit in recaller.recall(prompt, setting=setting, limit=8, explain=True)}
        asked = RecordingBoost(2)
        found = recaller.recall(prompt, setting=setting, limit=3, boost=asked, explain=True)
        assert {hit.path for hit in found} <= set(asked.paths) == judged
        assert len(asked.paths) == len(judged)
        assert recaller.recall(prompt, setting=setting, boost=lambda _hit: 0, explain=True) == []


def test_a_boost_can_bring_up_what_the_limit_had_cut(tmp_path: Path) -> None:
    prompt = "the hook is a native executable and never opens the network"
    store = cuecard.open(write_project(tmp_path / "few"))
    plain = store.recall(prompt, setting="eager", limit=8)
    assert len(plain) > 1
    wanted = plain[-1].path
    (first,) = store.recall(prompt, setting="eager", limit=1, boost=lambda hit: 2 if hit.path == wanted else 0.1)
    assert first.path == wanted


def test_a_factor_that_is_no_number_is_an_error_and_errors_of_the_boost_are_not_hidden(project: Path) -> None:
    recaller = open_recall(project)
    with pytest.raises(UsageError, match=r"the boost of `\.claude/memory/.*` is a str"):
        recaller.search("hook", boost=lambda _hit: "much", explain=True)  # type: ignore[arg-type,return-value]
    with pytest.raises(ZeroDivisionError):
        recaller.search("hook", boost=lambda hit: hit.score / 0, explain=True)


@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_what_priors_have_taken_below_0_stays_where_it_is(tmp_path: Path, fusion: str) -> None:
    memories = [
        SampleMemory("session_summary", f"s{number}", title) for number, title in enumerate(("Hook", "Sky", "Wheel"))
    ]
    retrieval = {"decay": {"half_life_days": 1}, "weights": {"lexical": 0, "semantic": 0.01}, "fusion": fusion}
    recaller = open_recall(write_project(tmp_path / "old", *memories, config={"retrieval": retrieval}))
    plain = recaller.search("hook of the wheel", explain=True)
    assert any(hit.score < 0 for hit in plain)
    assert recaller.search("hook of the wheel", boost=lambda _hit: 2, explain=True)[-1].score == plain[-1].score
    assert all(sum(part.points for part in hit.parts) == hit.score for hit in plain)
    assert recaller.search("hook of the wheel", boost=lambda _hit: 0, explain=True) == []


def test_search_many_boosts_each_of_its_answers(project: Path) -> None:
    store = cuecard.open(project)
    found = store.search_many(
        ["native hook in rust", "wheel"], explain=True, boost=lambda hit: 0 if hit.category == "RUNBOOK" else 1
    )
    assert all(hit.category != "RUNBOOK" for hits in found for hit in hits)
    assert found[0]
