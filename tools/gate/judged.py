"""Reads judged prompts, and finds memories for each, in the form to which the gate's model is fitted."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cuecard._pure.engine.snapshot import Snapshot, build_snapshot
from cuecard._pure.rank.recall import JUDGED, Recall
from cuecard._pure.requests.request import Request
from cuecard._pure.retrieve.hybrid import Candidate
from cuecard._pure.settings.reader import read_settings
from cuecard._pure.text.cues import MAX_CHARS, split_words
from cuecard._pure.text.prompt_terms import FULL
from cuecard.basics.category import FOLDERS
from cuecard.basics.gate_table import FEATURE_NAMES

ROOT = Path(__file__).resolve().parent.parent.parent
UNANSWERABLE = ("negative", "noise", "in-vocabulary", "near-miss", "other-order", "talk")
NUMBERS = (2.0, (3.0, 4.0, 2.0, 1.0), (0.75, 0.75, 0.75, 0.75))
# The time at which all prompts count as typed: a day after the last memory of the judged projects.
NOW = 1_790_000_000_000_000
# The sizes to which stores are cut down, as numbers of memories, because every store starts small.
SMALL_SIZES = (2, 6, 15, 40)
# The weight of a prompt in a cut-down store. It is low, because the same prompts are used in many of these stores.
SMALL_WEIGHT = 0.3
# The number of unrelated prompts after which a prompt is asked again, and the weight of each of these cases.
UNRELATED = 3
UNRELATED_WEIGHT = 0.6
# Where a case comes from: a judged project, prompts of it in another store or after another prompt, or one of the added
# sets (see `added_sets.py`).
JUDGED_PROJECT = "judged"
CHANGED = "changed"
GENERAL_WORDS = FEATURE_NAMES.index("general_words")


@dataclass(frozen=True)
class Example:
    """A memory that was found for a prompt, its features in the order of the table, in 1/1024, and its grade."""

    memory: str
    features: list[int]
    grade: int
    # Whether the memory is valid now, or the prompt asks for the past; only such a memory counts for the best logit of
    # a reading (see `Case.readings`).
    is_asked_for: bool = True


@dataclass(frozen=True)
class Case:
    """A judged prompt and the best memories that were found for it, best first."""

    project: str
    kind: str
    language: str
    words: frozenset[str]
    wanted: frozenset[str]
    # A list of examples for the prompt with its history; before it, if the history matters, one for the prompt alone.
    readings: list[list[Example]]
    # The memories that are found without a gate, best first.
    ranked: list[str]
    has_questions: bool
    # How much the case counts in the training: 1 for a judged prompt as it is, less for a case that was made from one.
    weight: float
    # Whether the prompt is only a greeting or an assent, so that the gate is not asked.
    is_chat: bool
    # `JUDGED_PROJECT`, `CHANGED`, or the name of an added set.
    source: str = JUDGED_PROJECT
    # The number of memories to which the store of an added set was cut down or padded; None for the store as it is.
    size: int | None = None

    @property
    def is_answerable(self) -> bool:
        """Whether a memory answers the prompt, so that it should be shown."""
        return self.kind not in UNANSWERABLE

    @property
    def is_made(self) -> bool:
        """Whether the case is no prompt of a judged project in its own store, so that no threshold depends on it."""
        return self.source != JUDGED_PROJECT


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def read_memories(folder: Path, *, has_questions: bool) -> list[dict[str, Any]]:
    """The memories of a judged project, with their questions under `cuecard`, or without any questions."""
    memories = read_rows(folder / "memories.jsonl")
    asked = {memory["id"]: memory.get("questions") or [] for memory in memories}
    if (folder / "questions.jsonl").exists():
        asked |= {row["id"]: row["questions"] for row in read_rows(folder / "questions.jsonl")}
    for memory in memories:
        own = {key: value for key, value in (memory.get("cuecard") or {}).items() if key != "questions"}
        memory["cuecard"] = own | ({"questions": asked[memory["id"]]} if has_questions else {})
    return memories


def read_project(
    folder: Path, retrieval: dict[str, Any] | None = None, *, has_history: bool = True, has_questions: bool = False
) -> list[Case]:
    """The cases of a judged project, which is a folder with `memories.jsonl` and `prompts.jsonl`, in order of prompts.

    `retrieval` replaces default settings; without `has_history` every prompt has an empty history.
    """
    memories = read_memories(folder, has_questions=has_questions)
    prompts = read_rows(folder / "prompts.jsonl")
    if not has_history:
        prompts = [prompt | {"history": []} for prompt in prompts]
    return read_cases(folder.name, memories, prompts, retrieval, has_questions=has_questions)


def read_small_stores(folder: Path, *, has_questions: bool = False) -> list[Case]:
    """The cases of a judged project whose store is cut down to the memories that some of its prompts want.

    In such a store, at most twice as many prompts without an answer are kept as prompts with an answer.
    """
    memories = read_memories(folder, has_questions=has_questions)
    prompts = read_rows(folder / "prompts.jsonl")
    cases: list[Case] = []
    for size in SMALL_SIZES:
        rows = sorted(prompts, key=lambda prompt: zlib.crc32(f"{size} {prompt['id']}".encode()))
        kept: dict[str, None] = {}
        for prompt in rows:
            wanted = [memory for memory, grade in prompt["judgments"].items() if grade == 2]
            if len(kept) + len(wanted) <= size:
                kept |= dict.fromkeys(wanted)
        answered = [row for row in rows if row["judgments"] and kept.keys() >= row["judgments"].keys()]
        # A prompt whose memories were removed from the store counts as `in-vocabulary`: it uses the project's words.
        others = [
            row | {"kind": row["kind"] if row["kind"] in UNANSWERABLE else "in-vocabulary", "judgments": {}}
            for row in rows
            if not kept.keys() & row["judgments"].keys()
        ]
        store = [memory for memory in memories if memory["id"] in kept]
        chosen = answered + others[: 2 * len(answered)]
        found = read_cases(folder.name, store, chosen, None, has_questions=has_questions)
        cases += [replace(case, weight=SMALL_WEIGHT, source=CHANGED) for case in found]
    return cases


def read_after_unrelated(folder: Path, *, has_questions: bool = False) -> list[Case]:
    """The cases of prompts without a history, each after some prompts that have no judged memory in common with it.

    Only prompts for which the earlier prompt counts are returned.
    """
    prompts = read_rows(folder / "prompts.jsonl")
    rows = []
    for prompt in [prompt for prompt in prompts if not prompt["history"]]:
        others = [other for other in prompts if other is not prompt and not shares_memories(other, prompt)]
        picked = [zlib.crc32(f"{number} {prompt['id']}".encode()) % len(others) for number in range(UNRELATED)]
        rows += [prompt | {"history": [others[number]["prompt"]]} for number in picked]
    memories = read_memories(folder, has_questions=has_questions)
    found = read_cases(folder.name, memories, rows, None, has_questions=has_questions)
    cases = [replace(case, weight=UNRELATED_WEIGHT, source=CHANGED) for case in found]
    return [case for case in cases if len(case.readings) > 1]


def shares_memories(prompt: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether a memory was judged for both prompts."""
    return bool(prompt["judgments"].keys() & other["judgments"].keys())


