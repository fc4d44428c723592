"""The judged prompts of the dev split: what the default strategy finds, and that it does not get worse.

The texts are other people's and stay where they are: `CUECARD_EVAL`, else `../shared/eval` beside the repository.
Measures are those of that folder's README; the floors stand a little below what is reached.
"""

import json
import math
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from cuecard.recall.search import Recaller

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
# At least this much of each, and at most this share of false injections.
FLOORS = {"R@5": 0.56, "nDCG@5": 0.48, "MRR": 0.48}
MOST_FALSE = 0.88

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


def test_the_default_strategy_finds_what_it_should(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: dict[str, list[float]] = {}
    for project in sorted((EVALUATION / "dev").iterdir()):
        root = tmp_path / project.name
        write_store(root, read_rows(project / "memories.jsonl"))
        recaller = Recaller(root=root)
        for prompt in read_rows(project / "prompts.jsonl"):
            found = [Path(hit.path).stem for hit in recaller.recall(prompt["prompt"])]
            for name, value in measure(prompt, found).items():
                rows.setdefault(name, []).append(value)
    means = {name: sum(values) / len(values) for name, values in rows.items()}
    with capsys.disabled():
        sys.stdout.write("\ndev, keyword: " + ", ".join(f"{name} {mean:.3f}" for name, mean in means.items()) + "\n")
    assert {name: mean for name, mean in means.items() if mean < FLOORS.get(name, 0)} == {}
    assert means["false"] <= MOST_FALSE
