"""Judged prompts, runs and measures in the library, with valid and invalid files."""

import importlib.util
import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuecard import evaluate
from cuecard.errors import InputError, UsageError, WriteError
from cuecard.evaluate import bootstrap
from cuecard.evaluate.calibration import reliability, wilson
from cuecard.evaluate.engine import Engine
from cuecard.evaluate.judged_prompts import JudgedPrompt
from cuecard.evaluate.measures import MEASURES, measure, ratio
from cuecard.evaluate.run_file import RunLine
from cuecard.retrieval.recall import open_recall
from small_project import MEMORIES, SampleMemory, write_project

EVALUATION = Path(os.environ.get("CUECARD_EVAL", Path(__file__).parents[3] / "shared" / "eval"))
HOOK, NETWORK = MEMORIES[1].name, MEMORIES[0].name


def judged(
    number: int = 1, kind: str = "exact", text: str = "why is the hook native", named: str = "", **judgments: int
) -> JudgedPrompt:
    """A judged prompt; `judgments` gives a grade by memory, and the memory `named` gets the grade 2 (wanted)."""
    return JudgedPrompt("p", f"p-{number}", text, kind, "en", judgments=judgments | ({named: 2} if named else {}))


def answered(number: int, *results: str, chances: tuple[float, ...] = ()) -> RunLine:
    return RunLine("p", f"p-{number}", results, chances)


def write_lines(path: Path, *rows: object) -> Path:
    path.write_text(
        "".join([row if isinstance(row, str) else f"{json.dumps(row)}\n" for row in rows]), encoding="utf-8"
    )
    return path


def line_of(number: int = 1, **fields: object) -> dict[str, object]:
    row = {"id": f"p-{number}", "project": "p", "kind": "exact", "lang": "en", "prompt": "the hook", "history": []}
    return {**row, "judgments": {HOOK: 2}, **fields}


# Measures


def test_measures_of_one_prompt_are_those_worked_out_by_hand() -> None:
    row = measure(judged(a=2, b=2, c=1), ["x", "c", "a"])
    best = 3 + 3 / math.log2(3) + 1 / 2
    assert row["R@3"] == (1 / 2, 1)
    assert row["R@5"] == (1 / 2, 1)
    assert row["nDCG@5"] == pytest.approx(((1 / math.log2(3) + 3 / 2) / best, 1))
    assert row["MRR"] == (1 / 3, 1)
    assert row["prec"] == (2, 3)
    assert row["silent"] == (0, 1)
    assert "false" not in row


@pytest.mark.parametrize("kind", ["negative", "noise", "in-vocabulary", "near-miss", "leave-one-out"])
def test_an_unanswerable_prompt_counts_for_what_is_injected_alone(kind: str) -> None:
    assert measure(judged(kind=kind), []) == {"n_inj": (0, 1), "false": (0, 1)}
    assert measure(judged(kind=kind), ["a"])["false"] == (1, 1)


def test_precision_weighs_memories_and_its_mean_weighs_prompts() -> None:
    rows = [measure(judged(1, a=2), ["a"]), measure(judged(2, a=2), ["x", "y", "z"])]
    assert ratio(rows, "prec") == 1 / 4
    assert ratio(rows, "precM") == 1 / 2
    assert ratio(rows, "false") is None


def test_the_groups_sum_to_all_and_a_cutoff_shortens_answers() -> None:
    prompts = [judged(1, "exact", a=2), judged(2, "multi", a=2), judged(3, "noise")]
    run = [answered(1, "x", "a"), answered(3, "a")]
    found = evaluate.score(run, prompts)
    assert [*found.groups] == ["exact", "multi", "noise", "ALL"]
    assert found.missing == 1
    assert found.all.measures["R@5"] == 1 / 2
    assert found.all.measures["false"] == 1
    assert evaluate.score(run, prompts, cutoff=1).all.measures["R@5"] == 0
    assert evaluate.score(run, prompts, cutoff=0).all.measures["n_inj"] == 0
    with pytest.raises(UsageError, match="unknown grouping `mood`"):
        evaluate.score(run, prompts, by="mood")
    by_project = evaluate.score(run, prompts, by="project")
    assert by_project.groups["p"].measures == by_project.all.measures


