"""A memory that was wrong for a prompt stays away from similar prompts, with both backends."""

import json
import os
import shutil
from pathlib import Path

import pytest

from cuecard import Store
from cuecard._backend import LOGIT_UNIT, engine, gate_threshold
from cuecard._pure.rank.verdicts import is_withheld_at_random
from cuecard.actions.person_actions import judge, undo
from cuecard.store.log.events import LoggedHoldout, read_events
from hook_process import Hook, Outcome
from scratch_home import kept_of, write_user_settings

ROTATE = ".claude/memory/runbooks/rotate-keys.json"
PROMPT = "how do we rotate the signing keys?"
SIMILAR = "please rotate the signing keys now"
OTHER = "who may publish a new key for the tokens of the queue workers and retire it, in which order of steps?"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


def make_project(root: Path) -> Path:
    """Make a project in which one memory says how keys are rotated."""
    write(root, "make a new key for the tokens of the workers")
    other = root / ".claude/memory/decisions/queue.json"
    other.parent.mkdir(parents=True)
    content = {"title": "Jobs use a queue in Postgres", "category": "decision", "content": {"decision": "SKIP LOCKED"}}
    other.write_text(json.dumps({"id": "queue", "record_status": "active", **content}))
    return root


def write(root: Path, step: str) -> None:
    file = root / ROTATE
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {"trigger": "a key is old", "steps": [step, "publish both", "retire the old one"]}
    record = {
        "title": "Rotate the signing keys",
        "category": "runbook",
        "tags": ["signing", "keys"],
        "content": content,
    }
    file.write_text(json.dumps({"id": "rotate-keys", "record_status": "active", **record}))


def ask(hook: Hook, project: Path, prompt: str, session: str = "first", **environment: str) -> Outcome:
    sent = json.dumps({"prompt": prompt, "cwd": str(project), "session_id": session}).encode()
    ran = hook.run("prompt", "--host", "plain", stdin=sent, cwd=project, **environment)
    assert (ran.code, ran.stderr) == (0, b"")
    return ran


def is_shown(ran: Outcome) -> bool:
    return b"Rotate the signing keys" in ran.stdout


def test_a_wrong_memory_is_not_shown_again_for_similar_prompts(hook: Hook, project: Path) -> None:
    assert is_shown(ask(hook, project, PROMPT))
    done = judge(Store(project), "wrong", "rotate-keys")
    assert done.is_new
    for prompt in (PROMPT, SIMILAR):
        assert not is_shown(ask(hook, project, prompt, "second"))
    [*_, event] = read_events(Store(project).memory_dir).events
    assert event.silence == "verdict"
    assert [(memory.id, memory.outcome) for memory in event.memories][:1] == [("rotate-keys", "verdict")]
    # Another prompt is answered as before.
    assert is_shown(ask(hook, project, OTHER, "second"))
    undo(Store(project), done.id)
    assert is_shown(ask(hook, project, SIMILAR, "third"))


def test_a_verdict_ends_when_the_memory_is_changed(hook: Hook, project: Path) -> None:
    ask(hook, project, PROMPT)
    judge(Store(project), "wrong", "rotate-keys")
    write(project, "ask the key service for a new key")
    assert is_shown(ask(hook, project, PROMPT, "second"))


def test_a_damaged_file_of_verdicts_says_nothing(hook: Hook, project: Path) -> None:
    ask(hook, project, PROMPT)
    judge(Store(project), "wrong", "rotate-keys")
    file = kept_of(project / ".claude/memory") / "verdicts"
    file.write_bytes(file.read_bytes()[:-1])
    assert is_shown(ask(hook, project, PROMPT, "second"))


def test_a_verdict_keeps_no_text_of_the_prompt(hook: Hook, project: Path) -> None:
    ask(hook, project, f"{PROMPT} The code word is zanzibar.")
    judge(Store(project), "wrong", "rotate-keys")
    kept = kept_of(project / ".claude/memory")
    texts = [(kept / name).read_text() for name in ("verdicts", "verdicts.jsonl")]
    assert all("zanzibar" not in text and "how do we" not in text for text in texts)
    assert json.loads(texts[1])["kept"]


def test_the_library_shows_what_the_hook_shows(hook: Hook, project: Path) -> None:
    ask(hook, project, PROMPT)
    store = Store(project)
    judge(store, "wrong", "rotate-keys")
    assert store.recall(PROMPT) == []
    assert store.inject(PROMPT).block == ""
    assert "you have said" in store.why_silent(PROMPT)
    assert "wrong for such a prompt" in store.trace(PROMPT, "rotate-keys").verdict
    # A search finds everything.
    assert "rotate-keys" in {hit.path.rpartition("/")[2].removesuffix(".json") for hit in store.search(PROMPT)}


def test_a_good_memory_stays_and_takes_back_that_it_was_wrong(hook: Hook, project: Path) -> None:
    ask(hook, project, PROMPT)
    judge(Store(project), "wrong", "rotate-keys")
    judge(Store(project), "good", "rotate-keys")
    assert is_shown(ask(hook, project, PROMPT, "second"))


