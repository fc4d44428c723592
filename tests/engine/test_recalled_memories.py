"""Both backends find, verify and pack the same memories of a store, whatever has happened to their files."""

from __future__ import annotations

import os
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from cuecard import _pure as pure
from cuecard._pure.requests.request import Question, Request
from cuecard.basics.category import FOLDERS
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
    """A project with memories; the user has reviewed two of them.

    One memory is superseded, one is retired, and one contains text that addresses the model.
    """
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
            "cuecard": {"applies_to": [{"component": "payments" if number < 4 else "push"}]},
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
    """The memory files of a project, in the form that `build_snapshot` takes."""
    found = []
    for folder, category in FOLDERS:
        for file in sorted((root / ".claude/memory" / folder).glob("*.json")):
            status = file.stat()
            path = file.relative_to(root).as_posix()
            found.append((category, path, file.read_bytes(), status.st_size, status.st_mtime_ns))
    return found


def as_values(memory: Any) -> dict[str, object]:  # noqa: ANN401 - of either backend
    """Every attribute of a recalled memory, by name."""
    names = ("position", "found_as", "parts", "status", "score", "recency", "logit", "probability", "count", "seen")
    more = ("holds", "is_more", "level", "is_unreviewed", "is_withheld", "beside", "gist")
    heeded = [memory.heeds_paths(paths) for paths in (["src/pay/retry.py"], ["retry.py", "a.md"])]
    return {**{name: getattr(memory, name) for name in (*names, *more)}, "heeds": heeded}


def answers(backend: ModuleType, files: list[Any], root: Path, prompts: Sequence[str]) -> list[object]:
    """What a backend returns when it finds, verifies and packs the memories for some prompts."""
    snapshot, config = build(backend, files, NUMBERS), backend.read_settings(None, None)
    found: list[object] = []
    situations = (None, (["src/pay/retry.py"], ["src/pay/retry.py"], ["tag:deploy"]))
    # Each prompt and each strategy with two of the eight combinations of the rest, which take turns.
    rest = tuple(product(SETTINGS, (None, ANY_STATUS), situations))
    for number, (prompt, strategy, review, turn) in enumerate(product(prompts, STRATEGIES, REVIEWS, (0, 3))):
        setting, filters, situation = rest[(number // 2 + turn) % len(rest)]
        request = Request(prompt, 3, config, now=NOW, filters=filters, situation=situation)
        question = Question(request, strategy, setting, review)
        memories, passed_over, is_courtesy, least, notes = backend.recall_memories(snapshot, str(root), question)
        found.append((prompt, strategy, setting, review, is_courtesy, least, notes))
        found.append([as_values(memory) for memory in memories])
        found.append([(as_values(memory), why) for memory, why in passed_over])
        found.append(backend.pack_memories(str(root), memories, 400, 4000))
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


@pytest.fixture
def dated(project: Path) -> Path:
    """The same project; of its memories about queues, some are valid now, and some are not."""
    for number in range(4):
        (project / f".claude/memory/runbooks/deploy-{number}.json").unlink()
    same: dict[str, Any] = {"category": "decision", "tags": ["queue"], "created_at": "2026-01-02T03:04:05Z"}
    texts = {
        "memcached": ({"status": "superseded"}, {}),
        "gearman": ({"status": "accepted"}, {"valid_until": "2026-01-31"}),
        "kafka": ({"status": "accepted"}, {"valid_from": "2999-01-01"}),
        "rabbitmq": ({"status": "accepted"}, {"valid_from": "2026-02-01", "valid_until": "2999-01-01"}),
        "redis": ({"status": "deprecated"}, {}),
        "nats": ({"status": "accepted"}, {"supersedes": ["redis"]}),
    }
    for name, (content, own) in texts.items():
        memory = {"title": f"The invoice queue is {name}", "content": content, "cuecard": own, **same}
        write(project, f".claude/memory/decisions/{name}.json", memory)
    return project


QUEUE = "which invoice queue is there"
OLD_QUEUE = "which invoice queue did we use before"


def names_of(memories: list[Any]) -> list[str]:
    return [memory.parts[2].rpartition("/")[2].removesuffix(".json") for memory in memories]


def test_a_memory_that_does_not_hold_is_shown_only_to_a_prompt_about_the_past(engine: ModuleType, dated: Path) -> None:
    snapshot, config = build(engine, files_of(dated), NUMBERS), engine.read_settings(None, None)

    def ask(prompt: str, k: int = 9, review: str = "ignored", filters: Any = None) -> tuple[list[Any], list[Any]]:  # noqa: ANN401
        request = Request(prompt, k, config, now=NOW, filters=filters)
        found = engine.recall_memories(snapshot, str(dated), Question(request, "hybrid", "balanced", review))
        return found[0], found[1]

    shown, passed_over = ask(QUEUE)
    assert sorted(names_of(shown)) == ["nats", "rabbitmq"]
    reasons = {names_of([memory])[0]: why for memory, why in passed_over}
    assert {name: reasons[name] for name in ("memcached", "gearman", "kafka", "redis")} == {
        "memcached": "over",
        "gearman": "over",
        "kafka": "ahead",
        "redis": "superseded",
    }
    shown, _passed_over = ask(OLD_QUEUE)
    assert sorted(names_of(shown)[:2]) == ["nats", "rabbitmq"]
    assert sorted(names_of(shown)[2:]) == ["gearman", "kafka", "memcached", "redis"]
    block = engine.pack_memories(str(dated), shown, 2000, 9000)[0]
    assert block.count("no longer holds") == 3
    assert block.count("does not hold yet") == 1
    # If only a few memories are wanted, the memories that are valid now come first.
    assert sorted(names_of(ask(OLD_QUEUE, 2)[0])) == ["nats", "rabbitmq"]
    # Without the condition on the status, the memories that are not valid now are found, too.
    assert len(ask(QUEUE, review="marked", filters=ANY_STATUS)[0]) == 6
    assert {"gearman", "kafka", "memcached"} <= set(names_of(ask(QUEUE, review="marked")[0]))


def test_both_place_what_does_not_hold_alike(native: ModuleType, dated: Path) -> None:
    files = files_of(dated)
    assert answers(native, files, dated, (QUEUE, OLD_QUEUE)) == answers(pure, files, dated, (QUEUE, OLD_QUEUE))


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
    question = Question(Request(PROMPTS[0], 3, engine.read_settings(None, None), now=NOW), "hybrid", "off", "heeded")
    memories, passed_over, _is_courtesy, _least, notes = engine.recall_memories(
        snapshot, str(tmp_path / "elsewhere"), question
    )
    assert (memories, passed_over) == ([], [])
    assert notes
