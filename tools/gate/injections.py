"""Compare how many tokens injections, index lines and whole texts need for a similar recall.

    python tools/gate/injections.py ../shared/eval/dev*/* tests/data/projects/*/ --markdown docs/recall-quality.md

Each prompt is answered with its judged history, as in a session in which no memory was shown yet. Tokens are estimated
(SPEC 31; `benches/tokens.py` measures the error). `--markdown` writes the tables into a page, between two comments (see
`marked_page.py`); without it they are printed.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from marked_page import show

from cuecard import GateSetting
from cuecard._pure.memory.card import read_card
from cuecard._pure.present.packing import pack
from cuecard._pure.present.render import render
from cuecard._pure.settings.gate_model import PRECISE
from cuecard._pure.text.token_estimate import estimate_tokens
from cuecard.basics.category import FOLDERS
from cuecard.retrieval.recall import open_recall
from judged import UNANSWERABLE, read_memories, read_rows

MARKS = "injections"
MOST = 5
BUDGET_CHARS = 6000
MAX_TOKENS = 700
TIERS = ("full", "gist", "title")
FOLLOW_UP = "follow-up"


@dataclass
class Row:
    """The figures of one way of injecting, over all prompts."""

    tokens: list[int] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)
    follow_ups: list[float] = field(default_factory=list)
    falses: list[bool] = field(default_factory=list)

    def add(self, prompt: dict[str, Any], tokens: int, found: Iterable[str]) -> None:
        """Count one prompt: `tokens` is the cost of what was injected, `found` are the injected memories."""
        self.tokens.append(tokens)
        if prompt["kind"] in UNANSWERABLE:
            self.falses.append(tokens > 0)
            return
        wanted = {memory for memory, grade in prompt["judgments"].items() if grade == 2}
        if wanted:
            self.recalls.append(len(wanted.intersection(found)) / min(MOST, len(wanted)))
            if prompt["kind"] == FOLLOW_UP:
                self.follow_ups.append(self.recalls[-1])

    def cells(self) -> list[str]:
        """The table cells: mean tokens, their 95th percentile, recall, recall of follow-ups, false injections."""
        ordered = sorted(self.tokens)
        means = [sum(values) / len(values) for values in (self.recalls, self.follow_ups, self.falses)]
        cells = [f"{sum(ordered) / len(ordered):.0f}", str(ordered[len(ordered) * 95 // 100])]
        return cells + [f"{mean:.3f}" for mean in means]


class Project:
    """A judged project whose memories are written into a store."""

    def __init__(self, folder: Path, root: Path) -> None:
        folders = {category: folder for folder, category in FOLDERS}
        for memory in read_memories(folder, has_questions=True):
            category = memory["category"].lower()
            file = root / ".claude" / "memory" / folders[category] / f"{memory['id']}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            record = {**memory, "category": category, "record_status": "active"}
            file.write_text(json.dumps(record), encoding="utf-8")
        self.root = root
        self.prompts = read_rows(folder / "prompts.jsonl")
        self.recaller = open_recall(root, heeds_trust=False)

    def lines(self, prompt: dict[str, Any], count: int) -> tuple[int, list[str]]:
        """The tokens and ids of the best memories as index lines, without a gate."""
        hits = self._best(prompt, count)
        entries = [(hit.category, hit.title, hit.path, list(hit.tags)) for hit in hits]
        return estimate_tokens(render(entries, [], "safe", BUDGET_CHARS)), [_id(hit.path) for hit in hits]

    def texts(self, prompt: dict[str, Any], count: int) -> tuple[int, list[str]]:
        """The tokens and ids of the best memories with their whole texts, without a gate."""
        hits, said = self._best(prompt, count), []
        for hit in hits:
            card = read_card((self.root / hit.path).read_bytes())
            said.append(f"- [{hit.category}] {hit.title}\n{card[3] if card else ''}\n")
        return estimate_tokens("".join(said)), [_id(hit.path) for hit in hits]

    def packed(self, prompt: dict[str, Any], setting: GateSetting, has_history: bool = True) -> tuple[int, list[str]]:
        """The tokens of the block that the hook makes, and the ids of its memories."""
        history = prompt["history"] if has_history else []
        injection = self.recaller.inject(prompt["prompt"], history, setting=setting, limit=MOST)
        return injection.tokens, [_id(memory.hit.path) for memory in injection.memories if memory.is_shown]

    def tiers(self, prompt: dict[str, Any], setting: GateSetting) -> list[tuple[str, str]]:
        """The tier (`full`, `gist` or `title`) and the id of each memory that is shown."""
        injection = self.recaller.inject(prompt["prompt"], prompt["history"], setting=setting, limit=MOST)
        return [(memory.outcome, _id(memory.hit.path)) for memory in injection.memories if memory.is_shown]

    def gists(self, prompt: dict[str, Any], setting: GateSetting) -> tuple[int, list[str]]:
        """The tokens and ids of the hook's block with gists only: no memory is shown with its text."""
        injection = self.recaller.inject(prompt["prompt"], prompt["history"], setting=setting, limit=MOST)
        shown = [memory for memory in injection.memories if memory.is_shown]
        items: list[Any] = []
        for hit, outcome in [(memory.hit, memory.outcome) for memory in shown]:
            card = read_card((self.root / hit.path).read_bytes()) or ("", "", "", "", [], "", "")
            logit = PRECISE - 1 if outcome == "title" else PRECISE
            items.append((hit.category, hit.title, _id(hit.path), card, [], logit, None))
        _block, _outcomes, tokens = pack(items, MAX_TOKENS, BUDGET_CHARS)
        return tokens, [_id(memory.hit.path) for memory in shown]

    def _best(self, prompt: dict[str, Any], count: int) -> "list[Any]":
        return self.recaller.recall(prompt["prompt"], prompt["history"], setting="off", limit=count)


