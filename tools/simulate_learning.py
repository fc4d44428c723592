"""Simulates people who judge what they are shown, and measures what recall makes of it.

    python tools/simulate_learning.py PROJECT PROMPTS [PROJECT PROMPTS ...] [--similar PERCENT,PERCENT,...] [--runs N]

PROJECT is a folder with memories, which is copied, and PROMPTS its judged prompts. Half of the prompts are asked in
twelve sessions each, and each memory that is shown gets a verdict: a right one, one of which a fifth is wrong, or a
random one. Then all prompts are asked again. Quality is the harmonic mean of two shares: the useful share of what is
shown, and the shown share of what is wanted. `first` is the share of the answered prompts whose first memory is useful,
which is what an order of near-ties can change. `learned` has the points of memories and the gate's shift; `kept away`
has in addition the prompts for which a memory was said to be wrong. The last rows have the means.

`--similar` prints another table instead: the mean quality with everything that is kept away, by the shared part of the
words from which two prompts are similar. `--runs` is the number of runs with other chances; figures are their means.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

FOLDER = tempfile.mkdtemp(prefix="cuecard-learning-")
os.environ["CUECARD_HOME"] = str(Path(FOLDER, "data"))
os.environ["XDG_CONFIG_HOME"] = str(Path(FOLDER, "config"))

from cuecard._backend import answer_prompt_event, engine  # noqa: E402 - the folders come first
from cuecard._pure.rank import verdicts as reference  # noqa: E402
from cuecard.evaluate.engine import Engine  # noqa: E402
from cuecard.evaluate.judged_prompts import JudgedPrompt, read_prompts  # noqa: E402
from cuecard.files.environment import Environment  # noqa: E402
from cuecard.files.user_folder import open_store_folder  # noqa: E402
from cuecard.store.log.verdict_log import DERIVED, Verdict, derived_text  # noqa: E402

WAYS = {"right": 0.0, "a fifth wrong": 0.2, "random": 0.5}
ROUNDS = 12
SEED = 7

Answers = list[list[tuple[str, bool]]]


def main(arguments: list[str]) -> None:
    """Print a table with a row for each project and way of judging, or one with a row for each limit of similarity."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", metavar="PROJECT PROMPTS")
    parser.add_argument("--similar", metavar="PERCENTS", default="", help="limits of similarity, with commas between")
    parser.add_argument("--runs", metavar="N", type=int, default=1, help="runs with other chances (1)")
    given = parser.parse_args(arguments)
    limits = [int(percent) for percent in given.similar.split(",") if percent]
    rows: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    if not limits:
        print("| project | verdicts | quality before | learned | kept away | first before | learned | shift | moved |")
        print("| --- | --- | --: | --: | --: | --: | --: | --: | --: |")
    for source, judged in zip(given.files[::2], given.files[1::2], strict=True):
        root = Path(FOLDER, Path(source).name)
        shutil.copytree(source, root)
        prompts = read_prompts(judged)
        lines = [kept_of(root, prompt.text) for prompt in prompts]
        for way, share in WAYS.items():
            runs = [Simulated(root, prompts, lines, share, SEED + run) for run in range(given.runs)]
            rows[way].append(means([run.by_limit(limits) if limits else run.figures() for run in runs]))
            if not limits:
                print_row(root.name, way, rows[way][-1])
    if limits:
        print_limits(limits, rows)
        return
    for way, figures in rows.items():
        print_row("mean", way, means(figures))


def means(rows: list[list[float]]) -> list[float]:
    """The mean of each column."""
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def print_row(name: str, way: str, figures: list[float]) -> None:
    """Print a row: five shares, and two numbers."""
    cells = [*[f"{figure:.3f}" for figure in figures[:5]], *[f"{figure:g}" for figure in figures[5:]]]
    print(f"| {name} | {way} | {' | '.join(cells)} |", flush=True)


def print_limits(limits: list[int], rows: dict[str, list[list[float]]]) -> None:
    """Print the mean quality by the limit of similarity; the first row is without verdicts."""
    print(f"| similar from | {' | '.join(rows)} |")
    print(f"| --- |{' --: |' * len(rows)}")
    columns = [means(figures) for figures in rows.values()]
    for name, *cells in zip(["no verdicts", *[f"{limit} %" for limit in limits]], *columns, strict=True):
        print(f"| {name} | {' | '.join([f'{cell:.3f}' for cell in cells])} |")


