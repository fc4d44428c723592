"""The judged orders and the judged talk are complete, and their stores are cut down in the same way each time."""

import importlib
import json
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
EVALUATION = Path(os.environ.get("CUECARD_EVAL", ROOT.parent / "shared" / "eval"))
PROJECTS = {
    "web-backend": "dev",
    "frontend": "dev",
    "mobile-app": "dev2",
    "ml-training": "dev2",
    "payments-monorepo": "dev2",
    "rust-cli": "dev2",
}
NEEDED = {"order", "talk-need"}
# A text in one of these languages says as much as one of twice its length in another.
DENSE = {"ja", "ko", "zh"}


def read(name: str, project: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name / project / "prompts.jsonl").read_text("utf-8").splitlines()]


def read_all(name: str) -> list[dict[str, Any]]:
    return [prompt for project in PROJECTS for prompt in read(name, project)]


def test_half_of_the_orders_and_a_fifth_of_the_talk_need_a_memory() -> None:
    counts = Counter(prompt["kind"] for name in ("orders", "talk") for prompt in read_all(name))
    assert counts == {"order": 92, "other-order": 88, "talk": 270, "talk-need": 66}


@pytest.mark.parametrize("name", ["orders", "talk"])
def test_a_prompt_has_judgments_exactly_if_its_kind_says_so(name: str) -> None:
    prompts = read_all(name)
    assert len({prompt["id"] for prompt in prompts}) == len({prompt["prompt"] for prompt in prompts}) == len(prompts)
    for prompt in prompts:
        assert bool(prompt["judgments"]) == (prompt["kind"] in NEEDED), prompt["id"]
        assert (2 in prompt["judgments"].values()) == (prompt["kind"] in NEEDED), prompt["id"]
        assert set(prompt["judgments"].values()) <= {1, 2}, prompt["id"]


def test_talk_is_as_long_as_people_talk() -> None:
    for prompt in read_all("talk"):
        least = 70 if prompt["lang"] in DENSE else 150
        assert least <= len(prompt["prompt"]) <= 900, prompt["id"]


@pytest.mark.parametrize("project", PROJECTS)
def test_judged_memories_exist(project: str) -> None:
    path = EVALUATION / PROJECTS[project] / project / "memories.jsonl"
    if not path.exists():
        pytest.skip("the evaluation set is not beside the repository")
    names = {json.loads(line)["id"] for line in path.read_text("utf-8").splitlines() if line}
    judged = {name for kind in ("orders", "talk") for prompt in read(kind, project) for name in prompt["judgments"]}
    assert judged <= names


def test_a_small_store_keeps_judged_memories_and_is_part_of_a_larger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "gate"))
    sets = importlib.import_module("added_sets")
    memories = [{"id": f"memory-{number}"} for number in range(60)]
    stores = [sets.subset(memories, size, ["memory-7"]) for size in (10, 40, 100)]
    assert [len(store) for store in stores] == [10, 40, 60]
    for smaller, larger in pairwise(stores):
        assert {"id": "memory-7"} in smaller
        assert [memory for memory in larger if memory in smaller] == smaller
