"""Judged prompts, and what the engine finds for each, as the gate's model learns from it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuecard._pure.engine.snapshot import Snapshot, build_snapshot
from cuecard._pure.rank.recall import Recall
from cuecard.basics.category import FOLDERS
from cuecard.protocol.request import Request
from cuecard.settings.reader import read_settings

ROOT = Path(__file__).resolve().parent.parent.parent
UNANSWERABLE = ("negative", "noise", "in-vocabulary", "near-miss")
NUMBERS = (2.0, (3.0, 4.0, 2.0, 1.0), (0.75, 0.75, 0.75, 0.75))
# When the prompts are taken to be typed: a day after the last memory of the judged projects.
NOW = 1_790_000_000_000_000


@dataclass(frozen=True)
class Example:
    """A memory that was found for a prompt, its features in 1/1024, and its grade."""

    memory: str
    features: list[int]
    grade: int


@dataclass(frozen=True)
class Case:
    """A judged prompt and the best memories that were found for it, best first."""

    project: str
    kind: str
    wanted: frozenset[str]
    examples: list[Example]
    # The prompt is nothing but greeting or assent: the gate is not even asked.
    is_chat: bool

    @property
    def is_answerable(self) -> bool:
        """Whether any memory should be shown."""
        return self.kind not in UNANSWERABLE


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def read_project(folder: Path, retrieval: dict[str, Any] | None = None, has_history: bool = True) -> list[Case]:
    """The cases of one judged project: a folder with `memories.jsonl` and `prompts.jsonl`, in the order of the latter.

    `retrieval` are settings other than the defaults; without `has_history` prompts stand alone.
    """
    snapshot, ids = build(read_rows(folder / "memories.jsonl"))
    config = read_settings(json.dumps({"retrieval": retrieval or {}}).encode(), None)
    cases = []
    for prompt in read_rows(folder / "prompts.jsonl"):
        history = prompt["history"] if has_history else []
        recall = Recall(snapshot, Request(prompt["prompt"], 8, config, history=history, now=NOW))
        examples = [
            Example(memory, recall.gate.features(candidate), prompt["judgments"].get(memory, 0))
            for candidate in recall.candidates.ranked[:8]
            for memory in [ids[candidate.position]]
        ]
        wanted = frozenset(memory for memory, grade in prompt["judgments"].items() if grade == 2)
        cases.append(Case(folder.name, prompt["kind"], wanted, examples, "chat" in recall.cues))
    return cases


def build(memories: list[dict[str, Any]]) -> tuple[Snapshot, list[str]]:
    """A snapshot of memories, and the id at each position."""
    files = files_of(memories)
    snapshot, _skipped = build_snapshot([*files], [0] * len(FOLDERS), NUMBERS)
    positions = {snapshot.find(path): Path(path).stem for _category, path, *_rest in files}
    return snapshot, [positions[position] for position in range(len(snapshot))]


def files_of(memories: list[dict[str, Any]]) -> list[tuple[str, str, bytes, int, int]]:
    """Memories as files: category, path, content, size and modification time."""
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
