"""Measure recall on projects to which the gate was not fitted, and whether the gate's probabilities are calibrated.

    python tools/gate/report.py ../shared/eval/dev/* ../shared/eval/dev2/* tests/data/projects/*/ \\
        --markdown docs/recall-quality.md

Each project is judged by a model and thresholds that were fitted to the other projects. `--markdown` writes each table
into a page, between two comments (see `marked_page.py`), and `pictures/reliability.svg` beside the page; without it the
tables are printed.
"""

import argparse
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from added_sets import SETS, read_measured, read_training
from differences import WORDS, Outcome, with_gate, without_gate
from marked_page import show
from model import FALSE, UNIT, Logits, by_project, carry_over, cross_fit, shown_at
from reliability_plot import draw

from cuecard._pure.engine.snapshot import Snapshot
from cuecard._pure.rank.recall import Recall
from cuecard._pure.requests.request import Request
from cuecard._pure.settings.gate_model import probability
from cuecard._pure.settings.reader import Settings
from cuecard.evaluate import JudgedPrompt, RunLine, bootstrap, read_prompts
from cuecard.evaluate.calibration import Bin, Reliability, reliability
from cuecard.evaluate.judged_prompts import ACCEPTABLE
from cuecard.evaluate.judged_shift import LEAST_LOGIT, fit
from judged import NOW, Case, build, read_memories

DEFAULT = "balanced"
LONG_WORDS = 40
PAIRS = 400
SEED = 23
# The gate's shift is fitted to these numbers of a project's judged prompts, each number with `DRAWS` random choices.
JUDGED_PROMPTS = (5, 10, 20, 40, 80)
DRAWS = 20
# A band of probabilities with fewer memories is not judged.
BAND = 100
Row = tuple[JudgedPrompt, Case, Logits]
Judge = Callable[[Sequence[Row]], Outcome]


@dataclass(frozen=True)
class Judged:
    """Every prompt in whole stores, with and without questions; its logits come from a model of the other projects."""

    rows: list[Row]
    # The threshold of each project by setting.
    thresholds: dict[str, dict[str, int]]
    # The names of projects, by the folder that contains them.
    sets: dict[str, set[str]]
    # Every case of the added sets, with its logits.
    added: list[tuple[Case, Logits]]

    @classmethod
    def read(cls, folders: Sequence[Path]) -> "Judged":
        """Read the projects, and for each project fit a model to all other projects."""
        cases = read_training(folders) + read_measured(folders)
        logits = cross_fit(cases, by_project)
        thresholds = {}
        for setting, false in FALSE.items():
            found = carry_over(cases, logits, false)
            thresholds[setting] = {case.project: threshold for case, threshold in zip(cases, found, strict=True)}
        prompts = [p for folder in folders for _ in (False, True) for p in read_prompts(str(folder / "prompts.jsonl"))]
        whole = [pair for pair in zip(cases, logits, strict=True) if not pair[0].is_made]
        rows = [(prompt, *pair) for prompt, pair in zip(prompts, whole, strict=True)]
        sets: dict[str, set[str]] = {}
        for folder in folders:
            sets.setdefault(folder.resolve().parent.name, set()).add(folder.name)
        added = [pair for pair in zip(cases, logits, strict=True) if pair[0].source in SETS]
        return cls(rows, thresholds, sets, added)

    def by(self, setting: str) -> Judge:
        """A function that gives the outcome of a setting for some rows; the setting "off" has no gate."""

        def judge(rows: Sequence[Row]) -> Outcome:
            prompts, cases, logits = zip(*rows, strict=True)
            if setting == "off":
                return without_gate(prompts, [case.ranked for case in cases])
            return with_gate(prompts, cases, logits, [self.thresholds[setting][case.project] for case in cases])

        return judge


