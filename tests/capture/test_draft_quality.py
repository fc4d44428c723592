"""Vague drafts are recognised in any language. A vague draft is refused once, then it waits for the user's review."""

import json
from pathlib import Path
from typing import Any

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.capture.commit import commit_drafts
from cuecard.capture.commit_folder import CommitFolder
from cuecard.capture.draft import check_draft
from cuecard.capture.draft_quality import find_vagueness
from cuecard.capture.inbox import read_inbox
from cuecard.capture.refusals import MAX_IN_SESSION, MAX_LINES
from cuecard.capture.review import accept, edit, hand_in
from cuecard.errors import ValidationError
from handed_in import draft, names, notice_of, staged
from handed_in import hand_in as commit
from records import read_files
from scratch_home import kept_of

Json = dict[str, Any]


def fields_of(raw: Json, *changed: str) -> list[str]:
    """The fields of a draft that are found to be vague."""
    return [problem.field for problem in find_vagueness(check_draft(raw, 0), changed)]


TITLE, CONTENT = "partial_content.title", "partial_content.content"
GERMAN = {
    "kind": "policy",
    "rule": "Beträge werden nie als Gleitkommazahl gespeichert",
    "impact": ["Rundungsfehler in der Bilanz"],
    "severity": "high",
    "active": True,
}
JAPANESE = {
    "topic": "テスト",
    "value": "テストは常に並列で実行する",
    "reason": "待ち時間が長いため",
    "strength": "strong",
}
KOREAN = {"trigger": "배포가 멈춘다", "steps": ["캐시를 비우고 다시 배포한다"], "verification": "상태가 정상이다"}
SPANISH = {
    "status": "open",
    "priority": "low",
    "description": "El importador lee el archivo entero",
    "reason_deferred": "los archivos son pequeños todavía",
}


@pytest.mark.parametrize(
    "raw",
    [
        draft(),
        draft("Beträge sind ganze Cent", category="constraint", content=GERMAN),
        draft("テストは並列", category="preference", content=JAPANESE),
        draft("배포가 멈추면 캐시를 비운다", category="runbook", content=KOREAN),
        draft("El importador no lee por partes", category="tech_debt", content=SPANISH),
        # This title is short, but it names a file and says something about it.
        draft("gateway.py retries", related_files=["src/gateway.py"]),
    ],
    ids=["en", "de", "ja", "ko", "es", "file"],
)
def test_a_draft_that_says_something_is_not_vague_in_any_language(raw: Json) -> None:
    assert fields_of(raw, "src/gateway.py") == []


@pytest.mark.parametrize(
    "title", ["Decision", "The decision", "decision: decisions", "!!!", "src/pay/gateway.py", "Gateway.py", "gateway"]
)
def test_a_title_that_only_repeats_the_category_or_a_file_is_vague(title: str) -> None:
    assert fields_of(draft(title, related_files=["src/pay/gateway.py"])) == [TITLE]


def test_a_title_that_names_a_file_of_the_working_tree_is_vague() -> None:
    assert fields_of(draft("the ledger.sql decision")) == []
    assert fields_of(draft("the ledger.sql decision"), "db/ledger.sql") == [TITLE]


def test_content_that_is_shorter_than_the_title_is_vague() -> None:
    short = {"status": "accepted", "context": "load", "decision": "yes", "rationale": ["ok"]}
    assert fields_of(draft(content=short)) == [CONTENT]
    # Values from a fixed list, like `medium`, do not count as content.
    rule = {"kind": "technical", "rule": "cents", "impact": ["sums"], "severity": "medium", "active": True}
    assert fields_of(draft("Amounts are integers", category="constraint", content=rule)) == [CONTENT]


@pytest.mark.parametrize(
    ("title", "value", "reason", "is_vague"),
    [
        (
            "We always release on Tuesdays, because support is full then",
            "release on Tuesdays",
            "support is full",
            False,
        ),
        ("We always release on Tuesdays, because support is full then", "Tuesdays", "as said", True),
        ("Die Rechnungen gehen montags raus, weil die Bank dann bucht", "Rechnungen montags", "die Bank bucht", False),
    ],
)
def test_short_content_that_says_the_title_is_not_vague(title: str, value: str, reason: str, is_vague: bool) -> None:
    said = draft(title, category="preference", content={"value": value, "reason": reason})
    assert fields_of(said) == ([CONTENT] if is_vague else [])