def read_all(folders: Sequence[Path]) -> list[Case]:
    """The cases of some projects, with and without questions: the judged prompts, then the cases made from them."""
    return [
        case
        for folder in folders
        for has_questions in (False, True)
        for read in (read_project, read_small_stores, read_after_unrelated)
        for case in read(folder, has_questions=has_questions)
    ]


def read_cases(
    project: str,
    memories: list[dict[str, Any]],
    prompts: list[dict[str, Any]],
    retrieval: dict[str, Any] | None,
    *,
    has_questions: bool,
) -> list[Case]:
    """The cases of some prompts over some memories, each with the weight 1."""
    snapshot, ids = build(memories)
    config = read_settings(json.dumps({"retrieval": retrieval or {}}).encode(), None)
    cases = []
    for prompt in prompts:
        history = prompt["history"]
        recall = Recall(snapshot, Request(prompt["prompt"], JUDGED, config, history=history, now=NOW))
        readings = [recall]
        if any(word.share < FULL for word in recall.query.words):
            readings.insert(0, Recall(snapshot, Request(prompt["prompt"], JUDGED, config, now=NOW)))
        examples = [_examples(reading, ids, prompt["judgments"]) for reading in readings]
        cases.append(
            Case(
                project,
                prompt["kind"],
                prompt.get("lang") or "en",
                frozenset(split_words(prompt["prompt"][:MAX_CHARS])),
                frozenset(memory for memory, grade in prompt["judgments"].items() if grade == 2),
                examples,
                [ids[candidate.position] for candidate in recall.candidates.ranked[:JUDGED]],
                has_questions,
                1,
                recall.is_courtesy,
            )
        )
    return cases


def _examples(recall: Recall, ids: Sequence[str], judgments: dict[str, int]) -> list[Example]:
    return [
        Example(memory, values_of(recall, candidate), judgments.get(memory, 0), recall.asks_for(candidate))
        for candidate in recall.candidates.ranked[:JUDGED]
        for memory in [ids[candidate.position]]
    ]


def values_of(recall: Recall, candidate: Candidate) -> list[int]:
    """The values of a candidate's features, in the order of the gate's table."""
    features = recall.gate.features(candidate)
    return [features[name] for name in FEATURE_NAMES]


def build(memories: list[dict[str, Any]]) -> tuple[Snapshot, list[str]]:
    """A snapshot of memories, and the id at each position."""
    files = files_of(memories)
    snapshot, _skipped = build_snapshot([*files], [0] * len(FOLDERS), NUMBERS)
    positions = {snapshot.find(path): Path(path).stem for _category, path, *_rest in files}
    return snapshot, [positions[position] for position in range(len(snapshot))]


def files_of(memories: list[dict[str, Any]]) -> list[tuple[str, str, bytes, int, int]]:
    """The files of memories: category, path, content, size and modification time (0)."""
    folders = {category.upper(): folder for folder, category in FOLDERS}
    files = []
    for memory in memories:
        category = memory["category"].lower()
        record = {
            key: memory[key] for key in ("id", "title", "tags", "updated_at", "content", "cuecard") if key in memory
        }
        data = json.dumps({**record, "category": category, "record_status": "active"}).encode()
        path = f".claude/memory/{folders[memory['category']]}/{memory['id']}.json"
        files.append((category, path, data, len(data), 0))
    return files