def _id(path: str) -> str:
    return Path(path).stem


Way = Callable[[Project, dict[str, Any]], tuple[int, list[str]]]


def _lines(count: int) -> Way:
    return lambda project, prompt: project.lines(prompt, count)


def _packed(setting: GateSetting, *, has_history: bool = True) -> Way:
    return lambda project, prompt: project.packed(prompt, setting, has_history)


WAYS: dict[str, Way] = {
    "five whole texts, no gate": lambda project, prompt: project.texts(prompt, MOST),
    "five lines, no gate": _lines(5),
    "three lines, no gate": _lines(3),
    "two lines, no gate": _lines(2),
    "one line, no gate": _lines(1),
    **{f"packed, `{setting}`": _packed(setting) for setting in ("off", "eager", "balanced", "precise")},
    "packed, `off`, texts as gists": lambda project, prompt: project.gists(prompt, "off"),
    "packed, `balanced`, without a session": _packed("balanced", has_history=False),
}


def measure(folders: list[Path]) -> list[str]:
    """The lines of both tables: one compares the ways of injecting, the other the tiers that `balanced` shows."""
    rows = {name: Row() for name in WAYS}
    grades: dict[str, list[int]] = {tier: [] for tier in TIERS}
    with tempfile.TemporaryDirectory() as scratch:
        for folder in folders:
            project = Project(folder, Path(scratch) / folder.name)
            for prompt in project.prompts:
                for name, way in WAYS.items():
                    rows[name].add(prompt, *way(project, prompt))
                for tier, memory in project.tiers(prompt, "balanced"):
                    grades[tier].append(prompt["judgments"].get(memory, 0))
    head = ["what is injected", "tokens a prompt", "p95", "recall", "of follow-ups", "false"]
    ways = [[name, *row.cells()] for name, row in rows.items()]
    tiers = [
        [tier, str(len(found)), *[_share([grade >= least for grade in found]) for least in (1, 2)]]
        for tier, found in grades.items()
    ]
    return [*_table(head, ways), "", *_table(["tier", "memories", "wanted or acceptable", "wanted"], tiers)]


def _share(holds: list[bool]) -> str:
    return f"{sum(holds) / len(holds):.3f}" if holds else "-"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def main() -> None:
    """Measure the ways of injecting, and print the tables or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    table = "\n".join(measure(arguments.folders))
    show(table, MARKS, arguments.markdown)


if __name__ == "__main__":
    main()