@pytest.mark.skipif(not (EVALUATION / "score.py").is_file(), reason="the judged prompts are not on this machine")
@pytest.mark.parametrize("by", ["kind", "project", "lang"])
def test_the_measures_are_those_of_the_judged_sets_own_program(tmp_path: Path, by: str) -> None:
    spec = importlib.util.spec_from_file_location("judged_score", EVALUATION / "score.py")
    assert spec
    assert spec.loader
    program: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    files = sorted((EVALUATION / "dev").glob("*/prompts.jsonl"))
    prompts = evaluate.join_prompts([evaluate.read_prompts(file) for file in files])
    # Answers of every kind in turn: with right memories, with wrong memories, and empty.
    run = []
    for number, prompt in enumerate(prompts):
        results = [*prompt.judgments, "x", "y", "z", "u"]
        results = results[number % 3 :] + results[: number % 2]
        run.append(RunLine(*prompt.key, tuple(dict.fromkeys(results))[: number % 7]))
    file = tmp_path / "run.jsonl"
    evaluate.write_run(file, run[:-5])
    theirs, missing = program.score(program.load_prompts(str(EVALUATION), "dev"), program.load_run(str(file)), by)
    ours = evaluate.score(evaluate.read_run(file), prompts, by=by, resamples=20)
    assert ours.missing == missing == 5
    assert [*ours.groups] == [name for name, _summary in theirs]
    for name, summary in theirs:
        assert ours.groups[name].prompts == summary["prompts"]
        assert ours.groups[name].measures == pytest.approx({measure: summary[measure] for measure in MEASURES})


# Intervals


@given(st.lists(st.sampled_from("abc"), max_size=40), st.integers(0, 3))
def test_a_draw_keeps_the_number_of_each_stratum(strata: list[str], seed: int) -> None:
    draws = bootstrap.draw(strata, 5, seed)
    assert draws == bootstrap.draw(strata, 5, seed)
    for sample in draws:
        assert sorted([strata[place] for place in sample]) == sorted(strata)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.floats(0, 1))
def test_a_quantile_lies_between_neighbours(values: list[float], share: float) -> None:
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    found = bootstrap.quantile(ordered, share)
    assert ordered[math.floor(place)] <= found <= ordered[min(len(ordered) - 1, math.ceil(place))] + 1e-12


def test_an_interval_holds_the_measure_and_narrows_with_more_prompts() -> None:
    def spread(count: int) -> float:
        prompts = [judged(number, a=2) for number in range(count)]
        run = [answered(number, "a") if number % 2 else answered(number) for number in range(count)]
        low, high = evaluate.score(run, prompts).all.intervals["R@5"] or (0, 0)
        assert low < 0.5 < high
        return high - low

    assert spread(20) > 1.5 * spread(200)


def test_a_run_differs_from_a_worse_one_and_not_from_itself() -> None:
    prompts = [judged(number, a=2) for number in range(40)]
    good = [answered(number, "a") for number in range(40)]
    bad = [answered(number, "x") if number % 3 else answered(number, "a") for number in range(40)]
    gap = evaluate.compare(good, bad, prompts)["R@5"]
    assert gap.value == pytest.approx(26 / 40)
    assert 0.4 < gap.interval[0] < gap.value < gap.interval[1] < 0.9
    assert gap.p < 0.01
    same = evaluate.compare(good, good, prompts)["R@5"]
    assert (same.value, same.interval, same.p) == (0, (0, 0), 1)


# Probabilities