def test_content_without_a_word_but_those_of_file_names_is_vague() -> None:
    listed = {
        "goal": "src/pay/gateway.py",
        "outcome": "success",
        "completed": ["src/pay/gateway.py, queue.py", "ledger.sql"],
        "next_actions": [],
    }
    summary = draft("What was done on Monday", category="session_summary", content=listed)
    assert fields_of(summary) == [CONTENT]
    listed["completed"] = ["gateway retries through queue.py"]
    assert fields_of(summary) == []
    # The names of changed files do not count as content, even without their folders and extensions.
    listed["completed"] = ["the gateway, the queue"]
    assert fields_of(summary, "src/pay/gateway.py", "src/pay/queue.py") == [CONTENT]


def test_content_that_says_the_same_in_each_field_is_vague() -> None:
    said = "PostgreSQL for the ledger and for nothing else"
    same = {"status": "accepted", "context": said, "decision": said.upper(), "rationale": [said]}
    assert fields_of(draft(content=same)) == [CONTENT]


def test_fields_of_another_category_are_named_with_what_to_do() -> None:
    mixed = draft(content={"steps": ["restart it"], "decision": "restart it", "trigger": "it hangs"})
    steps, trigger = find_vagueness(check_draft(mixed, 0))
    assert (steps.field, trigger.field) == (f"{CONTENT}.steps", f"{CONTENT}.trigger")
    assert "`runbook`" in steps.fix
    assert "`rationale`" in steps.fix


VAGUE = draft("Decision")


def test_a_vague_draft_is_refused_once_with_a_reason_and_then_waits_for_the_user(store: Store) -> None:
    folder = staged(store)
    first = commit(store, folder, VAGUE)
    assert first.code == 1
    assert first.stdout.startswith("refused  decision `Decision`: the draft is vague: `partial_content.title`")
    assert "write the answer as the title" in first.stderr
    assert "the same draft, saved again, waits for the user" in first.stderr
    assert read_files(store) == {}
    assert "triage.json" in names(folder)
    second = commit(store, folder, VAGUE)
    assert second.code == 0, second.stderr
    assert second.stdout.startswith("waiting  decision `Decision`: it is vague")
    assert read_files(store) == {}
    [waiting] = read_inbox(store.memory_dir)
    assert waiting.why == "`partial_content.title` is without a word of its own"
    assert (waiting.origin, waiting.source["session"]) == ("agent", folder.name)
    # No draft is left in the folder, and the notice tells the user that the draft waits.
    assert names(folder) == ["handled-4096"]
    assert notice_of(store).read_text() == "cuecard: 1 draft waits for `cuecard review`\n"


def test_a_corrected_draft_is_written_and_what_it_corrects_is_no_longer_kept(store: Store) -> None:
    folder = staged(store)
    commit(store, folder, VAGUE)
    assert any(name.startswith("failed-") for name in names(folder))
    ran = commit(store, folder, {**VAGUE, "partial_content": {**VAGUE["partial_content"], "title": "Keep PostgreSQL"}})
    assert ran.stdout.startswith("created")
    assert not any(name.startswith("failed-") for name in names(folder))


def test_the_same_title_or_the_same_content_is_the_same_draft(store: Store) -> None:
    other = draft("Décision: decision", content=VAGUE["partial_content"]["content"])
    for again in (other, draft("Decision", content={**VAGUE["partial_content"]["content"], "context": "another one"})):
        kept = kept_of(store.memory_dir) / "inbox"
        for file in [kept / "refused", *kept.glob("*.json")]:
            file.unlink(missing_ok=True)
        statuses = [commit_drafts(store, [raw], asks=True).outcomes[0].status for raw in (VAGUE, again)]
        assert statuses[0] == "refused"
        assert statuses[1] in ("waiting", "created")