def cells(rows: Sequence[Row], judge: Judge, names: Sequence[str]) -> list[str]:
    """Table cells with the measures of some rows and their intervals."""
    if not rows:
        return ["-"] * len(names)
    outcome = judge(rows)
    draws = bootstrap.draw([prompt.kind for prompt, *_rest in rows])
    found = []
    for name in names:
        value = outcome.value(name)
        limits = None if value is None else bootstrap.interval(bootstrap.resample(outcome.rows, name, draws))
        found.append("-" if value is None or limits is None else f"{value:.2f} [{limits[0]:.2f}, {limits[1]:.2f}]")
    return found


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose first column is left-aligned text."""
    rule = ["---", *["--:"] * (len(head) - 1)]
    return "\n".join([f"| {' | '.join(line)} |" for line in (head, rule, *lines)])


def halves(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of stores without questions, and the rows of stores with questions."""
    return [[row for row in rows if row[1].has_questions == has_questions] for has_questions in (False, True)]


def settings_table(judged: Judged) -> str:
    """The table of each setting on each set of projects."""
    groups = {"all": {name for names in judged.sets.values() for name in names}, **judged.sets}
    lines = []
    for setting in ("off", *FALSE):
        names = ("R@5", "nDCG@5") if setting == "off" else ("R@5", "prec", "false")
        for group, projects in groups.items():
            for questions, half in zip(("without", "with"), halves(judged.rows), strict=True):
                rows = [row for row in half if row[1].project in projects]
                found = dict(zip(names, cells(rows, judged.by(setting), names), strict=True))
                label = "no gate" if setting == "off" else f"`{setting}`"
                every = [found.get(name, "") for name in ("R@5", "nDCG@5", "prec", "false")]
                lines.append([f"{label}, {group}", questions, *every])
    return table(("setting and projects", "questions", "R@5", "nDCG@5", "precision", "false"), lines)


def groups_table(judged: Judged, head: str, key: Callable[[JudgedPrompt], str], names: Sequence[str]) -> str:
    """The table of `balanced` for each group of prompts, in stores without and with questions.

    `key` returns the group of a prompt.
    """
    lines = []
    for group in sorted({key(prompt) for prompt, *_rest in judged.rows}):
        of_group = halves([row for row in judged.rows if key(row[0]) == group])
        without, with_questions = [cells(rows, judged.by(DEFAULT), names) for rows in of_group]
        pairs = [cell for pair in zip(without, with_questions, strict=True) for cell in pair]
        lines.append([group, str(len(of_group[0])), *pairs])
    columns = [f"{WORDS.get(name, name)} {questions}" for name in names for questions in ("without", "with")]
    return table((head, "prompts", *columns), lines)


def added_table(judged: Judged) -> str:
    """The table of `balanced` for each kind of prompt of the added sets, in stores of each size.

    A prompt that needs a memory counts as answered if one of those that it wants is shown.
    """
    lines = []
    groups = {(case.source, case.kind, case.size or 0) for case, _logits in judged.added}
    for source, kind, size in sorted(groups):
        count, cells = 0, []
        for has_questions in (False, True):
            answered: list[float] = []
            wanted: list[float] = []
            false: list[float] = []
            for case, logits in judged.added:
                if (case.source, case.kind, case.size or 0, case.has_questions) != (source, kind, size, has_questions):
                    continue
                shown = shown_at(case, logits, judged.thresholds[DEFAULT][case.project])
                if case.is_answerable:
                    found = len(case.wanted.intersection(shown))
                    answered.append(found > 0)
                    wanted.append(found / min(5, len(case.wanted)))
                else:
                    false.append(len(shown) > 0)
            count = len(answered) + len(false)
            cells.append([mean(values) for values in (answered, wanted, false)])
        pairs = [cell for pair in zip(*cells, strict=True) for cell in pair]
        lines.append([f"{source}, `{kind}`", str(size or "whole"), str(count), *pairs])
    columns = [f"{name} {half}" for name in ("answered", "R@5", "false") for half in ("without", "with")]
    return table(("set and kind", "memories", "prompts", *columns), lines)


def mean(values: Sequence[float]) -> str:
    """The mean with two digits, or a dash if there are no values."""
    return f"{sum(values) / len(values):.2f}" if values else "-"


