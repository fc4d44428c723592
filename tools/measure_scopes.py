"""Measures recall where the memories of a judged project are divided among stores (SPEC 48.6).

    python tools/measure_scopes.py ../shared/eval/dev/* ../shared/eval/dev2/*

Each project is asked three times: with all memories in one store; with its memories divided at random among the stores
of a package, of its root and of the user; and in one store with a user's store of 50 other memories beside it. The
difference in recall and in the rate of false injections is printed for each.
"""

import json
import os
import random
import sys
import tempfile
from pathlib import Path

from cuecard.evaluate.judged_prompts import JudgedPrompt, read_prompts
from cuecard.evaluate.run_file import RunLine
from cuecard.evaluate.scoring import score
from cuecard.retrieval.recall import open_recall

FOLDERS = {
    "SESSION_SUMMARY": "sessions",
    "DECISION": "decisions",
    "RUNBOOK": "runbooks",
    "CONSTRAINT": "constraints",
    "TECH_DEBT": "tech-debt",
    "PREFERENCE": "preferences",
}
MEASURES = ("R@5", "false", "silent")
SEED = 20261128
USERS_MEMORIES = 50
SUBJECTS = (
    "commit messages", "branch names", "code review", "error messages", "log lines", "unit tests", "docstrings",
    "type hints", "shell scripts", "pull requests", "dependencies", "comments", "variable names", "imports", "dates",
    "documentation", "examples", "configuration files", "release notes", "diagrams", "line lengths", "time zones",
    "small functions", "early returns", "magic numbers",
)  # fmt: skip
WISHES = ("I want short {}, without filler words", "Ask me before you change {} that you did not write")


def write(root: Path, memory: dict[str, object]) -> None:
    """Write a judged memory into the store of a folder."""
    folder = root / ".claude" / "memory" / FOLDERS[str(memory["category"])]
    folder.mkdir(parents=True, exist_ok=True)
    own = {key: value for key, value in dict(memory.get("cuecard") or {}).items() if key != "questions"}  # type: ignore[call-overload]
    record = {
        "schema_version": "1.0",
        "record_status": "active",
        "created_at": memory["updated_at"],
        **{key: value for key, value in memory.items() if key not in ("questions", "source", "licence", "cuecard")},
        "category": str(memory["category"]).lower(),
        **({"cuecard": own} if own else {}),
    }
    (folder / f"{memory['id']}.json").write_text(json.dumps(record))


def users_memories() -> list[dict[str, object]]:
    """Preferences of a person that belong to no project."""
    wishes = [wish.format(subject) for wish in WISHES for subject in SUBJECTS]
    return [
        {
            "id": f"wish-{number}",
            "category": "PREFERENCE",
            "title": wish,
            "tags": ["style", wish.split()[3]],
            "updated_at": "2026-03-01T10:00:00Z",
            "content": {"topic": wish, "value": wish, "reason": "It is how I like to work."},
        }
        for number, wish in enumerate(wishes[:USERS_MEMORIES])
    ]


def ask(root: Path, prompts: list[JudgedPrompt]) -> list[RunLine]:
    """The answers to the prompts in a project. Every memory counts as reviewed."""
    recall = open_recall(str(root), heeds_trust=False)
    lines = []
    for prompt in prompts:
        hits = recall.recall(prompt.text, list(prompt.history))
        found = tuple(dict.fromkeys([Path(hit.path).stem for hit in hits]))
        lines.append(RunLine(prompt.project, prompt.id, found))
    return lines


def measure(project: Path, above: Path) -> dict[str, list[RunLine]]:
    """The runs of a judged project, by the way in which its memories are divided."""
    memories = [json.loads(line) for line in (project / "memories.jsonl").read_text().splitlines() if line.strip()]
    prompts = read_prompts(project / "prompts.jsonl")
    chance = random.Random(SEED)
    one, root, beside = above / "one", above / "divided", above / "beside"
    package = root / "packages" / "api"
    homes = {name: above / f"data-{name}" for name in ("one", "divided", "beside")}
    (root / ".git").mkdir(parents=True)
    for memory in memories:
        write(one, memory)
        write(beside, memory)
        write(chance.choice((package, root, homes["divided"] / "user")), memory)
    for memory in users_memories():
        write(homes["beside"] / "user", memory)
    runs = {}
    for name, folder in (("one", one), ("divided", package), ("beside", beside)):
        homes[name].mkdir(exist_ok=True)
        os.environ["CUECARD_HOME"] = str(homes[name])
        runs[name] = ask(folder, prompts)
    return runs


def main(projects: list[str]) -> None:
    """Print the measures of all projects together."""
    runs: dict[str, list[RunLine]] = {"one": [], "divided": [], "beside": []}
    prompts: list[JudgedPrompt] = []
    for project in projects:
        with tempfile.TemporaryDirectory() as folder:
            for name, lines in measure(Path(project), Path(folder).resolve()).items():
                runs[name] += lines
        prompts += read_prompts(Path(project) / "prompts.jsonl")
    for name, lines in runs.items():
        found = score(lines, prompts).all.measures
        row = "  ".join(f"{measure} {found[measure]:.4f}" for measure in MEASURES)
        print(f"{name:<8}  {row}")


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit("name the folders of judged projects")
    main(sys.argv[1:])
