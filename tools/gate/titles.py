"""Measure a line of titles between showing and silence (SPEC 28.5) on projects to which the gate was not fitted.

    python tools/gate/titles.py ../shared/eval/dev/* ../shared/eval/dev2/* tests/data/projects/*/ \\
        --markdown docs/recall-quality.md

Each project is judged by a model and thresholds that were fitted to the other projects. `--markdown` writes the tables
into a page, between two comments (see `marked_page.py`); without it they are printed.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from marked_page import show
from model import Logits, shown_at
from report import DEFAULT, Judged, Row, halves, mean, table

from cuecard._pure.engine.named import MOST_NAMED, NAMED_BELOW
from cuecard._pure.present.named_line import pack_named
from judged import Case, read_memories

MARKS = "titles"
MOST = 5
BUDGET_CHARS = 6000
MAX_TOKENS = 700
# How far below the threshold of the setting a memory may be named, in 1/1024.
DISTANCES = (256, 512, NAMED_BELOW, 1024, 1257)


@dataclass
class Line:
    """What a line of titles brings and costs, over some prompts."""

    recalls: list[float] = field(default_factory=list)
    missed: list[float] = field(default_factory=list)
    false: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)

    def add(self, case: Case, shown: Sequence[str], named: Sequence[str], tokens: int) -> None:
        """Count a prompt with the memories that are shown and those that are named."""
        self.tokens.append(tokens)
        if not case.is_answerable:
            self.false.append(bool(named))
        elif case.wanted:
            found = case.wanted.intersection(named)
            self.recalls.append(len(found) / min(MOST, len(case.wanted)))
            if not shown:
                self.missed.append(bool(found))

    def cells(self) -> list[str]:
        """The table cells: recall, share of the silent prompts with an answer, false lines, tokens."""
        found = sum(self.recalls) / len(self.recalls)
        return [f"+{found:.3f}", mean(self.missed), mean(self.false), f"{sum(self.tokens) / len(self.tokens):.1f}"]


class Titles:
    """The titles of the memories of some projects."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._titles = {
            folder.name: {memory["id"]: memory["title"] for memory in read_memories(folder, has_questions=False)}
            for folder in folders
        }

    def line(self, case: Case, logits: Logits, least: int) -> tuple[list[str], int]:
        """The memories that a line names, and the tokens of its block."""
        if case.is_chat:
            return [], 0
        near = sorted([memory for memory in logits if logits[memory] >= least], key=lambda memory: -logits[memory])
        near = near[:MOST_NAMED]
        items: list[tuple[str, str, list[str]]] = [(self._titles[case.project][memory], memory, []) for memory in near]
        _block, outcomes, tokens = pack_named(items, MAX_TOKENS, BUDGET_CHARS)
        told = zip(near, outcomes, strict=True)
        return [memory for memory, outcome in told if outcome == "named"], tokens


def measure(rows: Sequence[Row], judged: Judged, titles: Titles, distance: int) -> Line:
    """The figures of a line for memories up to a distance below the threshold of the default setting."""
    line = Line()
    for _prompt, case, logits in rows:
        threshold = judged.thresholds[DEFAULT][case.project]
        shown = shown_at(case, logits, threshold)
        named, tokens = ([], 0) if shown else titles.line(case, logits, threshold - distance)
        line.add(case, shown, named, tokens)
    return line


def tables(judged: Judged, folders: Sequence[Path]) -> str:
    """The table of each set of projects at the distance that the engine has, and the table of other distances."""
    titles = Titles(folders)
    groups = {**judged.sets, "all": {name for names in judged.sets.values() for name in names}}
    head = ["recall", "of silent ones with an answer", "false lines", "tokens a prompt"]
    lines, others = [], []
    for questions, half in zip(("without", "with"), halves(judged.rows), strict=True):
        for name, projects in groups.items():
            rows = [row for row in half if row[1].project in projects]
            lines.append([name, questions, *measure(rows, judged, titles, NAMED_BELOW).cells()])
        others += [[str(each), questions, *measure(half, judged, titles, each).cells()] for each in DISTANCES]
    of_sets = table(("projects", "questions", *head), lines)
    return f"{of_sets}\n\n{table(('logits below, in 1/1024', 'questions', *head), others)}"


def main() -> None:
    """Measure the line, and print the tables or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    show(tables(Judged.read(arguments.folders), arguments.folders), MARKS, arguments.markdown)


if __name__ == "__main__":
    main()
