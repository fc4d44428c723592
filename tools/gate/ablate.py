"""Measure what each part of recall adds, by leaving out every retriever, prior and feature of the gate in turn.

    python tools/gate/ablate.py features ../shared/eval/dev*/* tests/data/projects/*/ --markdown docs/recall-quality.md
    python tools/gate/ablate.py parts ../shared/eval/dev*/* tests/data/projects/*/ --markdown docs/recall-quality.md
    python tools/gate/ablate.py sets ../shared/eval/sets/*.json --markdown docs/recall-quality.md

All runs use judged prompts. The gate is fitted again to each variant, and each project is judged by a model and a
threshold that were fitted to the other projects. `--markdown` writes each table into the page, between the two comments
with its name (see `marked_page.py`); without `--markdown` the tables are printed.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any
from unittest import mock

from differences import FALSE_KINDS, LOSS, SYNONYM, WITH, WITHOUT, Outcome, judge_unseen, table, without_gate
from marked_page import show
from model import without
from sets import JudgedSet

from cuecard._pure.requests.request import Request
from cuecard._pure.settings.reader import Settings
from cuecard._pure.text import prompt_terms
from cuecard._pure.text.cues import CUES
from cuecard.basics.gate_table import FEATURE_NAMES
from cuecard.evaluate import JudgedPrompt, bootstrap, read_prompts
from judged import Case, build, read_all, read_memories, read_project

STRATEGIES = ("vectors", "bm25", "tfidf", "keyword")
UNGATED = ("R@5", "nDCG@5", SYNONYM)
GATED = ("R@5", "prec", "false")
BY_FEATURE = (WITHOUT, WITH, "prec", "false", LOSS)
# Features that are left out as a group.
TOGETHER = {
    "the three of lexical points": ("lexical_margin", "lexical_points", "lexical_share"),
    "the score": ("score", "score_share", "close_scores"),
    "what the memory has of the prompt": ("prompt_share", "information", "window_lead"),
    "the title": ("title_words", "prompt_share_of_title", "title_information"),
    "questions": tuple([name for name in FEATURE_NAMES if "question" in name and name != "question_mark"]),
    "what the prompt says": ("unknown_words", "prompt_words"),
    "all cues": ("question_mark", *[name for name in FEATURE_NAMES if name in CUES]),
}

# A context manager that changes the code temporarily.
Change = Callable[[], AbstractContextManager[Any]]


@contextmanager
def no_synonyms() -> Iterator[None]:
    """Switch off the built-in table of synonyms."""
    with mock.patch.object(prompt_terms, "find_others", return_value=""):
        yield


@dataclass(frozen=True)
class Variant:
    """Hybrid recall with one change."""

    name: str
    retrieval: dict[str, Any] = field(default_factory=dict)
    has_history: bool = True
    # A change of the code that no setting can make; `sets_tables` leaves out variants with such a change.
    change: Change = nullcontext

    def read(self, folders: Sequence[Path]) -> list[Case]:
        """The cases of the projects, whose memories have questions."""
        with self.change():
            return [
                case
                for folder in folders
                for case in read_project(folder, self.retrieval, has_history=self.has_history, has_questions=True)
            ]


SHIPPED = Variant("as shipped")
VARIANTS = (
    Variant("without the lexical retriever", {"weights": {"lexical": 0}}),
    Variant("without the semantic retriever", {"weights": {"semantic": 0}}),
    Variant("without related terms", {"related_terms": False}),
    Variant("without both of the latter", {"weights": {"semantic": 0}, "related_terms": False}),
    Variant("without built-in synonyms", change=no_synonyms),
    Variant("without history", has_history=False),
    Variant("fused by rank (rrf)", {"fusion": "rrf"}),
    Variant("with the concept graph", {"graph": True}),
    Variant("without priors", {"priors": False}),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the tables or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args(arguments)
    show("\n\n".join(TABLES[options.table](options.paths)), options.table, options.markdown)


def read_all_prompts(folders: Sequence[Path]) -> list[JudgedPrompt]:
    """The judged prompts of all these projects, in order."""
    return [prompt for folder in folders for prompt in read_prompts(str(folder / "prompts.jsonl"))]


def parts_tables(folders: Sequence[Path]) -> list[str]:
    """Two tables: each variant and strategy without a gate, and each variant with a gate fitted to it (`balanced`)."""
    prompts = read_all_prompts(folders)
    draws = bootstrap.draw([prompt.kind for prompt in prompts])
    cases = {variant.name: variant.read(folders) for variant in (SHIPPED, *VARIANTS)}
    ungated = {name: without_gate(prompts, [case.ranked for case in found]) for name, found in cases.items()}
    for strategy in STRATEGIES:
        ungated[f"strategy `{strategy}`"] = without_gate(prompts, search_all(folders, strategy))
    gated = {name: judge_unseen(prompts, found, "balanced") for name, found in cases.items()}
    return [
        table("Without a gate", ungated, UNGATED, draws),
        table("`balanced` by variant", gated, GATED, draws, FALSE_KINDS),
    ]


def search_all(folders: Sequence[Path], strategy: str) -> list[list[str]]:
    """The memories that a strategy finds for each prompt of the projects, best first."""
    found = []
    for folder in folders:
        snapshot, ids = build(read_memories(folder, has_questions=True))
        for prompt in read_prompts(str(folder / "prompts.jsonl")):
            hits = snapshot.search(Request(prompt.text, 5, Settings()), strategy)
            found.append([ids[position] for position, _score in hits])
    return found


def feature_tables(folders: Sequence[Path]) -> list[str]:
    """The table of the setting `balanced` with each feature, or group of features, of the gate left out in turn.

    Only whole stores are measured, not stores that were cut down to a few memories.
    """
    cases = [case for case in read_all(folders) if not case.is_made]
    asked = [prompt for folder in folders for _ in (False, True) for prompt in read_all_prompts([folder])]
    left_out: dict[str, tuple[str, ...]] = {SHIPPED.name: ()}
    left_out |= {f"without `{feature}`": (feature,) for feature in FEATURE_NAMES}
    left_out |= {f"without {name}": features for name, features in TOGETHER.items()}
    with ProcessPoolExecutor() as pool:
        judged = pool.map(judge_without, repeat(asked), repeat(cases), left_out.values())
        outcomes = dict(zip(left_out, judged, strict=True))
    draws = bootstrap.draw([prompt.kind for prompt in read_all_prompts(folders)])
    return [table("`balanced` by feature of the gate", outcomes, BY_FEATURE, draws)]


def judge_without(prompts: Sequence[JudgedPrompt], cases: Sequence[Case], features: Sequence[str]) -> Outcome:
    """The outcome of `balanced` with a gate that is fitted without some features."""
    for feature in features:
        cases = without(cases, FEATURE_NAMES.index(feature))
    return judge_unseen(prompts, cases, "balanced")


def sets_tables(paths: Sequence[Path]) -> list[str]:
    """Two tables of recall without a gate: the values for each set, and the differences over all sets."""
    sets = [JudgedSet(path) for path in paths]
    found: dict[str, list[list[list[str]]]] = {}
    for variant in (SHIPPED, *VARIANTS):
        if variant.change is nullcontext and variant.has_history:
            found[variant.name] = [each.recall(variant.retrieval) for each in sets]
    for strategy in STRATEGIES:
        found[f"strategy `{strategy}`"] = [each.search(strategy) for each in sets]
    prompts = [prompt for each in sets for prompt in each.prompts]
    draws = bootstrap.draw([prompt.project for prompt in prompts])
    lines = [
        "**Other judged sets, without a gate** (R@5 / nDCG@5)",
        "",
        "| | " + " | ".join(f"{each.name} ({len(each.prompts)})" for each in sets) + " |",
        "| --- " + "| --: " * len(sets) + "|",
    ]
    for name, of_sets in found.items():
        cells = []
        for each, memories in zip(sets, of_sets, strict=True):
            outcome = without_gate(each.prompts, memories)
            cells.append(f"{outcome.value('R@5') or 0:.3f} / {outcome.value('nDCG@5') or 0:.3f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    outcomes = {
        name: without_gate(prompts, [memories for of_set in of_sets for memories in of_set])
        for name, of_sets in found.items()
    }
    return ["\n".join(lines), table("All queries of these sets", outcomes, ("R@5", "nDCG@5"), draws)]


TABLES = {"parts": parts_tables, "features": feature_tables, "sets": sets_tables}

if __name__ == "__main__":
    main()
