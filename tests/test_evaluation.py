"""The judged prompts of the dev split: what each strategy finds, and that it does not get worse.

The texts are other people's and stay where they are: `CUECARD_EVAL`, else `../shared/eval` beside the repository.
Measures are those of that folder's README; the floors stand a little below what is reached.
"""

import importlib
import json
import math
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cuecard.recall import prompt_path, search, snapshot_recall
from cuecard.store import snapshot_file

EVALUATION = Path(os.environ.get("CUECARD_EVAL", Path(__file__).parent.parent.parent / "shared" / "eval"))
FOLDERS = {
    "SESSION_SUMMARY": "sessions",
    "DECISION": "decisions",
    "RUNBOOK": "runbooks",
    "CONSTRAINT": "constraints",
    "TECH_DEBT": "tech-debt",
    "PREFERENCE": "preferences",
}
UNANSWERABLE = {"negative", "noise", "in-vocabulary", "near-miss"}
# At least this much of each, and at most this share of false injections: nothing keeps `bm25` and `tfidf` silent yet.
FLOORS = {
    "keyword": {"R@5": 0.56, "nDCG@5": 0.48, "MRR": 0.48},
    "bm25": {"R@5": 0.82, "nDCG@5": 0.75, "MRR": 0.77},
    "tfidf": {"R@5": 0.74, "nDCG@5": 0.64, "MRR": 0.63},
}
MOST_FALSE = {"keyword": 0.88, "bm25": 0.98, "tfidf": 0.98}

pytestmark = pytest.mark.skipif(not (EVALUATION / "dev").is_dir(), reason="the judged prompts are not here")


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def write_store(root: Path, memories: list[dict[str, Any]]) -> None:
    """A project's memories as files and index, in the order of folders and ids."""
    lines = []
    for memory in sorted(memories, key=lambda memory: (list(FOLDERS).index(memory["category"]), memory["id"])):
        path = f".claude/memory/{FOLDERS[memory['category']]}/{memory['id']}.json"
        record = {key: memory[key] for key in ("id", "title", "tags", "updated_at", "content")}
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({**record, "category": memory["category"].lower(), "record_status": "active"}))
        title = memory["title"].replace(" -> ", " - ").replace("#tags:", "").replace("\n", " ")
        tags = ",".join(tag.replace(",", " ").strip() for tag in memory["tags"])
        lines.append(f"- [{memory['category']}] {title} -> {path}{' #tags:' + tags if tags else ''}\n")
    (root / ".claude" / "memory" / "index.md").write_text("# Memory Index\n\n" + "".join(lines), encoding="utf-8")


def measure(prompt: dict[str, Any], found: list[str]) -> dict[str, float]:
    """The measures of one prompt; none but `false` for one that nothing answers."""
    judged = prompt["judgments"]
    wanted = {memory for memory, grade in judged.items() if grade == 2}
    if prompt["kind"] in UNANSWERABLE:
        return {"false": float(bool(found))}
    if not wanted:
        return {}
    gains = {1: 1.0, 2: 3.0}
    ideal = sorted((gains[grade] for grade in judged.values() if grade), reverse=True)[:5]
    dcg = sum(gains.get(judged.get(memory, 0), 0.0) / math.log2(place + 2) for place, memory in enumerate(found[:5]))
    first = next((place for place, memory in enumerate(found, 1) if memory in wanted), None)
    return {
        "R@5": len(wanted.intersection(found[:5])) / min(5, len(wanted)),
        "nDCG@5": dcg / sum(gain / math.log2(place + 2) for place, gain in enumerate(ideal)),
        "MRR": 1 / first if first else 0.0,
        "silent": float(not found),
    }


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Path]:
    """The projects of the split and where their memories were written."""
    written = {}
    for project in sorted((EVALUATION / "dev").iterdir()):
        written[project] = tmp_path_factory.mktemp(project.name)
        write_store(written[project], read_rows(project / "memories.jsonl"))
    return written


def recall_all(stores: dict[Path, Path], twin: ModuleType, strategy: str) -> list[tuple[dict[str, Any], list[str]]]:
    """Every prompt with the memories that it gets, through one of the twins."""
    run: list[tuple[dict[str, Any], list[str]]] = []
    with pytest.MonkeyPatch.context() as patch:
        # A process chooses its twin once; here both take turns.
        for stage in (prompt_path, search, snapshot_file, snapshot_recall):
            patch.setattr(stage, "twin", twin)
        for project, root in stores.items():
            recaller = search.Recaller(root=root, strategy=strategy)
            prompts = read_rows(project / "prompts.jsonl")
            run += [(prompt, [Path(hit.path).stem for hit in recaller.recall(prompt["prompt"])]) for prompt in prompts]
    return run


@pytest.mark.parametrize("strategy", FLOORS)
def test_a_strategy_finds_what_it_should(
    stores: dict[Path, Path], twin: ModuleType, strategy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: dict[str, list[float]] = {}
    for prompt, found in recall_all(stores, twin, strategy):
        for name, value in measure(prompt, found).items():
            rows.setdefault(name, []).append(value)
    means = {name: sum(values) / len(values) for name, values in rows.items()}
    with capsys.disabled():
        shown = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
        sys.stdout.write(f"\ndev, {strategy}, {twin.__name__}: {shown}\n")
    assert {name: mean for name, mean in means.items() if mean < FLOORS[strategy].get(name, 0)} == {}
    assert means["false"] <= MOST_FALSE[strategy]


@pytest.mark.parametrize("strategy", FLOORS)
def test_both_twins_give_every_prompt_the_same_memories(
    stores: dict[Path, Path], native: ModuleType, strategy: str
) -> None:
    pure = importlib.import_module("cuecard._pure")
    assert recall_all(stores, native, strategy) == recall_all(stores, pure, strategy)