def test_reliability_compares_what_the_gate_says_with_what_is_so() -> None:
    prompts = [judged(1, a=2, b=1), judged(2)]
    run = [answered(1, "a", "b", "c", chances=(0.91, 0.95, 0.95)), answered(2, "x", chances=(0.1,))]
    found = reliability(run, prompts)
    assert found
    low, high = found.bins
    assert (low.count, low.found, low.low, low.high) == (1, 0, 0.1, 0.2)
    assert high.count == 3
    assert high.found == pytest.approx(2 / 3)
    assert high.expected == pytest.approx(2.81 / 3)
    assert found.gap == pytest.approx((0.1 + 3 * (2.81 - 2) / 3) / 4)
    assert found.brier == pytest.approx((0.09**2 + 0.05**2 + 0.95**2 + 0.1**2) / 4)
    assert reliability([answered(1, "a")], prompts) is None


@given(st.integers(0, 30), st.integers(1, 30))
def test_an_interval_of_a_share_stays_within_its_bounds(good: int, more: int) -> None:
    count = good + more
    low, high = wilson(good / count, count)
    assert 0 <= low <= good / count + 1e-9
    assert good / count - 1e-9 <= high <= 1
    assert low < high


# Runs


def test_a_run_has_a_line_for_every_prompt_in_their_order(tmp_path: Path, clean_environment: None) -> None:
    project = write_project(tmp_path / "project")
    prompts = [judged(2, text="native hook executable", named=HOOK), judged(1, text="zebra crossings")]
    run = evaluate.run(prompts, root=str(project), setting="off", strategy="bm25")
    assert [line.prompt_id for line in run] == ["p-2", "p-1"]
    assert run[0].results[0] == HOOK
    assert run[1].results == ()
    assert [line.is_first for line in run] == [True, False]
    assert (run[0].strategy, run[0].setting) == ("bm25", "off")
    assert all(line.ms is not None and line.ms > 0 for line in run)
    assert [bool(line.tokens) for line in run] == [True, False]
    assert len(run[0].probabilities) == len(run[0].results)


def test_a_limit_cuts_every_answer(tmp_path: Path, clean_environment: None) -> None:
    project = write_project(tmp_path / "project")
    asked = [judged(text="is it the hook?")]
    for strategy in ("hybrid", "bm25"):
        [line] = evaluate.run(asked, root=str(project), setting="off", strategy=strategy, limit=1)
        assert len(line.results) == 1


def test_a_prompt_may_leave_memories_out_of_the_store(tmp_path: Path, clean_environment: None) -> None:
    project = write_project(tmp_path / "project")
    before = sorted(project.rglob("*"))
    without = JudgedPrompt("p", "p-2", "native hook executable", "leave-one-out", without=(HOOK,))
    run = evaluate.run(
        [without, judged(text="native hook executable")], root=str(project), setting="off", strategy="bm25"
    )
    assert HOOK not in run[0].results
    assert NETWORK in run[0].results
    assert run[1].results[0] == HOOK
    assert sorted(project.rglob("*")) == before


def test_a_run_asks_classic_keywords_without_the_memory_too(tmp_path: Path, clean_environment: None) -> None:
    project = write_project(tmp_path / "project")
    without = JudgedPrompt("p", "p-2", "native hook executable", "leave-one-out", without=(HOOK,))
    [line] = evaluate.run([without], root=str(project), setting="off", strategy="keyword_classic")
    assert line.results == (NETWORK,)


def test_memories_of_one_id_are_told_apart_by_their_category(tmp_path: Path, clean_environment: None) -> None:
    engines = [
        SampleMemory("decision", "cache", "The cache is local"),
        SampleMemory("runbook", "cache", "Clear the cache"),
    ]
    project = write_project(tmp_path / "project", *engines)
    prompt = judged(text="clear the cache", named="runbook/cache")
    [line] = evaluate.run([prompt], root=str(project), setting="off", strategy="bm25")
    assert line.results == ("runbook/cache", "decision/cache")


