"""The report on judged prompts: which variants run, and what the tables for people say."""

from pathlib import Path

import pytest

from cuecard import GateSetting, Strategy, evaluate
from cuecard.cli.show import show_report
from cuecard.errors import InputError, UsageError
from cuecard.evaluate.judged_prompts import JudgedPrompt
from cuecard.evaluate.report import Report, Variant
from cuecard.evaluate.run_file import RunLine
from small_project import MEMORIES, write_project

HOSTILE = "\x1b[31m\u202eprompt"

SETTINGS: tuple[GateSetting, ...] = ("off", "eager", "balanced", "precise")


def variant(prompts: list[JudgedPrompt], strategy: Strategy, setting: GateSetting, least: float) -> Variant:
    """A variant that shows the memories with a probability of at least `least`.

    For each prompt, the right memories have a probability of 0.9, and one wrong memory has 0.3.
    """
    lines = []
    for number, prompt in enumerate(prompts):
        pairs = [(memory, 0.9) for memory in prompt.wanted] + [("x", 0.3)]
        kept = [pair for pair in pairs if pair[1] >= least]
        names, chances = tuple([name for name, _ in kept]), tuple([chance for _, chance in kept])
        lines.append(
            RunLine(*prompt.key, names, chances, 0.1 + number / 10, 20 * len(kept), not number, strategy, setting)
        )
    return Variant(strategy, setting, lines, evaluate.score(lines, prompts, resamples=50))


def make_report(*kinds: str, settings: tuple[GateSetting, ...] = SETTINGS) -> Report:
    prompts = []
    for number in range(12):
        kind = kinds[number % len(kinds)]
        judgments = {} if kind in ("noise", "negative") else {f"m{number}": 2}
        prompts.append(JudgedPrompt("p", f"p-{number}", f"prompt {number} {HOSTILE}", kind, judgments=judgments))
    least = {"off": 0.0, "eager": 0.2, "balanced": 0.5, "precise": 0.8}
    variants = [variant(prompts, "hybrid", setting, least[setting]) for setting in settings]
    baselines: tuple[Strategy, ...] = ("bm25", "keyword")
    variants += [variant(prompts, name, "off", 0.0) for name in baselines]
    return Report(prompts, {"p": 12}, variants, ["a note on `code`"])


def test_the_tables_have_the_figures_of_the_score(capsys: pytest.CaptureFixture[str]) -> None:
    report = make_report("direct", "noise")
    show_report.show(report)
    shown = capsys.readouterr()
    assert "warning: a note on `code`" in shown.err
    table = shown.out.splitlines()[: len(report.variants) + 1]
    for made, line in zip(report.variants, table[1:], strict=True):
        measures = made.score.all.measures
        assert line.startswith(made.name)
        assert line.split()[-6:-2] == [f"{measures[name]:.3f}" for name in ("R@5", "nDCG@5", "prec", "false")]


def test_prompts_to_look_at_are_listed_without_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    show_report.show(make_report("direct", "noise", settings=("off",)))
    shown = capsys.readouterr().out
    assert "injected by mistake" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_without_probabilities_there_is_no_table_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    report = make_report("direct")
    bare = [RunLine(*line.key, line.results) for line in report.main[0].run]
    variant_off = Variant("hybrid", "off", bare, report.main[0].score)
    show_report.show(Report(report.prompts, report.projects, [variant_off], []))
    assert "share right" not in capsys.readouterr().out


def test_projects_and_files_come_in_pairs() -> None:
    assert evaluate.pair_projects([], ["a"]) == [(None, "a")]
    assert evaluate.pair_projects(["r", "s"], ["a", "b"]) == [("r", "a"), ("s", "b")]
    for roots, files in ((["r"], ["a", "b"]), ([], ["a", "b"]), (["r", "s"], ["a"])):
        with pytest.raises(UsageError, match="files of prompts"):
            evaluate.pair_projects(roots, files)


def test_a_report_of_two_projects_runs_every_variant_on_all_prompts(tmp_path: Path, clean_environment: None) -> None:
    projects: list[tuple[str | None, str]] = []
    for name in ("first", "second"):
        root = write_project(tmp_path / name)
        file = tmp_path / f"{name}.jsonl"
        evaluate.write_prompts(file, evaluate.make(root=str(root), limit=10).prompts)
        projects.append((str(root), str(file)))
    steps: list[tuple[int, int]] = []
    report = evaluate.collect(projects, resamples=20, progress=lambda done, total: steps.append((done, total)))
    assert len(report.prompts) == 20
    assert report.projects == {"first": len(MEMORIES), "second": len(MEMORIES)}
    assert {variant.strategy for variant in report.variants} >= {"keyword", "bm25", "tfidf"}
    for variant in report.variants:
        assert [line.key for line in variant.run] == [prompt.key for prompt in report.prompts]
    total = 20 * len(report.variants)
    assert steps == [(done, total) for done in range(1, total + 1)]


def test_two_projects_of_one_name_are_told_apart_or_refused(tmp_path: Path, clean_environment: None) -> None:
    root = write_project(tmp_path / "first")
    file = tmp_path / "prompts.jsonl"
    evaluate.write_prompts(file, evaluate.make(root=str(root), limit=3).prompts)
    with pytest.raises(InputError, match="is also in"):
        evaluate.collect([(str(root), str(file)), (str(root), str(file))])
