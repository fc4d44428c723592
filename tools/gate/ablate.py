"""What each part of recall earns: every retriever, prior and feature of the gate left out in turn, on judged prompts.

    python tools/gate/ablate.py ../shared/eval/dev/* --sets ../shared/eval/sets/*.json --markdown docs/recall-quality.md

Needs cuecard itself (`pip install .`) beside `requirements.txt`; takes some minutes. The gate is fitted again to each
variant, and judges projects (or prompts) that its model has not seen. `--markdown` puts the tables between the two
marks of a page; else they are printed.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

from differences import FALSE_KINDS, LOSS, SYNONYM, Outcome, compare, with_gate, without_gate
from judged import Case, build, read_project, read_rows
from marked_page import show
from model import BARS, by_fold, by_project, cross_fit, most_recall
from sets import JudgedSet

from cuecard._pure.rank import priors
from cuecard.evaluate import JudgedPrompt, bootstrap, read_prompts
from cuecard.protocol.request import Request
from cuecard.settings.gate_model import FEATURES, gate_threshold
from cuecard.settings.reader import Settings
from cuecard.text import prompt_terms

MARKS = "tables"
STRATEGIES = ("vectors", "bm25", "tfidf", "keyword")
UNGATED = ("R@5", "nDCG@5", SYNONYM)
GATED = ("R@5", "prec", "false")
GROUPS = {"projects": by_project, "prompts": by_fold}
WORDS = {SYNONYM: "synonym R@5", "prec": "precision", "false": "false"}
CUES = FEATURES[8:]
# Features that are left out together.
TOGETHER = {
    "both margins": ("lexical_margin", "semantic_margin"),
    "what is missing": ("missing_known", "missing_unknown"),
    "the title": ("title_words", "title_share"),
    "all cues": CUES,
}

# What changes the code for a while.
Change = Callable[[], AbstractContextManager[Any]]


@contextmanager
def no_synonyms() -> Iterator[None]:
    """Without the built-in table of synonyms."""
    with mock.patch.object(prompt_terms, "find_others", return_value=""):
        yield


def no_intent(cue: str) -> Change:
    """Without the prior of a cue."""
    kept = tuple([intent for intent in priors.INTENTS if intent[0] != cue])
    return lambda: mock.patch.object(priors, "INTENTS", kept)


@dataclass(frozen=True)
class Variant:
    """Hybrid recall with something changed."""

    name: str
    retrieval: dict[str, Any] = field(default_factory=dict)
    has_history: bool = True
    # What only a change of the code can do; the sets are not asked then.
    change: Change = nullcontext

    def read(self, folders: Sequence[Path]) -> list[Case]:
        """The cases of the projects."""
        with self.change():
            return [case for folder in folders for case in read_project(folder, self.retrieval, self.has_history)]


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
    Variant("candidate pool 10", {"candidate_pool": 10}),
    Variant("candidate pool 200", {"candidate_pool": 200}),
    Variant("without priors", {"priors": False}),
    *[Variant(f"without the prior `{cue}`", change=no_intent(cue)) for cue, _categories, _points in priors.INTENTS],
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print, or write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--sets", nargs="*", type=Path, default=[])
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args(arguments)
    prompts = [prompt for folder in options.projects for prompt in read_prompts(str(folder / "prompts.jsonl"))]
    draws = bootstrap.draw([prompt.kind for prompt in prompts])
    cases = {variant.name: variant.read(options.projects) for variant in (SHIPPED, *VARIANTS)}
    tables = [
        legs_table(prompts, cases, options.projects, draws),
        *[gate_table(prompts, cases, group, draws) for group in GROUPS],
        *[feature_table(prompts, cases[SHIPPED.name], group, draws) for group in GROUPS],
        kinds_table(prompts, cases[SHIPPED.name], draws),
    ]
    if options.sets:
        tables += sets_tables([JudgedSet(path) for path in options.sets])
    text = "\n\n".join(tables)
    show(text, MARKS, options.markdown)


def legs_table(
    prompts: list[JudgedPrompt], cases: dict[str, list[Case]], folders: Sequence[Path], draws: Sequence[bootstrap.Draw]
) -> str:
    """Ungated recall of each variant and of the other strategies."""
    outcomes = {
        name: without_gate(prompts, [[example.memory for example in case.examples] for case in found])
        for name, found in cases.items()
    }
    for strategy in STRATEGIES:
        outcomes[f"strategy `{strategy}`"] = without_gate(prompts, search_all(folders, strategy))
    return table("Without a gate", outcomes, UNGATED, draws)


def search_all(folders: Sequence[Path], strategy: str) -> list[list[str]]:
    """What a strategy finds for each prompt of the projects, best first."""
    found = []
    for folder in folders:
        snapshot, ids = build(read_rows(folder / "memories.jsonl"))
        for row in read_rows(folder / "prompts.jsonl"):
            hits = snapshot.search(Request(row["prompt"], 5, Settings()), strategy)
            found.append([ids[position] for position, _score in hits])
    return found


def judge(prompts: list[JudgedPrompt], cases: list[Case], group: str) -> Outcome:
    """What `balanced` lets through by models that have not seen the prompt's group."""
    logits = cross_fit(cases, GROUPS[group])
    return with_gate(prompts, cases, logits, most_recall(cases, logits, "balanced"))