def test_a_judgment_of_a_memory_that_is_not_there_names_its_line(tmp_path: Path, clean_environment: None) -> None:
    project = write_project(tmp_path / "project")
    file = write_lines(tmp_path / "prompts.jsonl", line_of(1), line_of(2, judgments={"gone": 1}))
    with pytest.raises(InputError, match=r"prompts\.jsonl:2: the project has no memory `gone`"):
        evaluate.run(evaluate.read_prompts(file), root=str(project))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"setting": "strict"}, "unknown setting `strict`"),
        ({"strategy": "psychic"}, "psychic"),
        ({"limit": 0}, "the limit 0 is too small"),
    ],
)
def test_unknown_options_are_usage_errors(
    tmp_path: Path, clean_environment: None, options: dict[str, Any], words: str
) -> None:
    project = write_project(tmp_path / "project")
    with pytest.raises(UsageError, match=words):
        evaluate.run([judged()], root=str(project), **options)


def test_history_counts_as_the_prompts_before(tmp_path: Path, clean_environment: None) -> None:
    project = write_project(tmp_path / "project")
    again = judged(text="and once more, please")
    asked = [again, replace(again, id="p-2", history=("how is the wheel released",))]
    alone, after = evaluate.run(asked, root=str(project), setting="off", limit=1)
    assert alone.results != ("release",)
    assert after.results == ("release",)


def test_settings_let_through_what_the_gate_is_sure_enough_of(tmp_path: Path, clean_environment: None) -> None:
    project = write_project(tmp_path / "project")
    asked = [judged(text="why is the hook a native executable and no python script?", named=HOOK)]
    found = {name: evaluate.run(asked, root=str(project), setting=name)[0] for name in ("off", "eager", "precise")}
    chances = found["off"].probabilities
    assert all(chance is not None and 0 <= chance <= 1 for chance in chances)
    assert found["off"].results[0] == HOOK
    for line in found.values():
        count = len(line.results)
        assert (line.results, line.probabilities) == (found["off"].results[:count], chances[:count])
    assert len(found["off"].results) > len(found["eager"].results) >= len(found["precise"].results)
    [line] = evaluate.run(asked, root=str(project))
    assert (line.strategy, line.setting) == ("hybrid", "")


def test_a_strategy_without_a_gate_gives_no_probabilities(tmp_path: Path, clean_environment: None) -> None:
    project = write_project(tmp_path / "project")
    [line] = evaluate.run([judged(text="the native hook")], root=str(project), setting="precise", strategy="vectors")
    assert set(line.probabilities) == {None}


def test_the_tokens_of_a_line_are_those_of_the_block(tmp_path: Path, clean_environment: None) -> None:
    project = write_project(tmp_path / "project")
    [line] = evaluate.run([judged(text="the native hook")], root=str(project), setting="off")
    assert line.tokens == open_recall(project).inject("the native hook", setting="off", limit=5).tokens


