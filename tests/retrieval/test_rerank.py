"""The rerank, a function of the caller, gets the text and the hits; it can reorder and drop hits, but not add hits."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cuecard
from cuecard import Hit, Strategy, UsageError
from cuecard.retrieval.recall import open_recall
from small_project import MEMORIES, SampleMemory, write_project

PROMPT = "why is the hook not a python script?"
# The default of `retrieval.candidate_pool`.
POOL = 50
STRATEGIES = ("hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic")

pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with more memories about hooks than a candidate pool can have, and a few other memories."""
    hooks = [
        SampleMemory("runbook", f"h{number:02}", f"Mend the hook number {number}", ("hook",)) for number in range(60)
    ]
    return write_project(tmp_path_factory.mktemp("reranked"), *MEMORIES, *hooks)


class RecordingRerank:
    """A rerank that records its arguments, and returns the hits unchanged."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.hits: list[list[Hit]] = []

    def __call__(self, text: str, hits: list[Hit]) -> list[Hit]:
        self.texts.append(text)
        self.hits.append(list(hits))
        return hits


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_one_that_gives_back_what_it_got_changes_nothing(project: Path, strategy: Strategy) -> None:
    recaller = open_recall(project, strategy=strategy)
    for same in (lambda _text, hits: hits, lambda _text, hits: tuple(hits)):
        assert recaller.search("hook script", rerank=same, explain=True) == recaller.search("hook script", explain=True)
        assert recaller.recall(PROMPT, rerank=same, explain=True) == recaller.recall(PROMPT, explain=True)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_its_order_is_the_answer_and_scores_and_parts_stay(project: Path, strategy: Strategy) -> None:
    recaller = open_recall(project, strategy=strategy)
    plain = recaller.search("hook", k=50, explain=True)
    turned = recaller.search("hook", k=50, rerank=lambda _text, hits: hits[::-1], explain=True)
    assert turned == plain[::-1]
    for hit in turned:
        assert strategy == "tfidf" or sum(part.points for part in hit.parts) == hit.score


def test_it_is_called_once_with_the_text_and_the_pool(project: Path) -> None:
    asked = RecordingRerank()
    store = cuecard.open(project)
    hits = store.search("the hook", 3, rerank=asked)
    assert asked.texts == ["the hook"]
    (seen,) = asked.hits
    assert len(hits) == 3
    assert seen[:3] == hits
    assert len(seen) == POOL
    assert all(hit.parts == () for hit in seen)


def test_each_text_of_many_is_reranked_for_itself(project: Path) -> None:
    asked = RecordingRerank()
    cuecard.open(project).search_many(["hook", "wheel"], rerank=asked)
    assert asked.texts == ["hook", "wheel"]


def test_it_may_lift_what_would_not_be_among_the_first(project: Path) -> None:
    store = cuecard.open(project)
    last = store.search("hook", 50)[-1]
    assert store.search("hook", 1, rerank=lambda _text, hits: [hit for hit in hits if hit == last]) == [last]


def test_a_boost_goes_before_it(project: Path) -> None:
    store = cuecard.open(project)
    wanted = store.search("hook", 50)[-1].path
    asked = RecordingRerank()
    found = store.search("hook", 5, boost=lambda hit: 2.0 if hit.path == wanted else 0.5, rerank=asked, explain=True)
    assert asked.hits[0][0].path == wanted
    assert found[0].path == wanted
    assert [part.kind for part in found[0].parts][-1] == "boost"
    dropped = store.search("hook", 5, boost=lambda hit: 0.0 if hit.path == wanted else 1.0, rerank=asked)
    assert wanted not in [hit.path for hit in asked.hits[-1]]
    assert dropped


def test_it_never_opens_the_gate(project: Path) -> None:
    asked = RecordingRerank()
    store = cuecard.open(project)
    plain = store.recall(PROMPT, setting="precise")
    assert store.recall(PROMPT, setting="precise", rerank=asked) == plain
    assert [hit.path for hit in asked.hits[0]][: len(plain)] == [hit.path for hit in plain]
    all_of_it = store.recall(PROMPT, setting="precise", limit=50)
    assert {hit.path for hit in asked.hits[0]} <= {hit.path for hit in all_of_it}
    assert store.recall("thanks", rerank=asked) == []
    assert len(asked.hits) == 1


def test_a_copy_of_a_hit_stands_for_the_hit_as_it_was_found(project: Path) -> None:
    store = cuecard.open(project)
    plain = store.search("hook", 5)
    assert store.search("hook", 5, rerank=lambda _text, hits: [hit.with_score(1) for hit in hits]) == plain


def test_what_is_done_to_its_list_does_nothing(project: Path) -> None:
    def emptied(_text: str, hits: list[Hit]) -> list[Hit]:
        first = hits[0]
        hits.clear()
        return [first]

    store = cuecard.open(project)
    assert store.search("hook", 5, rerank=emptied) == store.search("hook", 1)


@pytest.mark.parametrize("nothing", [[], ()])
def test_it_may_keep_nothing(project: Path, nothing: Sequence[Hit]) -> None:
    assert cuecard.open(project).search("hook", rerank=lambda _text, _hits: nothing) == []


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (None, "`rerank` returned a NoneType"),
        ("all", "`rerank` returned a str"),
        (3, "`rerank` returned a int"),
        ({}, "`rerank` returned a dict"),
        ([0, 1], "`rerank` returned a int among its hits"),
        (["a path"], "`rerank` returned a str among its hits"),
        ([None], "`rerank` returned a NoneType among its hits"),
    ],
)
def test_what_is_no_list_of_its_hits_is_refused(project: Path, kept: Any, words: str) -> None:  # noqa: ANN401
    store = cuecard.open(project)
    with pytest.raises(UsageError, match=words):
        store.search("hook", rerank=lambda _text, _hits: kept)
    with pytest.raises(UsageError, match=words):
        store.recall(PROMPT, rerank=lambda _text, _hits: kept)


def test_a_hit_that_it_did_not_get_or_gives_twice_is_refused(project: Path) -> None:
    store = cuecard.open(project)
    other = store.search("release a wheel")[0]
    with pytest.raises(UsageError, match="which it did not get"):
        store.search("hook script", categories="decision", rerank=lambda _text, hits: [*hits, other])
    with pytest.raises(UsageError, match="which it did not get"):
        store.search("hook", rerank=lambda _text, hits: [hits[0], hits[0]])


@pytest.mark.parametrize("rerank", [3, "best", [], object()])
def test_what_cannot_be_called_is_refused_before_anything_is_searched(project: Path, rerank: Any) -> None:  # noqa: ANN401
    store = cuecard.open(project)
    for call in (store.search, store.recall, open_recall(project).search, open_recall(project).recall):
        with pytest.raises(UsageError, match="the rerank is a"):
            call(PROMPT, rerank=rerank)
    with pytest.raises(UsageError, match="the rerank is a"):
        store.search_many([], rerank=rerank)


def test_what_it_raises_goes_through(project: Path) -> None:
    def fail(_text: str, _hits: list[Hit]) -> list[Hit]:
        raise RuntimeError("the model is away")

    with pytest.raises(RuntimeError, match="the model is away"):
        cuecard.open(project).search("hook", rerank=fail)


@given(st.data())
def test_whatever_it_chooses_is_the_answer_in_its_order(project: Path, data: st.DataObject) -> None:
    store = cuecard.open(project)
    chosen: list[Hit] = []

    def choose(_text: str, hits: list[Hit]) -> list[Hit]:
        chosen[:] = data.draw(st.lists(st.sampled_from(hits), unique=True, max_size=8))
        return chosen

    found = store.search("hook", 5, rerank=choose)
    assert found == chosen[:5]
