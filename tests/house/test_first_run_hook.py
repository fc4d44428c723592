"""The hook in a store that is too large for one prompt."""

import json
import shutil
from pathlib import Path

import pytest

from backends import load_native
from built_snapshot import inspected, on_disk, snapshot_path
from cuecard import _pure as pure
from cuecard.store.derived.reindex import reindex
from hook_process import Hook
from records import let_time_pass, make_store, put, stored
from test_first_run import answers
from twin_choice import use_engine

pytestmark = pytest.mark.usefixtures("clean_environment")


def test_the_hook_answers_from_a_partial_snapshot_and_completes_it(
    hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_engine(monkeypatch, pure if hook.environment.get("CUECARD_BACKEND") == "pure" else load_native())
    store = make_store(tmp_path / "large")
    text = "the gateway forgets its certificates " * 6700
    for number in range(140):
        put(store, stored(f"m{number}", title=f"Gateway {number}", content=text))
    put(store, stored("lantern", title="The lantern by the harbour", content="it is lit at dusk"))
    let_time_pass(store)
    payload = json.dumps({"prompt": "who lights the lantern by the harbour", "cwd": store.root}).encode()
    states: list[bool] = []
    while not states or states[-1]:
        outcome = hook.run("prompt", stdin=payload, cwd=tmp_path)
        snapshot = on_disk(store)
        states.append(inspected(store).state == "partial")
        assert (b"lantern" in outcome.stdout) == (snapshot.find(".claude/memory/decisions/lantern.json") is not None)
        assert ("memory files left for the next prompts" in "".join(outcome.log)) == states[-1]
    assert 2 <= len(states) <= 20
    assert len(on_disk(store)) == 141
    made = answers(on_disk(store))
    said = hook.run("prompt", stdin=payload, cwd=tmp_path).stdout
    shutil.rmtree(Path(snapshot_path(store.memory_dir)).parent)
    reindex(store.root, store.memory_dir)
    assert made == answers(on_disk(store))
    assert hook.run("prompt", stdin=payload, cwd=tmp_path).stdout == said
    assert b"lantern" in said