def length_of(prompt: JudgedPrompt) -> str:
    """The name of a prompt's length class: up to or over `LONG_WORDS` words."""
    return f"over {LONG_WORDS} words" if len(prompt.text.split()) > LONG_WORDS else f"up to {LONG_WORDS} words"


def calibration(rows: Sequence[Row]) -> Reliability | None:
    """Compare the probabilities in these rows with the judgments, over all memories; None if there are too few."""
    lines = [
        RunLine(*prompt.key, tuple(logits), tuple([probability(logit) / UNIT for logit in logits.values()]))
        for prompt, case, logits in rows
        if not case.is_chat
    ]
    return reliability(lines, [prompt for prompt, *_rest in rows])


def calibration_tables(judged: Judged) -> str:
    """The tables of the expected calibration error by project, and of the bands of all projects."""
    errors = []
    groups = {"all": judged.rows}
    for project in judged.thresholds[DEFAULT]:
        groups[project] = [row for row in judged.rows if row[1].project == project]
    for name, rows in groups.items():
        found = [calibration(part) for part in (rows, *halves(rows))]
        errors.append([name, *["-" if each is None else f"{each.gap:.3f}" for each in found]])
    pooled = calibration(judged.rows)
    bands = [
        [
            f"{band.low:.1f} to {band.high:.1f}",
            str(band.count),
            f"{band.expected:.3f}",
            f"{band.found:.3f} [{band.interval[0]:.3f}, {band.interval[1]:.3f}]",
            "yes" if is_off(band) else "",
        ]
        for band in (pooled.bins if pooled else ())
    ]
    return "\n\n".join(
        [
            table(("expected calibration error", "both", "without questions", "with"), errors),
            table(("probability", "memories", "mean", "share that helps", "outside"), bands),
        ]
    )


def is_off(band: Bin) -> bool:
    """Whether a band has enough memories, and its mean probability is outside of the interval of the share found."""
    return band.count >= BAND and not band.interval[0] <= band.expected <= band.interval[1]


def shifts_table(judged: Judged) -> str:
    """Two tables: the shift of the gate that fits each project best, and the gain of a shift from judged prompts.

    Each project's gate was fitted to the other projects.
    """
    lines = []
    gains: dict[int, list[float]] = {count: [] for count in JUDGED_PROMPTS}
    squares: list[float] = []
    for project in judged.thresholds[DEFAULT]:
        shifts = []
        for half in halves([row for row in judged.rows if row[1].project == project]):
            prompts = [near_thresholds(*row) for row in half if not row[1].is_chat]
            everything = [outcome for outcomes in prompts for outcome in outcomes]
            # With the deviation 1000 the prior has no effect.
            shifts.append(fit(everything, 1000))
            chance = random.Random(SEED)
            for _ in range(DRAWS):
                chance.shuffle(prompts)
                for count in JUDGED_PROMPTS:
                    known = [outcome for outcomes in prompts[:count] for outcome in outcomes]
                    others = [outcome for outcomes in prompts[count:] for outcome in outcomes]
                    gains[count].append(log_loss(others, 0) - log_loss(others, fit(known)[0]))
        lines.append([project, *[f"{shift:+.2f} ± {deviation:.2f}" for shift, deviation in shifts]])
        # The square of a shift, minus the variance that chance adds to it.
        squares += [shift**2 - deviation**2 for shift, deviation in shifts]
    lines.append(["standard deviation beyond chance", f"{max(0, sum(squares) / len(squares)) ** 0.5:.2f}", ""])
    gained = [[str(count), f"{sum(found) / len(found):+.4f}"] for count, found in gains.items()]
    return "\n\n".join(
        [
            table(("project", "shift without questions", "with"), lines),
            table(("judged prompts", "log loss gained by each memory of the other prompts"), gained),
        ]
    )


def near_thresholds(prompt: JudgedPrompt, _case: Case, logits: dict[str, int]) -> list[tuple[float, bool]]:
    """The logit of each memory that `cuecard eval calibrate --prompts` counts, and whether the memory helps."""
    found = [(logit / UNIT, prompt.judgments.get(memory, 0) >= ACCEPTABLE) for memory, logit in logits.items()]
    return [outcome for outcome in found if outcome[0] >= LEAST_LOGIT]