def gate_table(
    prompts: list[JudgedPrompt], cases: dict[str, list[Case]], group: str, draws: Sequence[bootstrap.Draw]
) -> str:
    """`balanced`, fitted again to each variant."""
    outcomes = {name: judge(prompts, found, group) for name, found in cases.items()}
    return table(f"`balanced` by variant, on {group} not seen", outcomes, GATED, draws, FALSE_KINDS)


def feature_table(prompts: list[JudgedPrompt], cases: list[Case], group: str, draws: Sequence[bootstrap.Draw]) -> str:
    """`balanced` without each feature of the gate."""
    outcomes = {SHIPPED.name: judge(prompts, cases, group)}
    left_out = {f"`{feature}`": (feature,) for feature in FEATURES} | TOGETHER
    for name, features in left_out.items():
        outcomes[f"without {name}"] = judge(prompts, [drop(case, features) for case in cases], group)
    title = f"`balanced` by feature of the gate, on {group} not seen"
    return table(title, outcomes, (*GATED, LOSS), draws, FALSE_KINDS)


def drop(case: Case, features: Sequence[str]) -> Case:
    """A case without some features."""
    kept = [number for number, name in enumerate(FEATURES) if name not in features]
    examples = [replace(example, features=[example.features[number] for number in kept]) for example in case.examples]
    return replace(case, examples=examples)


def kinds_table(prompts: list[JudgedPrompt], cases: list[Case], draws: Sequence[bootstrap.Draw]) -> str:
    """False injections of every setting by kind, as shares with intervals."""
    lines = [
        f"**Settings on what is not seen** (recall, precision, false injections: all, {', '.join(FALSE_KINDS)})",
        "",
        "| setting | not seen | R@5 | precision | all | " + " | ".join(FALSE_KINDS) + " |",
        "| --- | --- " + "| --: " * (3 + len(FALSE_KINDS)) + "|",
    ]
    for group, group_of in GROUPS.items():
        logits = cross_fit(cases, group_of)
        for setting in BARS:
            outcome = with_gate(prompts, cases, logits, gate_threshold(setting) or 0)
            cells = []
            for name in ("R@5", "prec", "false", *FALSE_KINDS):
                limits = bootstrap.interval(bootstrap.resample(outcome.rows, name, draws))
                value = outcome.value(name)
                cells.append(
                    "-" if value is None or limits is None else f"{value:.2f} [{limits[0]:.2f}, {limits[1]:.2f}]"
                )
            lines.append(f"| `{setting}` | {group} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def sets_tables(sets: list[JudgedSet]) -> list[str]:
    """Ungated recall over the sets by variant and strategy: values of each set, differences over all of them."""
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


def table(
    title: str,
    outcomes: dict[str, Outcome],
    names: Sequence[str],
    draws: Sequence[bootstrap.Draw],
    in_short: Sequence[str] = (),
) -> str:
    """The measures of the first outcome, and what each other one has more; of those `in_short` without intervals."""
    (first, base), *others = outcomes.items()
    columns = [*names, *in_short]
    values = [base.value(name) for name in columns]
    lines = [
        f"**{title}**",
        "",
        "| | " + " | ".join(WORDS.get(name, name) for name in columns) + " |",
        "| --- " + "| --: " * len(columns) + "|",
        f"| {first} | " + " | ".join("-" if value is None else f"{value:.3f}" for value in values) + " |",
    ]
    for name, outcome in others:
        found = [compare(outcome, base, column, draws) for column in columns]
        cells = ["-" if cell is None else str(cell) for cell in found[: len(names)]]
        cells += ["-" if cell is None else cell.in_short for cell in found[len(names) :]]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
