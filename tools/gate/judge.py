"""Measure how much a judge of the gate's candidates can add, and what happens if it fails, with a local server.

    python tools/gate/judge.py ../shared/eval/dev*/* tests/data/projects/*/ --markdown docs/recall-quality.md

No model is asked: the server keeps exactly the memories that were judged to be wanted or acceptable, or keeps all, or
answers nonsense. So the table shows what a perfect judge would add, and that a broken judge changes nothing.
`--markdown` writes the table into a page, between two comments (see `marked_page.py`); without it the table is printed.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

from injections import Project
from marked_page import show

from cuecard.retrieval.recall import Recall, open_recall
from judged import ROOT, UNANSWERABLE

sys.path.insert(0, str(ROOT / "tests" / "support"))

from model_server import ModelServer

MARKS = "judge"
MOST_CHARS = 100
TIMEOUT_MS = 10_000
Settings = dict[str, Any]
# For each row: the settings of `retrieval.judge` except the URL, or None for no judge; the fault of the server, "" for
# none; and whether the server keeps all memories.
WAYS: dict[str, tuple[Settings | None, str, bool]] = {
    "gate alone": (None, "", False),
    "a judge that fails": ({}, "garbage", False),
    "a judge that keeps all": ({}, "", True),
    "a perfect judge of 5": ({"candidate_pool_size": 5}, "", False),
    "a perfect judge of 15": ({}, "", False),
    "a perfect judge of 30": ({"candidate_pool_size": 30}, "", False),
}


class Row:
    """The figures of one way of judging, over all prompts."""

    def __init__(self) -> None:
        self.recalls: list[float] = []
        self.shown = self.good = self.unanswerable = self.false = 0
        self.milliseconds: list[float] = []

    def add(self, prompt: dict[str, Any], found: list[str], milliseconds: float) -> None:
        """Count the memories found for one prompt, and the time that it took."""
        self.milliseconds.append(milliseconds)
        if prompt["kind"] in UNANSWERABLE:
            self.unanswerable += 1
            self.false += bool(found)
            return
        grades = prompt["judgments"]
        wanted = {memory for memory, grade in grades.items() if grade == 2}
        self.shown += len(found)
        self.good += sum(grades.get(memory, 0) > 0 for memory in found)
        if wanted:
            self.recalls.append(len(wanted.intersection(found)) / min(5, len(wanted)))

    def cells(self) -> list[str]:
        """The table cells: recall@5, precision, false injections, and the median milliseconds of a prompt."""
        middle = sorted(self.milliseconds)[len(self.milliseconds) // 2]
        shares = [sum(self.recalls) / len(self.recalls), self.good / max(self.shown, 1), self.false / self.unanswerable]
        return [*[f"{share:.3f}" for share in shares], f"{middle:.0f}"]


def measure(folders: list[Path]) -> list[str]:
    """Measure each way of judging; returns the lines of the table."""
    rows = {name: Row() for name in WAYS}
    with tempfile.TemporaryDirectory() as scratch, ModelServer() as server:
        for folder in folders:
            project = Project(folder, Path(scratch) / folder.name)
            titles = {json.loads(line)["id"]: json.loads(line)["title"] for line in _lines_of(folder)}
            for name, (settings, fault, keeps_all) in WAYS.items():
                server.fault = fault
                recaller = _open(project.root, None if settings is None else {**settings, "url": server.url})
                for prompt in project.prompts:
                    server.keep = _all if keeps_all else _judge(prompt, titles)
                    began = time.perf_counter()
                    hits = recaller.recall(prompt["prompt"], prompt["history"], limit=5, explain=False)
                    found = [Path(hit.path).stem for hit in hits]
                    rows[name].add(prompt, found, (time.perf_counter() - began) * 1000)
    head = ["`balanced`", "R@5", "precision", "false", "ms a prompt"]
    cells = [head, ["---", *["--:"] * 4], *[[name, *row.cells()] for name, row in rows.items()]]
    return [f"| {' | '.join(row)} |" for row in cells]


def _lines_of(folder: Path) -> list[str]:
    return [line for line in (folder / "memories.jsonl").read_text("utf-8").split("\n") if line]


def _open(root: Path, judge: Settings | None) -> Recall:
    config: Settings = {"log": {"events": False}}
    if judge is not None:
        config["retrieval"] = {"judge": {"enabled": True, "timeout_ms": TIMEOUT_MS, **judge}}
    # A repository may not choose a judge's time limit, so the settings are written into a user's configuration.
    own = root / "config" / "cuecard"
    own.mkdir(parents=True, exist_ok=True)
    (own / "config.json").write_text(json.dumps(config), "utf-8")
    os.environ["XDG_CONFIG_HOME"] = str(own.parent)
    return open_recall(root, heeds_trust=False)


def _all(candidates: list[str]) -> list[int]:
    return list(range(len(candidates)))


def _judge(prompt: dict[str, Any], titles: dict[str, str]) -> Callable[[list[str]], list[int]]:
    """A judge that keeps the candidates whose titles belong to memories that were judged useful for the prompt."""
    graded = [memory for memory, grade in prompt["judgments"].items() if grade > 0 and memory in titles]
    wanted = tuple([" ".join(titles[memory].split())[:MOST_CHARS] for memory in graded])

    def keep(candidates: list[str]) -> list[int]:
        return [place for place, line in enumerate(candidates) if wanted and unescape(line).startswith(wanted)]

    return keep


def main() -> None:
    """Measure the judges, and print the table or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    table = "\n".join(measure(arguments.folders))
    show(table, MARKS, arguments.markdown)


if __name__ == "__main__":
    main()