def log_loss(outcomes: Sequence[tuple[float, bool]], shift: float) -> float:
    """The mean log loss of outcomes, in nats, with a shift added to every logit; 0 without outcomes."""
    surprises = [math.log1p(math.exp((logit + shift) * (-1 if helps else 1))) for logit, helps in outcomes]
    return sum(surprises) / max(len(surprises), 1)


def history_table(judged: Judged, folders: Sequence[Path]) -> str:
    """The table that shows how an unrelated earlier prompt changes the answers of this version's gate."""
    pairs = unrelated([prompt for prompt, *_rest in halves(judged.rows)[0]])
    lines = []
    for has_questions, half in zip((False, True), halves(judged.rows), strict=True):
        stores = {folder.name: build(read_memories(folder, has_questions=has_questions)) for folder in folders}
        shown = lost = gained = 0
        for prompt, earlier in pairs:
            store = stores[prompt.project]
            alone, after = [choose(store, prompt, history) for history in ([], [earlier.text])]
            helpful = {memory for memory, grade in prompt.judgments.items() if grade}
            shown += bool(alone & helpful)
            lost += bool((alone - after) & helpful)
            gained += bool(after - alone - helpful)
        follow_ups = cells([row for row in half if row[0].kind == "follow-up"], judged.by(DEFAULT), ("R@5",))
        lines.append(
            ["with" if has_questions else "without", *map(str, (len(pairs), shown, lost, gained)), *follow_ups]
        )
    return table(("questions", "pairs", "answered alone", "lost", "wrong ones gained", "R@5 of follow-ups"), lines)


def unrelated(prompts: Sequence[JudgedPrompt]) -> list[tuple[JudgedPrompt, JudgedPrompt]]:
    """Pairs of a prompt without history and another prompt of its project with no judged memory in common."""
    chance = random.Random(SEED)
    projects: dict[str, list[JudgedPrompt]] = {}
    for prompt in prompts:
        projects.setdefault(prompt.project, []).append(prompt)
    alone = [prompt for prompt in prompts if not prompt.history]
    chance.shuffle(alone)
    pairs = []
    for prompt in alone[:PAIRS]:
        others = [
            other
            for other in projects[prompt.project]
            if other is not prompt and not other.judgments.keys() & prompt.judgments.keys()
        ]
        pairs.append((prompt, chance.choice(others)))
    return pairs


def choose(store: tuple[Snapshot, list[str]], prompt: JudgedPrompt, history: list[str]) -> set[str]:
    """The ids of the memories that `balanced` shows for a prompt after a history."""
    snapshot, ids = store
    recall = Recall(snapshot, Request(prompt.text, 5, Settings(), history=history, now=NOW))
    return {ids[position] for position, *_rest in recall.choose(5, DEFAULT)[:5]}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the tables or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args(arguments)
    judged = Judged.read(options.projects)
    by_group = ("R@5", "false")
    tables = {
        "settings": settings_table(judged),
        "projects": groups_table(judged, "project", lambda prompt: prompt.project, ("R@5", "prec", "false")),
        "kinds": "\n\n".join(
            [
                groups_table(judged, "kind", lambda prompt: prompt.kind, by_group),
                groups_table(judged, "length", length_of, by_group),
                groups_table(judged, "language", lambda prompt: prompt.lang or "en", by_group),
            ]
        ),
        "added": added_table(judged),
        "calibration": calibration_tables(judged),
        "shifts": shifts_table(judged),
        "history": history_table(judged, options.projects),
    }
    for name, text in tables.items():
        show(text, name, options.markdown)
    pooled = calibration(judged.rows)
    if options.markdown and pooled:
        picture = options.markdown.parent / "pictures" / "reliability.svg"
        picture.write_text(draw(pooled.bins), encoding="utf-8")


if __name__ == "__main__":
    main()
