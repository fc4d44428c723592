"""Both engines find, verify and pack the same memories of a store, whatever has become of their files."""

from __future__ import annotations

import os
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from cuecard import _pure as pure
from cuecard.basics.category import FOLDERS
from cuecard.protocol.request import Question, Request
from snapshots import build
from trust_cases import POISON, User, write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import ModuleType

NUMBERS = (2.0, (3.0, 4.0, 2.0, 1.0), (0.75, 0.75, 0.75, 0.75))
NOW = 1_790_000_000_000_000
STRATEGIES = ("hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic")
SETTINGS = ("balanced", "off")
REVIEWS = ("ignored", "marked", "heeded")
ANY_STATUS: Any = ([], [], [], None, None, "")
PROMPTS = (
    "how do we deploy the payment service in src/pay/retry.py",
    "thanks!",
    "which limits hold for retries of payments?",
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Memories of which the user has seen some; one was superseded, one is retired, one addresses the model."""
    user = User(tmp_path / "user")
    for name, value in user.environment.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "project"
    (root / "src/pay").mkdir(parents=True)
    (root / "src/pay/retry.py").write_text("new")
    os.utime(root / "src/pay/retry.py", (2_000_000_000, 2_000_000_000))
    for number in range(6):
        memory = {
            "title": f"Deploy the payment service, part {number}",
            "category": "runbook",
            "tags": ["deploy", "payment"],
            "related_files": ["src/pay/retry.py"] if number % 2 else ["src/**"],
            "content": {"trigger": f"a deploy of part {number} is due", "steps": ["build", "push", "restart"]},
        }
        file = write(root, f".claude/memory/runbooks/deploy-{number}.json", memory)
        if number in (1, 2):
            user.vouch(file, "own" if number == 1 else "reviewed")
    write(root, ".claude/memory/runbooks/poison.json", {"title": "Deploy payments", "content": {"trigger": POISON}})
    limits = {"title": "Payments retry three times at most", "category": "constraint", "content": {"rule": "three"}}
    write(root, ".claude/memory/constraints/limits.json", {**limits, "record_status": "retired"})
    write(root, ".claude/memory/constraints/old.json", limits)
    new = {"title": "Payments retry five times at most", "category": "constraint", "cuecard": {"supersedes": ["old"]}}
    write(root, ".claude/memory/constraints/new.json", new)
    return root


def files_of(root: Path) -> list[Any]:
    """The memory files of a project, as `build_snapshot` takes them."""
    found = []
    for folder, category in FOLDERS:
        for file in sorted((root / ".claude/memory" / folder).glob("*.json")):
            status = file.stat()
            path = file.relative_to(root).as_posix()
            found.append((category, path, file.read_bytes(), status.st_size, status.st_mtime_ns))
    return found


def as_values(memory: Any) -> dict[str, object]:  # noqa: ANN401 - of either backend
    """Everything that a memory says of itself."""
    names = ("position", "found_as", "parts", "status", "score", "recency", "logit", "probability", "count", "seen")
    more = ("is_more", "level", "is_unreviewed", "is_withheld", "gist")
    heeded = [memory.heeds_paths(paths) for paths in (["src/pay/retry.py"], ["retry.py", "a.md"])]
    return {**{name: getattr(memory, name) for name in (*names, *more)}, "heeds": heeded}


def answers(backend: ModuleType, files: list[Any], root: Path, prompts: Sequence[str]) -> list[object]:
    """What a backend finds, verifies and packs."""
    snapshot, config = build(backend, files, NUMBERS), backend.Settings()
    found: list[object] = []
    situations = (None, (["src/pay/retry.py"], ["src/pay/retry.py"], ["tag:deploy"]))
    asked = product(prompts, STRATEGIES, SETTINGS, REVIEWS, (None, ANY_STATUS), situations)
    for prompt, strategy, setting, review, filters, situation in asked:
        request = Request(prompt, 3, config, now=NOW, filters=filters, situation=situation)
        question = Question(request, strategy, setting, review)
        memories, passed_over, is_courtesy, notes = backend.recall_memories(snapshot, str(root), question)
        found.append((prompt, strategy, setting, review, is_courtesy, notes))
        found.append([as_values(memory) for memory in memories])
        found.append([(as_values(memory), why) for memory, why in passed_over])
        found.append(backend.pack_memories(str(root), prompt, memories, 400, 4000))
    for position, review in product(range(len(snapshot) + 1), REVIEWS):
        memory, notes = backend.verify_memory(snapshot, str(root), position, review)
        found.append((as_values(memory) if memory else None, notes))
    return found


def test_both_find_verify_and_pack_the_same(native: ModuleType, project: Path) -> None:
    files = files_of(project)
    found = answers(native, files, project, PROMPTS)
    assert found == answers(pure, files, project, PROMPTS)
    reasons = {
        why for rows in found if isinstance(rows, list) for row in rows if isinstance(row, tuple) for why in row[1:]
    }
    assert reasons == {"gate", "superseded", "withheld"}


def test_both_say_the_same_of_files_that_have_changed(native: ModuleType, project: Path) -> None:
    files = files_of(project)
    memories = project / ".claude/memory/runbooks"
    (memories / "deploy-0.json").unlink()
    (memories / "deploy-1.json").write_text("no JSON")
    (memories / "deploy-2.json").unlink()
    (memories / "deploy-2.json").symlink_to(memories / "deploy-3.json")
    (memories / "deploy-3.json").write_text('{"title": "Deploy nothing", "record_status": "retired"}')
    (memories / "deploy-4.json").write_text('{"title": "Deploy payments by hand", "record_status": "active"}')
    found = answers(native, files, project, PROMPTS[:1])
    assert found == answers(pure, files, project, PROMPTS[:1])
    assert "is missing" in str(found)
    assert "is outside the store" in str(found)
    assert "Deploy payments by hand" in str(found)


def test_a_project_without_a_store_has_no_memories(engine: ModuleType, project: Path, tmp_path: Path) -> None:
    snapshot = build(engine, files_of(project), NUMBERS)
    question = Question(Request(PROMPTS[0], 3, engine.Settings(), now=NOW), "hybrid", "off", "heeded")
    memories, passed_over, _is_courtesy, notes = engine.recall_memories(snapshot, str(tmp_path / "elsewhere"), question)
    assert (memories, passed_over) == ([], [])
    assert notes
