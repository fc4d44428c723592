"""What an agent does with a memory that it was shown is a sign of use; what it would have done anyway is none."""

import json
import time
from pathlib import Path

import pytest

from cuecard import Store
from cuecard._backend import engine
from cuecard.basics.light_dataclass import replace
from cuecard.capture.ledger import note_signs
from cuecard.capture.ledger.signs_of_use import Act, ShownText, find_signs
from cuecard.capture.ledger.transcripts.record import (
    CALLED,
    COMMAND,
    EDIT,
    ENDED,
    OPENED,
    PROMPT,
    SAID,
    Action,
    Item,
)
from cuecard.files.trust_levels import OWN, grant
from cuecard.store.log.events import read_events
from cuecard.store.log.verdict_log import Verdict, read_verdicts
from hook_process import Hook

QUEUE = ShownText(
    id="jobs-use-a-queue",
    path=".claude/memory/decisions/jobs-use-a-queue.json",
    title="Jobs use a queue in Postgres",
    text="Jobs use a queue in Postgres\nworkers take rows with SKIP LOCKED, see claim_next_job and job_lease_ms",
    anchors=("src/queue.py",),
    seconds=100,
)
ROOT = "/home/me/shop"


def call(action: Action, at: int, answer: str = "done", *, has_failed: bool = False) -> list[Act]:
    return [(at, Item(CALLED, key="c", action=action)), (at, Item(ENDED, answer, "c", has_failed))]


def signs(*acts: Act, shown: ShownText = QUEUE, before: list[str] | None = None) -> list[str]:
    return [sign for _shown, sign in find_signs([shown], acts, (ROOT, ROOT), lambda: [] if before is None else before)]


def said(text: str, at: int = 110) -> Act:
    return at, Item(SAID, text)


def test_the_edit_of_a_file_that_a_shown_memory_is_anchored_to() -> None:
    for path in ("src/queue.py", f"{ROOT}/src/queue.py"):
        assert signs(*call(Action(EDIT, path), 110)) == ["edited"]
    for path in ("src/other.py", "/elsewhere/src/queue.py", "queue.py"):
        assert signs(*call(Action(EDIT, path), 110)) == []


def test_an_edit_that_failed_or_came_before_is_no_sign() -> None:
    edit = Action(EDIT, "src/queue.py")
    assert signs(*call(edit, 110, has_failed=True)) == []
    assert signs(*call(edit, 99)) == []
    assert signs(*[(None, item) for _at, item in call(edit, 110)]) == []


def test_the_edit_for_which_the_memory_was_shown_is_no_sign() -> None:
    shown = ShownText(QUEUE.id, QUEUE.path, QUEUE.title, QUEUE.text, QUEUE.anchors, 100, is_for_file=True)
    assert signs(*call(Action(EDIT, "src/queue.py"), 110), shown=shown) == []


def test_the_failed_command_that_called_the_memory_succeeds() -> None:
    shown = ShownText("restart", "a.json", "Restart", "", (), 100, is_for_failure=True)
    make, other = Action(COMMAND, "make test"), Action(COMMAND, "make lint")
    failed = call(make, 101, has_failed=True)
    assert signs(*failed, *call(make, 150), shown=shown) == ["passed"]
    assert signs(*failed, *call(other, 150), shown=shown) == []
    # The command failed long before, so it is not the one that the memory was shown for.
    assert signs(*call(make, 40, has_failed=True), *call(make, 150), shown=shown) == []


@pytest.mark.parametrize(
    "action",
    [
        Action(COMMAND, "cd /x && cuecard show jobs-use-a-queue"),
        Action(COMMAND, "cuecard show decision/jobs-use-a-queue"),
        Action(OPENED, "jobs-use-a-queue"),
        Action(OPENED, f"{ROOT}/.claude/memory/decisions/jobs-use-a-queue.json"),
    ],
)
def test_the_agent_opens_the_memory(action: Action) -> None:
    assert signs(*call(action, 110)) == ["opened"]


@pytest.mark.parametrize("command", ["cuecard show another-memory", "cuecard retire jobs-use-a-queue", "cat x"])
def test_another_command_opens_nothing(command: str) -> None:
    assert signs(*call(Action(COMMAND, command), 110)) == []


def test_names_that_the_agent_can_have_from_the_memory_only() -> None:
    text = "I call claim_next_job and set job_lease_ms."
    assert signs(said(text)) == ["words"]
    assert signs(*call(Action(EDIT, "src/other.py", new="claim_next_job(job_lease_ms)"), 110)) == ["words"]
    # They stand in a prompt, in what a tool printed, or in what was read before.
    assert signs((105, Item(PROMPT, "rename claim_next_job and job_lease_ms")), said(text)) == []
    assert signs(*call(Action(OPENED, "src/queue.py"), 105, "claim_next_job job_lease_ms"), said(text)) == []
    assert signs(said(text), before=["def claim_next_job(job_lease_ms): ..."]) == []
    # Ordinary words, and one short name alone, are no sign.
    assert signs(said("The workers take rows.")) == []
    assert signs(said("I set job_lease_ms.")) == []