def test_a_session_that_only_brings_vague_drafts_is_not_held_up_for_ever(store: Store) -> None:
    folder = CommitFolder(store.memory_dir, str(staged(store)))
    content = VAGUE["partial_content"]["content"]
    drafts = [draft("Decision" + "!" * number, content={**content, "context": f"a {number}"}) for number in range(6)]
    statuses = [outcome.status for outcome in commit_drafts(store, drafts, folder=folder, asks=True).outcomes]
    assert statuses == ["refused"] * MAX_IN_SESSION + ["waiting"] * (6 - MAX_IN_SESSION)


def test_a_trial_run_refuses_nothing_for_good(store: Store) -> None:
    for _ in range(2):
        ran = run_in(store, "capture", "commit", "--dry-run", send=[VAGUE])
        assert ran.stdout.startswith("would be refused")
    commit_drafts(store, [VAGUE], asks=True)
    ran = run_in(store, "capture", "commit", "--dry-run", send=[VAGUE])
    assert ran.stdout.startswith("would wait")
    assert read_inbox(store.memory_dir) == []


def test_an_update_of_a_memory_may_be_short(store: Store) -> None:
    commit_drafts(store, [draft()], asks=True)
    short = draft(action="update", content={"context": "load"})
    [outcome] = commit_drafts(store, [short], asks=True).outcomes
    assert outcome.status == "updated"


def test_a_draft_from_a_document_is_refused_once_too_and_one_of_a_model_waits_with_the_reason(store: Store) -> None:
    [outcome] = hand_in(store, [VAGUE], asks=True).outcomes
    assert (outcome.status, isinstance(outcome.error, ValidationError)) == ("refused", True)
    assert read_inbox(store.memory_dir) == []
    [outcome] = hand_in(store, [VAGUE]).outcomes
    assert outcome.status == "waiting"
    assert "it is vague" in outcome.why
    [waiting] = read_inbox(store.memory_dir)
    assert waiting.why


def test_the_user_sees_why_a_draft_is_vague_and_may_accept_or_correct_it(store: Store) -> None:
    hand_in(store, [VAGUE])
    [waiting] = read_inbox(store.memory_dir)
    assert run_in(store, "review").stdout == f"{waiting.id}  create decision: Decision (unreviewed) (vague)\n"
    assert (
        "  vague: `partial_content.title` is without a word of its own\n"
        in run_in(store, "review", "show", waiting.id).stdout
    )
    better = edit(store, waiting, draft("Keep PostgreSQL"))
    assert better.why == ""
    [decided] = accept(store, read_inbox(store.memory_dir))
    assert decided.outcome.status == "created"


def test_a_user_can_repair_a_draft_with_fields_of_another_category(store: Store) -> None:
    mixed = draft(content={**draft()["partial_content"]["content"], "steps": ["restart it"]})
    statuses = [commit_drafts(store, [mixed], asks=True).outcomes[0].status for _ in range(2)]
    assert statuses == ["refused", "waiting"]
    [waiting] = read_inbox(store.memory_dir)
    [decided] = accept(store, [waiting])
    assert not decided.is_discarded
    edit(store, waiting, draft())
    [decided] = accept(store, read_inbox(store.memory_dir))
    assert decided.is_discarded


def test_what_was_refused_is_remembered_outside_of_the_project_and_is_bounded(store: Store) -> None:
    file = kept_of(store.memory_dir) / "inbox" / "refused"
    for _ in range(2):
        commit_drafts(store, [VAGUE], asks=True)
    assert not list(Path(store.root).rglob("refused"))
    size = len(file.read_text().split())
    file.write_text("0" * 12 + "\n" + file.read_text() + "\n".join([f"{number:012}" for number in range(MAX_LINES)]))
    content = {**draft()["partial_content"]["content"], "context": "another one"}
    commit_drafts(store, [draft("The decision!", content=content)], asks=True)
    lines = file.read_text().split()
    assert size < len(lines) <= MAX_LINES // 2 + 10
    assert json.dumps(lines[-1])