def test_what_was_learned_moves_the_gate_and_near_ties_alike(hook: Hook, project: Path) -> None:
    prompt = "is there anything about jobs of the workers?"
    ask(hook, project, prompt)
    folder = kept_of(project / ".claude/memory")
    before = {memory.path: memory for memory in read_events(str(project / ".claude/memory")).events[-1].memories}
    (folder / "verdicts").write_text("cuecard verdicts 1 204\n")
    ask(hook, project, prompt, "second")
    after = {memory.path: memory for memory in read_events(str(project / ".claude/memory")).events[-1].memories}
    # Scores and logits stay as they were.
    assert {path: one.logit for path, one in after.items()} == {path: one.logit for path, one in before.items()}


def has_queue(ran: Outcome) -> bool:
    return b"Jobs use a queue" in ran.stdout


def test_a_memory_near_the_limit_is_withheld_in_the_whole_session_or_not_at_all(hook: Hook, project: Path) -> None:
    prompt = "is there anything about jobs of the workers?"
    ask(hook, project, prompt)
    memory_dir = Store(project).memory_dir
    logit = read_events(memory_dir).events[-1].shown[0].logit
    assert logit is not None
    usual = gate_threshold("balanced")
    assert usual is not None
    near = (logit - usual - 100) / LOGIT_UNIT
    settings = {"retrieval": {"gate_shift": near}}
    write_user_settings({**settings, "learning": {"holdout": 50}})
    shown = {}
    for session in map(str, range(12)):
        shown[session] = has_queue(ask(hook, project, prompt, session))
        [event] = read_events(memory_dir, session).events
        [memory] = [one for one in event.memories if one.id == "queue"]
        assert event.holdout is not None
        assert event.holdout == LoggedHoldout(50, event.holdout.least, event.holdout.least + 512)
        assert event.holdout.least <= logit < event.holdout.below
        assert (memory.outcome == "holdout") is (event.silence == "holdout") is not shown[session]
        assert shown[session] is not is_withheld_at_random(session, memory.path, 50)
    assert {True, False} == set(shown.values())
    away = next(session for session, was_shown in shown.items() if not was_shown)
    assert not has_queue(ask(hook, project, prompt, away))
    # A memory that is surely wanted is shown, and so is everything without the setting.
    write_user_settings({"learning": {"holdout": 50}, "retrieval": {"gate_shift": max(near - 1, -2.0)}})
    assert has_queue(ask(hook, project, prompt, away))
    write_user_settings(settings)
    assert has_queue(ask(hook, project, prompt, f"{away}-again"))
    assert read_events(memory_dir).events[-1].holdout is None


def test_a_wrong_memory_of_the_users_own_store_stays_away_too(hook: Hook, project: Path) -> None:
    own = Path(os.environ["CUECARD_HOME"]) / "user"
    try:
        write(own, "make a new key for the tokens of all projects")
        (project / ROTATE).unlink()
        assert is_shown(ask(hook, project, PROMPT))
        [memory] = read_events(Store(project).memory_dir).events[-1].shown
        assert (memory.path, memory.scope) == (ROTATE, "user")
        before = sorted(own.rglob("*"))
        done = judge(Store(project), "wrong", "rotate-keys")
        assert not is_shown(ask(hook, project, SIMILAR, "second"))
        # The verdict is kept for this project; nothing is written into the store that has the memory.
        assert sorted(own.rglob("*")) == before
        undo(Store(project), done.id)
        assert is_shown(ask(hook, project, SIMILAR, "third"))
    finally:
        shutil.rmtree(own, ignore_errors=True)


def test_points_decide_between_memories_that_are_nearly_as_good(hook: Hook, project: Path) -> None:
    prompt = "how do workers take jobs from the queue?"
    for name, rest in (("blue", "in the order of arrival"), ("red", "with the oldest customer first")):
        content = {"title": f"{name.title()} workers take jobs from the queue", "content": {"decision": rest}}
        file = project / f".claude/memory/decisions/{name}.json"
        file.write_text(json.dumps({"id": name, "record_status": "active", "category": "decision", **content}))
    ask(hook, project, prompt)
    memory_dir = Store(project).memory_dir

    def order() -> list[str]:
        return [one.id for one in read_events(memory_dir).events[-1].shown if one.id in ("blue", "red")]

    first, second = order()
    path = f".claude/memory/decisions/{second}.json"
    trust_hash = engine.trust_hash((project / path).read_bytes())
    verdicts = kept_of(project / ".claude/memory") / "verdicts"
    verdicts.write_text(f"cuecard verdicts 1 0\nmemory {trust_hash} 320 {path}\n")
    ask(hook, project, prompt, "second")
    assert order() == [second, first]
    # Points of another text of the memory do not count.
    verdicts.write_text(f"cuecard verdicts 1 0\nmemory {'0' * 64} 320 {path}\n")
    ask(hook, project, prompt, "third")
    assert order() == [first, second]