def test_a_citation_counts_last_and_a_negated_one_not_at_all() -> None:
    assert signs(said("As Jobs use a queue in Postgres says, I add a row.")) == ["cited"]
    assert signs(said("I follow jobs-use-a-queue.")) == ["cited"]
    for text in (
        "The memory jobs-use-a-queue does not apply here.",
        "jobs-use-a-queue is unrelated to this.",
        "I ignored jobs-use-a-queue.",
        "I don't need jobs-use-a-queue.",
        "I call claim_next_job for nothing, as jobs-use-a-queue is outdated.",
    ):
        assert signs(said(text)) == []


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one memory that the user has written, about one file."""
    root = tmp_path / "shop"
    file = root / QUEUE.path
    file.parent.mkdir(parents=True)
    record = {
        "title": QUEUE.title,
        "category": "decision",
        "tags": ["queue"],
        "content": {"decision": "workers take rows of the job queue in Postgres with SKIP LOCKED"},
        "cuecard": {"anchors": ["src/queue.py"]},
    }
    file.write_text(json.dumps({"id": QUEUE.id, "record_status": "active", **record}))
    return root


def run(hook: Hook, project: Path, verb: str, **members: object) -> bytes:
    sent = {"cwd": str(project), "session_id": "s-1", "transcript_path": str(project.parent / "s-1.jsonl"), **members}
    ran = hook.run(verb, "--host", "claude-code", stdin=json.dumps(sent).encode(), cwd=project)
    assert (ran.code, ran.stderr) == (0, b"")
    hook.wait_for_background()
    return ran.stdout


def write_turn(project: Path, prompt: str, file: str) -> None:
    """A turn in which the agent edits a file, in the host's transcript."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
    edit = {
        "type": "tool_use",
        "id": "t",
        "name": "Edit",
        "input": {"file_path": f"{project}/{file}", "new_string": "x"},
    }
    result = {"type": "tool_result", "tool_use_id": "t", "content": "edited"}
    records = [
        {"type": "user", "message": {"content": prompt}},
        {"type": "assistant", "message": {"content": [edit]}},
        {"type": "user", "message": {"content": [result]}},
    ]
    with (project.parent / "s-1.jsonl").open("a", encoding="utf-8") as transcript:
        transcript.writelines([json.dumps({**record, "timestamp": stamp}) + "\n" for record in records])


def used(project: Path) -> list[Verdict]:
    return [one for one in read_verdicts(Store(project).memory_dir) if one.kind == "used"]


PROMPTED = "how do the workers of the job queue take rows in Postgres?"


def test_a_session_keeps_the_signs_once_with_their_strength(hook: Hook, project: Path) -> None:
    grant([engine.trust_hash((project / QUEUE.path).read_bytes()) or ""], OWN)
    assert QUEUE.title.encode() in run(hook, project, "prompt", prompt=PROMPTED)
    write_turn(project, PROMPTED, "src/queue.py")
    run(hook, project, "session", hook_event_name="PreCompact")
    [sign] = used(project)
    [event] = [one for one in read_events(Store(project).memory_dir).events if one.shown]
    assert (sign.sign, sign.strength, sign.path, sign.prompt) == ("edited", 1.0, QUEUE.path, event.prompt_hash)
    # The same again counts once, and a sign keeps the memory away from nothing.
    write_turn(project, "now the tests", "src/queue.py")
    run(hook, project, "session", hook_event_name="SessionEnd")
    assert used(project) == [sign]


def test_a_memory_that_nobody_vouches_for_gets_no_signs(hook: Hook, project: Path) -> None:
    file = project / QUEUE.path
    file.write_text(file.read_text().replace("SKIP LOCKED", "SKIP LOCKED, as a stranger says"))
    assert QUEUE.title.encode() in run(hook, project, "prompt", prompt=PROMPTED)
    write_turn(project, PROMPTED, "src/queue.py")
    run(hook, project, "session", hook_event_name="SessionEnd")
    assert used(project) == []


def test_what_was_withheld_at_random_and_shown_later_counts_as_shown(
    hook: Hook, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(hook, project, "prompt", prompt=PROMPTED)
    memory_dir = Store(project).memory_dir
    log = read_events(memory_dir)
    [shown] = [one for one in log.events if one.shown]
    withheld = replace(shown, memories=tuple(replace(one, outcome="holdout") for one in shown.memories))
    monkeypatch.setattr(note_signs, "read_events", lambda *_given: replace(log, events=[withheld, shown, withheld]))
    [(event, memory)] = note_signs.what_was_logged(memory_dir, "s-1").values()
    assert event is shown
    assert memory.is_shown
    monkeypatch.setattr(note_signs, "read_events", lambda *_given: replace(log, events=[withheld, withheld]))
    [(_event, memory)] = note_signs.what_was_logged(memory_dir, "s-1").values()
    assert not memory.is_shown
