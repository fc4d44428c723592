"""Memories that the gate kept from prompts are the first for which an agent writes questions."""

import time
from pathlib import Path

import pytest

from command_process import run_in
from cuecard import Store
from cuecard._pure.prompt.event import Event
from cuecard.observe.near_answers import near_answers
from records import make_store, put, stored
from scratch_home import kept_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = make_store(tmp_path / "project")
    for name in ("apples", "bridges", "candles", "deserts"):
        put(found, stored(f"memory-of-{name}"))
    return found


def write_log(store: Store, *prompts: tuple[str, str, list[tuple[str, str, int]]]) -> None:
    """Write an event for each prompt with its silence and its memories: name, outcome and logit."""
    lines: list[str] = []
    for prompt, silence, memories in prompts:
        made = Event("prompt", "claude-code")
        made.session, made.prompt, made.kept, made.keeps_texts = "session", prompt, prompt, True
        made.strategy, made.setting, made.skip_reason = "hybrid", "balanced", silence or None
        made.memories = [
            ("DECISION", f".claude/memory/decisions/memory-of-{name}.json", outcome, logit, 5000)
            for name, outcome, logit in memories
        ]
        lines.append(made.to_line(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_795_000_000 + len(lines)))))
    folder = kept_of(Path(store.memory_dir)) / "log"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "events.jsonl").write_text("".join(lines), encoding="utf-8", newline="")


def listed(store: Store) -> list[str]:
    return [
        task["memory"].removeprefix("decision/memory-of-")
        for task in run_in(store, "enrich", "--json").document["work"]
    ]


def test_what_nearly_answered_a_prompt_is_listed_first(store: Store) -> None:
    assert listed(store) == ["apples", "bridges", "candles", "deserts"]
    write_log(
        store,
        ("how do candles burn?", "gate", [("candles", "gate", -1000), ("deserts", "gate", -9000)]),
        ("why are there deserts?", "gate", [("deserts", "gate", -300)]),
    )
    assert listed(store) == ["deserts", "candles", "apples", "bridges"]


def test_a_prompt_counts_once_and_an_answered_one_does_not_count(store: Store) -> None:
    write_log(
        store,
        ("how do candles burn?", "gate", [("candles", "gate", 0)]),
        ("how do candles burn?", "gate", [("candles", "gate", 0)]),
        ("where are the bridges?", "", [("bridges", "full", 3000), ("apples", "gate", -100)]),
        ("thanks", "courtesy", []),
    )
    assert near_answers(store.memory_dir) == {".claude/memory/decisions/memory-of-candles.json": 0.5}


def test_without_a_log_no_memory_comes_first(store: Store) -> None:
    assert near_answers(store.memory_dir) == {}