def test_an_engine_leaves_nothing_in_the_temporary_folder(
    tmp_path: Path, clean_environment: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    project = write_project(tmp_path / "project")
    with Engine(str(project), setting="off", strategy="bm25") as engine:
        for name in (HOOK, NETWORK):
            engine.answer(JudgedPrompt("p", name, "the hook", without=(name,)))
            assert len([*(tmp_path / "scratch").iterdir()]) == 1
    assert [*(tmp_path / "scratch").iterdir()] == []


# Files


def test_prompts_and_runs_survive_being_written_and_read(tmp_path: Path) -> None:
    prompts = [
        JudgedPrompt(
            "p", "1", 'quotes " and\nlines', "exact", "ko", ("before",), {"a": 2, "b": 0}, (), "a file", False
        ),
        JudgedPrompt("p", "2", "배포", "leave-one-out", "ko", without=("a",)),
        JudgedPrompt("p\ud800", "3", "a lone \ud800", "exact", judgments={"a": 1}, lang="en"),
    ]
    evaluate.write_prompts(tmp_path / "prompts.jsonl", prompts)
    assert evaluate.read_prompts(tmp_path / "prompts.jsonl") == prompts
    run = [RunLine("p", "1", ("a", "b"), (0.5, None), 0.25, 12, True, "bm25", "off"), RunLine("p", "2", ())]
    evaluate.write_run(tmp_path / "run.jsonl", run)
    assert evaluate.read_run(tmp_path / "run.jsonl") == run


def test_a_repeated_result_counts_once_with_its_first_probability(tmp_path: Path) -> None:
    row = {"project": "p", "prompt_id": "1", "results": ["a", "b", "a"], "probabilities": [0.9, 0.5, 0.1]}
    [line] = evaluate.read_run(write_lines(tmp_path / "run.jsonl", row))
    assert (line.results, line.probabilities) == (("a", "b"), (0.9, 0.5))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("{nope\n", "no JSON"),
        ("[1]\n", "expected an object"),
        ("\xff\n", "no JSON"),
        ({"id": "a"}, "`project` is missing"),
        (line_of(prompt=7), "`prompt` is `7`, expected a text"),
        (line_of(prompt="  "), "`prompt` is an empty one"),
        (line_of(history="before"), "`history` is"),
        (line_of(history=[1]), "`history` is `1` in it"),
        (line_of(judgments=["a"]), "`judgments` is"),
        (line_of(judgments={"a": 3}), "0, 1 or 2"),
        (line_of(judgments={"a": True}), "0, 1 or 2"),
        (line_of(kind="noise"), "expected none for the kind `noise`"),
        (line_of(1), "is also in"),
        ("[" * 100_000 + "\n", "nested too deeply"),
    ],
)
def test_a_broken_line_of_prompts_is_named(tmp_path: Path, row: object, words: str) -> None:
    file = write_lines(tmp_path / "prompts.jsonl", line_of(1), "\n", row)
    with pytest.raises(InputError) as raised:
        evaluate.read_prompts(file)
    assert f"{file}:3: " in raised.value.what
    assert words in raised.value.what
    assert raised.value.hint


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"project": "p", "prompt_id": "2"}, "`results` is missing"),
        ({"project": "p", "prompt_id": "2", "results": "a"}, "`results` is"),
        ({"project": "p", "results": []}, "`prompt_id` is missing"),
        ({"project": "p", "prompt_id": "1", "results": []}, "is also in"),
        ({"project": "p", "prompt_id": "2", "results": ["a"], "probabilities": [1, 1]}, "one for each result"),
        ({"project": "p", "prompt_id": "2", "results": ["a"], "probabilities": [2]}, "numbers from 0 to 1"),
        ({"project": "p", "prompt_id": "2", "results": [], "ms": "fast"}, "`ms` is"),
    ],
)
def test_a_broken_line_of_a_run_is_named(tmp_path: Path, row: object, words: str) -> None:
    file = write_lines(tmp_path / "run.jsonl", {"project": "p", "prompt_id": "1", "results": []}, row)
    with pytest.raises(InputError) as raised:
        evaluate.read_run(file)
    assert f"{file}:2: " in raised.value.what
    assert words in raised.value.what
    assert raised.value.hint


def test_a_line_for_an_unknown_prompt_of_a_known_project_is_named(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "run.jsonl", {"project": "p", "prompt_id": "9", "results": []})
    with pytest.raises(InputError, match=r"run\.jsonl:1: the prompts of `p` have no `9`"):
        evaluate.score(evaluate.read_run(file), [judged()])
    assert evaluate.score([RunLine("other", "9", ())], [judged()]).outside == 1


def test_files_that_are_not_there_or_empty_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is missing"):
        evaluate.read_prompts(tmp_path / "nothing.jsonl")
    with pytest.raises(InputError, match="has no prompts"):
        evaluate.read_prompts(write_lines(tmp_path / "empty.jsonl", "\n"))


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_lines(tmp_path / "run.jsonl", "old\n")
    for place in (tmp_path, tmp_path / "no" / "folder", Path(os.devnull)):
        with pytest.raises(WriteError, match="cannot be written"):
            evaluate.write_run(place, [])

    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(WriteError, match="No space left"):
        evaluate.write_run(file, [answered(1)])
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]
    assert file.read_text() == "old\n"
