"""Hybrid recall with both backends: equal results and explanations, and properties of each backend (SPEC 27 to 29)."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzz_twins
from backends import outcome
from cuecard import _pure as pure
from cuecard._pure.rank.priors import MAX_PRIOR
from cuecard._pure.requests.request import Request
from cuecard._pure.settings.gate_model import BESIDE, FAR_BEHIND, NEVER_HIDDEN, gate_threshold, logarithm, probability
from cuecard.basics.light_dataclass import replace
from format_strategies import descriptions, texts
from hybrid_cases import stored_files
from recall_strategies import CONFIGS, NOW, SETTINGS, WORDS, changed_stores, histories, questions, stores, times
from snapshot_cases import files_of
from snapshot_damage import NUMBERS
from snapshot_strategies import STORE, STRATEGIES, File, Filters, filters, synonyms
from snapshots import build, build_changed, position_of
from test_parity import answer

if TYPE_CHECKING:
    from types import ModuleType

# The profile `deep` runs many examples, so it needs more time.
pytestmark = pytest.mark.timeout(7200)

# The number of candidates that the gate judges, if not more are requested.
JUDGED = 10
MANY = 1000
Change = tuple[list[File], list[File], list[str]]
Context = tuple[list[tuple[str, str]], list[list[str]]]
GRAPH = b'{"retrieval": {"graph": true}}'
NO_CONTEXT: Context = ([], [])
CONTEXTS = st.one_of(st.just(NO_CONTEXT), st.tuples(descriptions(), synonyms()))
COUNTS = st.sampled_from([0, 1, 3, 8, 12, MANY])


def open_change(engine: ModuleType, change: Change) -> pure.Snapshot:
    """A snapshot of files after a change; the native snapshot has a delta."""
    return build_changed(engine, change, NUMBERS)


def paths_of(change: Change) -> list[str]:
    """The paths of a few memories of a change, and a path that does not exist."""
    return [*sorted({file[1] for file in change[0] + change[1]})[:5], f"{STORE}nothing.json"]


# Equal answers


@given(changed_stores(), questions(), histories(), CONTEXTS, CONFIGS, times(), filters(), COUNTS)
def test_both_backends_choose_and_account_alike(
    native: ModuleType,
    change: Change,
    prompt: str,
    history: list[str],
    context: Context,
    config: bytes,
    now: int,
    narrowed: Filters,
    k: int,
) -> None:
    ours, theirs = open_change(native, change), open_change(pure, change)
    our_config, their_config = native.read_settings(config, None), pure.read_settings(config, None)
    for setting in SETTINGS:
        for chosen in (None, narrowed):
            ours_asked = Request(prompt, k, our_config, *context, history, now, chosen)
            theirs_asked = replace(ours_asked, settings=their_config)
            assert answer(ours, "recall", ours_asked, setting) == answer(theirs, "recall", theirs_asked, setting)
    ours_asked, theirs_asked = replace(ours_asked, filters=None), replace(theirs_asked, filters=None)
    for path in paths_of(change):
        traced = outcome(ours.trace, position_of(ours, path), ours_asked)
        assert traced == outcome(theirs.trace, position_of(theirs, path), theirs_asked)


@given(changed_stores(), questions(), CONTEXTS, st.sampled_from(STRATEGIES), filters(), COUNTS)
def test_both_backends_find_words_that_mean_something_alike(
    native: ModuleType, change: Change, prompt: str, context: Context, strategy: str, narrowed: Filters, k: int
) -> None:
    ours, theirs = open_change(native, change), open_change(pure, change)
    for chosen in (None, narrowed):
        ours_asked = Request(prompt, k, native.read_settings(None, None), *context, filters=chosen)
        theirs_asked = replace(ours_asked, settings=pure.Settings())
        assert answer(ours, "search", ours_asked, strategy) == answer(theirs, "search", theirs_asked, strategy)
    for path in paths_of(change):
        explained = outcome(ours.explain, position_of(ours, path), ours_asked, strategy)
        assert explained == outcome(theirs.explain, position_of(theirs, path), theirs_asked, strategy)


@given(stores(most=3), texts(), st.sampled_from([-(2**63), -1, 0, 99, 2**31, 2**32, 2**63 - 1]))
def test_what_is_asked_wrongly_is_answered_alike(
    native: ModuleType, files: list[File], name: str, position: int
) -> None:
    def answers(engine: ModuleType) -> list[str]:
        snapshot = build(engine, files, NUMBERS)
        asked = Request("deploy", 3, engine.read_settings(None, None), history=[name], now=NOW)
        refused = replace(asked, filters=([], [], [name], None, None, ""))
        return [
            outcome(snapshot.recall, asked, name),
            outcome(snapshot.recall, refused, "off"),
            outcome(snapshot.trace, position, asked),
            outcome(gate_threshold, name),
        ]

    assert answers(native) == answers(pure)


@pytest.mark.parametrize("seed", range(3))
def test_both_backends_agree_on_what_chance_makes(native: ModuleType, seed: int) -> None:
    counts = fuzz_twins.run(native, 15, seed)
    assert counts["chosen"] > 10
    assert counts["silent"] > 10
    assert counts["traced"] > 40


@pytest.mark.parametrize("seed", range(6))
def test_both_backends_widen_a_prompt_by_the_same_graph(native: ModuleType, seed: int) -> None:
    chance = random.Random(seed)
    groups = [chance.sample(WORDS, 4) for _ in range(12)]

    def draw(number: int) -> File:
        words = [*chance.choice(groups), *chance.choices(WORDS, k=3)]
        record = {"title": " ".join(words[:4]), "tags": words[:2], "content": " ".join(words)}
        data = json.dumps(record).encode()
        return "decision", f"{STORE}decisions/{number}.json", data, len(data), number

    files = [draw(number) for number in range(60)]
    widened = 0
    for change in ((files, [], []), (files, [draw(number) for number in range(56, 64)], [files[0][1]])):
        ours, theirs = open_change(native, change), open_change(pure, change)
        for words in groups:
            asked = [
                Request(" ".join(words[:2]), 5, engine.read_settings(GRAPH, None), now=NOW) for engine in (native, pure)
            ]
            assert answer(ours, "recall", asked[0], "off") == answer(theirs, "recall", asked[1], "off")
            traced = theirs.trace(position_of(theirs, files[5][1]), asked[1])
            assert ours.trace(position_of(ours, files[5][1]), asked[0]) == traced
            widened += any(not piece for _term, _weight, piece in traced[1])
    assert widened > 3


# Properties of each backend


@given(changed_stores(), questions(), histories(), CONTEXTS, CONFIGS, times(), COUNTS)
def test_parts_sum_to_the_score_and_shares_to_the_logit(
    reference: ModuleType,
    change: Change,
    prompt: str,
    history: list[str],
    context: Context,
    config: bytes,
    now: int,
    k: int,
) -> None:
    snapshot, read = open_change(reference, change), reference.read_settings(config, None)
    asked = Request(prompt, k, read, *context, history, now)
    found = snapshot.recall(asked, "off")
    assert len(found) <= k
    for rank, (position, score, logit, chance) in enumerate(found):
        cues, terms, ranks, parts, features = snapshot.trace(position, asked)
        assert ranks is not None
        assert ranks[1] == score
        # Where earlier prompts count, the answer has memories of two readings, and the trace is that of one.
        assert (history and {"continues", "refers"} & {*cues}) or ranks[0] == rank
        assert sum(points for *_, points in parts) == score
        assert sum(points for kind, _, _, points in parts if kind in (*cues, "burst", "decay")) == score - ranks[2]
        assert ranks[2] > 0
        assert features[0][0] == "bias"
        assert sum(share for _, _, share in features) == logit
        assert 0 <= chance == probability(logit) <= 1024
        assert all(1 <= weight <= 256 for _term, weight, _word in terms)
        assert len({term for term, _weight, _word in terms}) == len(terms)
    # The trace of any other memory has only the parts of the search that do not depend on a memory.
    asked = replace(asked, k=MANY)
    shown = {position for position, *_ in snapshot.recall(asked, "off")}
    for position in range(len(snapshot)):
        if position not in shown and snapshot.document(position):
            assert snapshot.trace(position, asked)[2:] == (None, [], [])


@given(changed_stores(), questions(), histories(), CONFIGS, times(), COUNTS)
def test_a_stricter_setting_shows_a_part_of_what_a_laxer_one_shows(
    reference: ModuleType, change: Change, prompt: str, history: list[str], config: bytes, now: int, k: int
) -> None:
    snapshot, read = open_change(reference, change), reference.read_settings(config, None)
    asked = Request(prompt, k, read, history=history, now=now)
    every = snapshot.recall(replace(asked, k=max(k, JUDGED)), "off")
    shown = {name: snapshot.recall(asked, name) for name in SETTINGS}
    assert shown["off"] == every[:k]
    for stricter, laxer in (("precise", "balanced"), ("balanced", "eager")):
        assert [row for row in shown[laxer] if row in shown[stricter]] == shown[stricter]
    best = max([row[2] for row in every], default=0)
    cues, *_ = snapshot.trace(every[0][0], asked) if every else ([],)
    for name in SETTINGS[:3]:
        usual = gate_threshold(name)
        assert usual is not None
        least = min([row[2] for row in shown[name]], default=usual)
        if shown[name]:
            assert least >= usual - BESIDE
            assert best >= usual
            assert shown[name] == [row for row in every if row[2] >= least]
        # A prompt that is only a courtesy, such as thanks, gets no memory.
        if "chat" not in cues:
            certain = max(usual, min(best - FAR_BEHIND, NEVER_HIDDEN))
            assert [row for row in every if row[2] >= certain and row not in shown[name]] == []


@given(changed_stores(), questions(), histories(), CONFIGS, times())
def test_no_prior_lifts_a_memory_over_one_that_is_clearly_better(
    reference: ModuleType, change: Change, prompt: str, history: list[str], config: bytes, now: int
) -> None:
    snapshot, read = open_change(reference, change), reference.read_settings(config, None)
    asked = Request(prompt, MANY, read, history=history, now=now)
    found = snapshot.recall(asked, "off")
    assert [row[1] for row in found] == sorted([row[1] for row in found], reverse=True)
    fused = []
    for position, score, *_ in found:
        ranks = snapshot.trace(position, asked)[2]
        assert ranks is not None
        assert abs(score - ranks[2]) <= MAX_PRIOR
        fused.append(ranks[2])
    for place, better in enumerate(fused):
        assert all(better >= worse - 2 * MAX_PRIOR for worse in fused[place + 1 :])


@given(changed_stores(), questions(), filters(), CONFIGS)
def test_filters_choose_among_what_there_is(
    reference: ModuleType, change: Change, prompt: str, narrowed: Filters, config: bytes
) -> None:
    snapshot, read = open_change(reference, change), reference.read_settings(config, None)
    everything: Any = ([], [], [], None, None, "")
    asked = Request(prompt, MANY, read, now=NOW)
    every = snapshot.recall(replace(asked, filters=everything), "off")
    some = snapshot.recall(replace(asked, filters=narrowed), "off")
    assert {row[0] for row in some} <= {row[0] for row in every}
    for position, *_ in some:
        document = snapshot.document(position)
        assert document is not None
        assert not narrowed[2] or document[1] in narrowed[2]


def test_probabilities_rise_with_the_logit() -> None:
    found = [probability(logit) for logit in range(-9000, 9001)]
    assert found == sorted(found)
    assert (found[0], found[9000], found[-1]) == (0, 512, 1024)
    assert all(found[place] + found[-1 - place] == 1024 for place in range(9000))
    assert [logarithm(count) for count in (0, 1, 50, 255, 256, 10**9)] == [0, 710, 4026, 5678, 5678, 5678]


# Awkward prompts

PROMPTS = {
    "a mebibyte of words": "restore the database from last night's backup " * 23_000,
    "a mebibyte of one word": "deploy " * 150_000,
    "a mebibyte without a blank": "x" * (1 << 20),
    "a mebibyte of Korean": "배포를 되돌리나요 " * 40_000,
    "a long run of Korean": "배포를되돌리나요" * 44_000,
    "different words": " ".join([f"word{number}" for number in range(120_000)]),
    "one letter": "x",
    "one syllable": "큐",
    "only emoji": "\U0001f680" * 50,
    "only NULs": "\0" * 1000,
    "a lone surrogate": "\ud800",
    "nothing": "",
}


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_any_prompt_is_answered_by_both_alike(native: ModuleType, prompt: str) -> None:
    files = files_of(stored_files("backend"))
    answers = []
    for engine in (native, pure):
        snapshot = build(engine, files, NUMBERS)
        asked = Request(prompt, 3, engine.read_settings(None, None), history=[prompt, "deploy"], now=NOW)
        found: list[object] = [snapshot.recall(asked, name) for name in SETTINGS]
        found.append(snapshot.trace(0, asked))
        answers.append(found)
    assert answers[0] == answers[1]
    if not any(char.isalnum() for char in prompt):
        assert answers[0][:3] == [[], [], []]