class Simulated:
    """The verdicts that people give in a project, and the answers before them and with the points that they give."""

    def __init__(self, root: Path, prompts: list[JudgedPrompt], lines: list[str], share: float, seed: int) -> None:
        """Judge every second prompt. `lines` are what is kept of each; `share` of the verdicts are wrong."""
        self.root, self.prompts, self.lines = root, prompts, lines
        self.memory_dir = str(root / ".claude" / "memory")
        write(self.memory_dir, "")
        self.before = answers(root, prompts)
        self.text = derived_text(self._judge(random.Random(seed), share))
        # That a memory stays away from a prompt for which somebody said so is no learning; it is measured by itself.
        lines_of = [line for line in self.text.splitlines() if not line.startswith("wrong ")]
        write(self.memory_dir, "".join([f"{line}\n" for line in lines_of]))
        self.learned = answers(root, prompts)

    def figures(self) -> list[float]:
        """The figures of a row."""
        write(self.memory_dir, self.text)
        after = answers(self.root, self.prompts)
        header, *rest = self.text.split("\n")
        moved = sum([line.split(" ")[2] != "0" for line in rest if line.startswith("memory ")])
        shift = int(header.rpartition(" ")[2] or "0")
        qualities = [quality(found, self.prompts) for found in (self.before, self.learned, after)]
        return [*qualities, first_is_useful(self.before), first_is_useful(self.learned), shift, moved]

    def by_limit(self, limits: list[int]) -> list[float]:
        """The quality without verdicts, and with what is kept away by each limit of similarity in percent."""
        found = [quality(self.before, self.prompts)]
        verdicts = reference.Verdicts(self.text.encode())
        for limit in limits:
            reference.SHARED, reference.OF_ALL = limit, 100
            rows = zip(self.learned, self.lines, strict=True)
            after = [
                [one for one in row if not verdicts.is_wrong(one[0], self._hash(one[0]), kept)] for row, kept in rows
            ]
            found.append(quality(after, self.prompts))
        return found

    def _judge(self, chance: random.Random, share: float) -> list[Verdict]:
        verdicts: list[Verdict] = []
        for turn in range(ROUNDS):
            for place, prompt in enumerate(self.prompts[::2]):
                for path, is_useful in self.before[2 * place]:
                    says_good = is_useful != (chance.random() < share)
                    verdicts.append(
                        Verdict(
                            id=f"v{len(verdicts)}",
                            at="2026-01-01T00:00:00Z",
                            kind="good" if says_good else "wrong",
                            path=path,
                            trust_hash=self._hash(path),
                            session=f"{turn}-{place}",
                            prompt=prompt.id,
                            kept=self.lines[2 * place],
                        )
                    )
        return verdicts

    def _hash(self, path: str) -> str:
        return engine.trust_hash((self.root / path).read_bytes()) or ""


def kept_of(root: Path, text: str) -> str:
    """What a session keeps of a prompt."""
    payload = json.dumps({"prompt": text, "cwd": str(root), "session_id": "simulated"}).encode()

    def no_models(*_asked: object) -> None:
        raise AssertionError("the settings name no model")

    return answer_prompt_event(payload, "plain", Environment(), no_models).event.kept  # type: ignore[arg-type]


def answers(root: Path, prompts: list[JudgedPrompt]) -> Answers:
    """The paths of the memories that each prompt is shown, and whether each is useful."""
    with Engine(str(root)) as asked:
        found = [asked.answer(prompt).memories for prompt in prompts]
        return [
            [(asked.paths[name], is_useful(prompt, name)) for name in names]
            for prompt, names in zip(prompts, found, strict=True)
        ]


def is_useful(prompt: JudgedPrompt, name: str) -> bool:
    """Whether a memory is useful for a prompt."""
    return not prompt.is_unanswerable and prompt.judgments.get(name, 0) > 0


def quality(found: Answers, prompts: list[JudgedPrompt]) -> float:
    """The harmonic mean of the useful share of what is shown and the shown share of what is wanted."""
    shown = sum(map(len, found))
    useful = sum([is_good for rows in found for _path, is_good in rows])
    wanted = sum([len(prompt.wanted) for prompt in prompts if not prompt.is_unanswerable])
    precision, recall = useful / max(shown, 1), min(1.0, useful / max(wanted, 1))
    return 2 * precision * recall / max(precision + recall, 1e-9)


def first_is_useful(found: Answers) -> float:
    """The share of the answered prompts whose first memory is useful."""
    answered = [rows[0][1] for rows in found if rows]
    return sum(answered) / max(len(answered), 1)


def write(memory_dir: str, text: str) -> None:
    """Put the file of verdicts in its place, or remove it."""
    folder = open_store_folder(memory_dir, make=True)
    if folder is None:
        sys.exit("error: no data folder")
    with folder:
        if text:
            folder.replace(DERIVED, text.encode())
        elif folder.kind(DERIVED):
            folder.remove(DERIVED)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
