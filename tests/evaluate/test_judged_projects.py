"""The judged projects are complete: valid memories, prompts of every kind, and judgments of existing memories."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cuecard.evaluate.judged_prompts import JudgedPrompt, read_prompts
from cuecard.files.schemas import load_schema
from relation_pairs import EVALUATION, as_record

DATA = Path(__file__).parents[1] / "data"
PROJECTS = DATA / "projects"
# Prompts that want several memories, over projects whose memories are not in this repository.
MULTI = PROJECTS.parent / "judged" / "multi"
SPLITS = {
    "dev": ("frontend", "web-backend"),
    "dev2": ("ml-training", "mobile-app", "payments-monorepo", "rust-cli"),
}
UNANSWERABLE = {"negative", "noise", "in-vocabulary", "near-miss"}
KINDS = UNANSWERABLE | {
    "exact",
    "morphological",
    "synonym",
    "body-only",
    "abbreviation",
    "identifier",
    "intent",
    "multi",
    "follow-up",
    "crosslingual",
}
LONG_WORDS = 40

# Projects that the gate is fitted to, and projects that it has never seen.
FITTED = ("projects/emberfall", "projects/rill")
UNSEEN = tuple(f"unseen/{name}" for name in ("harbor", "ostinato", "quarry", "sable", "tessera", "wardplan"))
every_project = pytest.mark.parametrize("project", [*FITTED, *UNSEEN])


def read(project: str, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / project / name).read_text("utf-8").splitlines()]


@every_project
def test_memories_are_valid_records_with_questions(project: str) -> None:
    memories = read(project, "memories.jsonl")
    assert len(memories) >= 60
    names = {memory["id"] for memory in memories}
    assert len(names) == len(memories)
    assert len({memory["category"] for memory in memories}) == 6
    validators: dict[str, Draft202012Validator] = {}
    for memory in memories:
        record = as_record(memory)
        category = record["category"]
        validator = validators.setdefault(category, Draft202012Validator(json.loads(load_schema(category))))
        assert list(validator.iter_errors(record)) == [], memory["id"]
        assert 3 <= len(set(memory["questions"])) <= 5, memory["id"]
        for earlier in memory.get("cuecard", {}).get("supersedes", []):
            superseded = next(other for other in memories if other["id"] == earlier)
            assert superseded["content"]["status"] == "superseded"


@every_project
def test_prompts_are_of_every_kind_and_form(project: str) -> None:
    prompts = read(project, "prompts.jsonl")
    assert len(prompts) >= 120
    assert len({prompt["id"] for prompt in prompts}) == len(prompts)
    assert len({prompt["prompt"] for prompt in prompts}) == len(prompts)
    assert KINDS <= {prompt["kind"] for prompt in prompts} <= KINDS | {"long"}
    forms = Counter(prompt["form"] for prompt in prompts)
    assert forms["long"] >= 10
    assert forms["log"] >= 8
    assert forms["typo"] >= 5
    assert sum(prompt["lang"] != "en" for prompt in prompts) >= 15
    assert len({prompt["lang"] for prompt in prompts}) >= 6
    for prompt in prompts:
        is_long = len(prompt["prompt"].split()) > LONG_WORDS
        # In the projects that were not seen, pasted output may be long too.
        assert is_long == (prompt["form"] == "long") or (project in UNSEEN and prompt["form"] == "log"), prompt["id"]


@every_project
def test_judgments_name_memories_and_are_absent_where_nothing_helps(project: str) -> None:
    names = {memory["id"] for memory in read(project, "memories.jsonl")}
    prompts = read(project, "prompts.jsonl")
    for prompt in prompts:
        judgments = prompt["judgments"]
        assert prompt["project"] == Path(project).name
        assert judgments.keys() <= names, prompt["id"]
        assert set(judgments.values()) <= {1, 2}
        assert (2 in judgments.values()) == (prompt["kind"] not in UNANSWERABLE), prompt["id"]
        assert bool(judgments) == (prompt["kind"] not in UNANSWERABLE), prompt["id"]
    judged = {name for prompt in prompts for name in prompt["judgments"]}
    assert len(judged) >= (0.8 if project in FITTED else 0.65) * len(names)
    assert sum(bool(prompt["history"]) for prompt in prompts if prompt["kind"] not in UNANSWERABLE) >= 4
    assert sum(bool(prompt["history"]) for prompt in prompts if prompt["kind"] in UNANSWERABLE) >= 2


def read_multi(project: str) -> list[JudgedPrompt]:
    return read_prompts(MULTI / project / "prompts.jsonl")


def test_prompts_for_several_memories_want_two_to_six() -> None:
    forms: Counter[str] = Counter()
    for project in [name for names in SPLITS.values() for name in names]:
        prompts = read_multi(project)
        assert len(prompts) >= 20
        assert {prompt.project for prompt in prompts} == {project}
        assert {prompt.kind for prompt in prompts} == {"multi"}
        assert [prompt.id for prompt in prompts if not 2 <= len(prompt.wanted) <= 6] == []
        lines = (MULTI / project / "prompts.jsonl").read_text("utf-8").splitlines()
        forms.update(json.loads(line)["form"] for line in lines)
    assert forms.keys() == {"bug", "plain"}
    assert forms.total() >= 120
    assert forms["bug"] >= 40


@pytest.mark.skipif(not (EVALUATION / "dev").is_dir(), reason="the judged projects are not on this machine")
@pytest.mark.parametrize(("split", "project"), [(split, name) for split, names in SPLITS.items() for name in names])
def test_prompts_for_several_memories_judge_memories_of_their_project(split: str, project: str) -> None:
    folder = EVALUATION / split / project
    lines = (folder / "memories.jsonl").read_text("utf-8").split("\n")
    known = {json.loads(line)["id"] for line in lines if line}
    ids = {prompt.id for prompt in read_prompts(folder / "prompts.jsonl")}
    for prompt in read_multi(project):
        assert set(prompt.judgments) <= known, prompt.id
        assert prompt.id not in ids
