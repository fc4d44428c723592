"""The report: a page without external files. It also gives all figures as text, and escapes all text."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cuecard import GateSetting, Strategy, evaluate
from cuecard.errors import InputError, UsageError
from cuecard.evaluate.judged_prompts import JudgedPrompt
from cuecard.evaluate.report.plot_forms import Point, Series, Spread, draw_intervals, draw_spreads
from cuecard.evaluate.report.report_data import Report, Variant
from cuecard.evaluate.run_file import RunLine
from small_project import MEMORIES, write_project

HOSTILE = "</title><script>alert(1)</script>"
VOID = {"meta", "circle", "line", "rect", "polygon", "polyline", "path"}
SERIES = Series("a", "s-off", "circle")


class Outline(HTMLParser):
    """Parses a page and records its elements; fails if they are not nested correctly."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


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
    return Report(prompts, {"p": 12}, variants, ["a note on `code`"], 5, 50, "2026-01-01 00:00 UTC")


@pytest.fixture(scope="module")
def page() -> str:
    return evaluate.render_page(make_report("exact", "noise", HOSTILE))


def test_the_page_nests_and_needs_nothing_else(page: str) -> None:
    outline = Outline(page)
    names = {tag for tag, _attributes in outline.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "base"}
    assert not [
        name
        for _tag, attributes in outline.tags
        for name in attributes
        if name.startswith("on") or name in ("href", "src")
    ]
    outside = page.replace("http://www.w3.org/2000/svg", "")
    assert "http" not in outside
    assert "@import" not in page
    assert "url(" not in page


def test_texts_of_others_never_become_markup(page: str) -> None:
    assert "<script" not in page
    assert HOSTILE in "".join(Outline(page).text)


def test_every_drawing_has_a_title_and_its_numbers_in_words(page: str) -> None:
    outline = Outline(page)
    drawings = [attributes for tag, attributes in outline.tags if tag == "svg" and attributes.get("role") == "img"]
    named = [attributes["id"] for tag, attributes in outline.tags if tag in ("title", "desc") and "id" in attributes]
    assert len(drawings) == 8
    assert len(named) == len(set(named)) == 16
    for drawing in drawings:
        assert set((drawing["aria-labelledby"] or "").split()) <= set(named)
    for words in re.findall(r'<desc id="[^"]*">(.*?)</desc>', page):
        assert re.search(r"\d", words)
    # Screen readers must skip pictures that are only decoration.
    others = [attributes for tag, attributes in outline.tags if tag == "svg" and attributes.get("role") != "img"]
    assert all(attributes.get("aria-hidden") == "true" for attributes in others)


def test_the_page_serves_light_and_dark_and_small_screens(page: str) -> None:
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport"' in page
    assert '<html lang="en">' in page
    # Pictures take their colours from the page, so that they are readable on light and dark pages.
    for drawing in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        assert not re.search(r"(?<!&)#|rgb", drawing)
        assert "style=" not in drawing


def test_numbers_on_the_page_are_those_of_the_score(page: str) -> None:
    report = make_report("exact", "noise", HOSTILE)
    text = " ".join(Outline(page).text)
    for variant in report.variants:
        value = variant.score.all.measures["prec"]
        assert value is not None
        assert f"{value:.3f}" in text
        assert variant.name in text
    assert report.shipped.name == "hybrid, balanced"
    assert "a note on" in text


def test_without_probabilities_there_is_no_diagram_of_them() -> None:
    report = make_report("exact", "noise", settings=("off",))
    bare = [replace(each, run=[replace(line, probabilities=()) for line in each.run]) for each in report.variants]
    page = evaluate.render_page(replace(report, variants=bare))
    assert "Reliability" not in page
    assert "hybrid, no gate" in page


@pytest.mark.parametrize("kinds", [("noise",), ("exact",)])
def test_prompts_of_one_sort_make_a_page_too(kinds: tuple[str, ...]) -> None:
    page = evaluate.render_page(make_report(*kinds))
    Outline(page)
    assert ("Recall by kind" in page) == (kinds == ("exact",))


@pytest.mark.parametrize("value", [0.0, 1e-7, 0.3, 1.0, 17.0, 12345.0])
@pytest.mark.parametrize("is_log", [False, True])
def test_spreads_of_any_size_stay_within_the_drawing(value: float, is_log: bool) -> None:
    values = dict.fromkeys(("mean", "p10", "p50", "p90", "p99", "max"), value)
    drawing = draw_spreads([Spread("row", SERIES, values, "")], "x", "title", "1", "d", is_log=is_log)
    places = [float(place) for place in re.findall(r' (?:x|x1|x2|cx)="([-\d.]+)"', drawing)]
    assert places
    assert all(0 <= place <= 560 for place in places)


@pytest.mark.parametrize("value", [-1.0, -0.2, 0.0, 0.004, 1.0])
def test_differences_of_any_size_stay_within_the_drawing(value: float) -> None:
    point = Point(SERIES, value, (value - 0.01, value + 0.01), "")
    drawing = draw_intervals([("row", [point])], "x", "title", "1", "d", is_signed=True)
    places = [float(place) for place in re.findall(r' (?:x|x1|x2|cx)="([-\d.]+)"', drawing)]
    assert all(0 <= place <= 560 for place in places)
    assert "ideal" in drawing


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
    page = evaluate.render_page(report)
    assert "By project" in page
    assert str(tmp_path) not in page


def test_two_projects_of_one_name_are_told_apart_or_refused(tmp_path: Path, clean_environment: None) -> None:
    root = write_project(tmp_path / "first")
    file = tmp_path / "prompts.jsonl"
    evaluate.write_prompts(file, evaluate.make(root=str(root), limit=3).prompts)
    with pytest.raises(InputError, match="is also in"):
        evaluate.collect([(str(root), str(file)), (str(root), str(file))])
