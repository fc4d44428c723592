"""`cuecard capture commit` turns drafts into memories, from the command line and through the library."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from command_process import environment, run_in
from cuecard import Store
from cuecard.capture.commit import commit_drafts
from cuecard.capture.commit_folder import CommitFolder
from cuecard.capture.commit_table import resolve
from handed_in import SESSION, TOKEN, draft, hand_in, names, notice_of, staged, statuses
from records import assert_index_is_a_rebuild, path_in, put, read, read_files, stored
from small_project import CONTENTS

# The content has no words in common with other drafts and memories, so the command does not ask about relations.
OTHERWISE = {"status": "accepted", "context": "balances drift", "decision": "one server", "rationale": ["joins"]}


def test_a_draft_becomes_a_memory_that_says_where_it_comes_from(store: Store) -> None:
    folder = staged(store)
    ran = hand_in(store, folder, draft())
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout == "created  .claude/memory/decisions/use-postgresql-for-the-ledger.json\n"
    record = read(store, "use-postgresql-for-the-ledger")
    assert record["cuecard"] == {
        "origin": "agent",
        "source": {"session": SESSION, "transcript": f"{SESSION}.jsonl", "start": 120, "end": 4096},
    }
    assert record["tags"] == ["ledger", "postgresql"]
    assert record["confidence"] == 0.9
    assert [change["summary"] for change in record["changes"]] == ["Decided in the session"]
    assert_index_is_a_rebuild(store)


def test_a_draft_brings_questions_and_evidence_and_evidence_only_grows(store: Store) -> None:
    said = {"kind": "ticket", "ref": "OPS-7"}
    own = {"questions": ["which database?"], "evidence": [said], "valid_from": "2026-02-01"}
    proposed = draft()
    proposed["partial_content"] |= own
    assert hand_in(store, staged(store), proposed).code == 0
    record = read(store, "use-postgresql-for-the-ledger")
    assert {name: record["cuecard"][name] for name in own} == own
    more = draft(action="update")
    commit = {"kind": "commit", "ref": "1a2b3c4"}
    more["partial_content"] |= {"questions": ["where are the balances?"], "evidence": [commit]}
    assert hand_in(store, staged(store, "s-2"), more).code == 0
    extension = read(store, "use-postgresql-for-the-ledger")["cuecard"]
    assert extension["questions"] == ["where are the balances?", "which database?"]
    assert extension["evidence"] == [said, commit]
    assert extension["valid_from"] == "2026-02-01"


def test_a_draft_with_a_malformed_question_is_kept_for_a_retry(store: Store) -> None:
    proposed = draft()
    proposed["partial_content"]["questions"] = ["q" * 201]
    ran = hand_in(store, staged(store), proposed)
    assert ran.code == 1
    assert "cuecard.questions[0]" in ran.stdout + ran.stderr


def test_what_triage_left_goes_but_for_its_mark_and_the_user_is_to_be_told(store: Store) -> None:
    folder = staged(store)
    hand_in(store, folder, draft())
    assert names(folder) == ["handled-4096"]
    assert notice_of(store).read_text() == "cuecard: created decision `Use PostgreSQL for the ledger`\n"
    if os.name == "posix":
        assert stat.S_IMODE(notice_of(store).stat().st_mode) == 0o600


def test_nothing_worth_keeping_clears_the_folder_in_silence(store: Store) -> None:
    folder = staged(store)
    ran = hand_in(store, folder, {"category": "decision", "action": "noop"})
    assert ran.stdout == "unchanged  decision: the draft asks for nothing\n"
    assert names(folder) == ["handled-4096"]
    other = staged(store, "s-2")
    assert run_in(store, "capture", "commit", other, send=[]).stdout == "nothing to save: there is no draft\n"
    assert names(other) == ["handled-4096"]


def test_the_drafts_come_from_a_file_too(store: Store) -> None:
    file = Path(store.root, "drafts.json")
    file.write_text(json.dumps(draft()))
    ran = run_in(store, "capture", "commit", "--file", str(file), "--origin", "user", "--json")
    assert ran.document["drafts"][0]["status"] == "created"
    # The draft comes from no session, so there is no notice for the user.
    assert ran.document["notice"] is None
    assert read(store, "use-postgresql-for-the-ledger")["cuecard"] == {"origin": "user"}


def test_a_fence_around_the_drafts_is_taken_off(store: Store) -> None:
    ran = run_in(store, "capture", "commit", send=f"```json\n{json.dumps([draft()])}\n```\n")
    assert (ran.code, ran.stdout[:7]) == (0, "created")


def test_a_project_without_memories_gets_its_first(tmp_path: Path) -> None:
    (tmp_path / "new" / ".git").mkdir(parents=True)
    ran = subprocess.run(
        [sys.executable, "-m", "cuecard.cli", "capture", "commit"],
        cwd=tmp_path / "new",
        env=environment(tmp_path),
        input=json.dumps([draft(action="update")]).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.stdout.startswith(b"created  .claude/memory/decisions/")


def test_the_same_drafts_twice_change_nothing(store: Store) -> None:
    put(store, stored("old-cache", "tech_debt", title="The old cache of prices", tags=["cache", "prices"]))
    put(store, stored("older-cache", "tech_debt", title="The old cache of names", tags=["cache", "names"]))
    put(store, stored("reboot", "runbook", title="Restart the build server", tags=["build", "server"]))
    drafts = [
        draft(),
        draft("Build server hangs after midnight", category="runbook", action="update", tags=["midnight"])
        | {"new_info_summary": "Restart the build server when it hangs"},
        draft("Cache removed", category="tech_debt", action="delete")
        | {"new_info_summary": "The old cache of prices is gone"},
        draft("A session on caches", category="session_summary"),
    ]
    folder = staged(store)
    first = hand_in(store, folder, *drafts)
    assert [line.split()[0] for line in first.stdout.splitlines()] == ["created", "updated", "retired", "created"]
    before = read_files(store)
    for handed_in in (folder, staged(store, "another-session")):
        ran = hand_in(store, handed_in, *drafts)
        assert [line.split()[0] for line in ran.stdout.splitlines()] == ["unchanged"] * 4
        assert ran.code == 0
    assert read_files(store) == before
    assert read(store, "older-cache", "tech_debt")["record_status"] == "active"


@pytest.mark.parametrize(
    ("structural", "action", "resolved"),
    [
        ("CREATE", "create", "CREATE"),
        ("CREATE", "update", "CREATE"),
        ("CREATE", "delete", "NOOP"),
        ("UPDATE_OR_DELETE", "update", "UPDATE"),
        ("UPDATE_OR_DELETE", "delete", "DELETE"),
        ("UPDATE_OR_DELETE", "create", "CREATE"),
        ("UPDATE", "create", "CREATE"),
        ("UPDATE", "update", "UPDATE"),
        ("UPDATE", "delete", "UPDATE"),
        ("NOOP", "create", "NOOP"),
        ("UPDATE_OR_DELETE", "noop", "NOOP"),
    ],
)
def test_the_table(structural: str, action: str, resolved: str) -> None:
    assert resolve(structural, action) == resolved


def test_an_update_adds_to_the_memory_that_fits_and_keeps_what_it_had(store: Store) -> None:
    put(
        store,
        stored(
            "reboot",
            "runbook",
            title="Restart the build server",
            tags=["build", "server"],
            related_files=["ops/a.sh"],
            cuecard={"origin": "user", "gist": "Turn it off and on.", "source": {"session": "s-0", "start": 1}},
        ),
    )
    new = draft("Restart the build server at night", category="runbook", action="update", tags=["Server", "night"])
    new["partial_content"]["related_files"] = ["ops/b.sh"]
    new["partial_content"]["content"] = {"root_cause": "its disk is full"}
    assert statuses(store, new, folder=CommitFolder(store.memory_dir, str(staged(store)))) == ["updated"]
    record = read(store, "restart-the-build-server-at-night", "runbook")
    assert record["title"] == "Restart the build server at night"
    assert record["tags"] == ["build", "night", "server"]
    assert record["related_files"] == ["ops/a.sh", "ops/b.sh"]
    assert record["content"] == {**CONTENTS["runbook"], "root_cause": "its disk is full"}
    assert record["cuecard"]["origin"] == "user"
    assert record["cuecard"]["gist"] == "Turn it off and on."
    assert record["cuecard"]["source"]["end"] == 4096
    assert record["times_updated"] == 1
    [change] = [change for change in record["changes"] if change.get("field") == "cuecard"]
    assert change["old_value"]["source"] == {"session": "s-0", "start": 1}


def test_a_dozen_tags_stay_as_they_are(store: Store) -> None:
    tags = [f"t{number:02}" for number in range(12)]
    put(store, stored("use-redis", title="Use Redis for sessions", tags=tags))
    assert statuses(store, draft("Use Redis for sessions", action="update")) == ["updated"]
    assert read(store, "use-redis")["tags"] == tags


def test_a_new_memory_with_a_title_that_is_taken_updates_that_one(store: Store) -> None:
    put(store, stored("use-redis", title="Use Redis", tags=["other"]))
    changed = {**CONTENTS["decision"], "decision": "Redis 8"}
    assert statuses(store, draft("Use Redis", content=changed), draft("Use  REDIS!")) == ["updated", "updated"]
    assert len(read_files(store)) == 1


def test_what_is_kept_for_good_is_never_retired_by_a_draft(store: Store) -> None:
    put(store, stored("use-redis", title="Use Redis for sessions", tags=["redis"]))
    gone = draft("Use Redis for sessions", action="delete", content={"status": "deprecated"})
    assert statuses(store, gone) == ["updated"]
    assert read(store, "use-redis")["record_status"] == "active"
    assert read(store, "use-redis")["content"]["status"] == "deprecated"


@pytest.mark.parametrize(
    ("event", "status"), [(None, "deprecated"), ("reversed", "deprecated"), ("superseded", "superseded")]
)
def test_a_decision_that_is_over_says_so(store: Store, event: str | None, status: str) -> None:
    put(store, stored("use-redis", title="Use Redis for sessions", tags=["redis"]))
    gone = {"category": "decision", "action": "delete", "new_info_summary": "Redis for sessions was dropped"}
    ran = run_in(store, "capture", "commit", send=[gone | ({"lifecycle_event": event} if event else {})])
    assert ran.stdout == "updated  .claude/memory/decisions/use-redis.json\n"
    assert "`cuecard retire use-redis` takes it out of recall" in ran.stderr
    record = read(store, "use-redis")
    assert (record["record_status"], record["content"]["status"]) == ("active", status)
    assert record["changes"][0]["summary"] == "Redis for sessions was dropped"


@pytest.mark.parametrize("category", ["preference", "session_summary"])
def test_the_end_of_what_is_kept_is_in_its_history_once(store: Store, category: str) -> None:
    put(store, stored("tabs", category, title="Tabs in makefiles", tags=["tabs", "makefiles"]))
    gone = {"category": category, "action": "delete", "new_info_summary": "Tabs in makefiles are over"}
    assert statuses(store, gone, draft("Another", category=category), gone) == ["updated", "created", "unchanged"]
    record = read(store, "tabs", category)
    assert record["record_status"] == "active"
    assert [change["summary"] for change in record["changes"] if "field" not in change] == [gone["new_info_summary"]]


def test_a_deletion_says_why_and_needs_no_more_than_a_sentence(store: Store) -> None:
    put(store, stored("old-cache", "tech_debt", title="The old cache of prices", tags=["cache", "prices"]))
    gone = {"category": "tech_debt", "action": "delete", "new_info_summary": "the old cache of prices was removed"}
    folder = staged(store)
    ran = hand_in(store, folder, gone)
    assert ran.stdout == "retired  .claude/memory/tech-debt/old-cache.json\n"
    assert read(store, "old-cache", "tech_debt")["retired_reason"] == "the old cache of prices was removed"
    assert notice_of(store).read_text() == "cuecard: retired tech_debt `The old cache of prices`\n"


def test_where_nothing_fits_nothing_is_deleted(store: Store) -> None:
    put(store, stored("old-cache", "tech_debt", title="The old cache of prices", tags=["cache"]))
    other = {"category": "tech_debt", "action": "delete", "new_info_summary": "the login form was rewritten"}
    assert statuses(store, other, draft("x y", action="update", lifecycle_event="removed")) == ["unchanged"] * 2
    assert read(store, "old-cache", "tech_debt")["record_status"] == "active"


def test_one_that_fails_does_not_hinder_the_others_and_waits_for_a_retry(store: Store) -> None:
    folder = staged(store)
    bad = draft("Half a decision", content={"context": "so"})
    ran = hand_in(store, folder, bad, draft(), arguments=("--json",))
    assert ran.code == 1
    failed, created = ran.document["drafts"]
    assert (failed["status"], created["status"]) == ("failed", "created")
    assert failed["error"]["code"] == "VALIDATION_ERROR"
    assert {problem["field"] for problem in failed["error"]["problems"]} >= {"content.status", "content.decision"}
    kept = Path(failed["kept"])
    assert names(folder) == ["context-decision.txt", kept.name, "handled-4096", "triage.json"]
    assert json.loads(kept.read_bytes()) == [bad]
    assert "1 draft could not be saved and is kept for a retry" in notice_of(store).read_text()

    again = run_in(store, "capture", "commit", folder, "--file", kept)
    assert again.code == 1
    assert "kept for a retry" in again.stdout
    assert "`content.decision`: expected" in again.stderr
    assert kept.exists()
    assert hand_in(store, folder, draft("Half a decision", content=OTHERWISE, tags=["halves"])).code == 0
    assert read(store, "half-a-decision")["cuecard"]["source"]["end"] == 4096


def test_what_failed_and_can_be_saved_later_waits_no_longer(store: Store) -> None:
    make = draft("Use Redis")
    put(store, stored("use-redis", title="Use Redis", record_status="archived", archived_at="2026-01-01T00:00:00Z"))
    folder = staged(store)
    ran = hand_in(store, folder, make)
    assert "kept for a retry  decision `Use Redis`: there is a memory" in ran.stdout
    [kept] = folder.glob("failed-*.json")
    path_in(store, "use-redis").unlink()
    assert run_in(store, "capture", "commit", folder, "-f", kept).stdout.startswith("created")
    assert names(folder) == ["handled-4096"]
    assert len(notice_of(store).read_text().splitlines()) == 2


def test_a_trial_run_says_the_same_and_writes_nothing(store: Store) -> None:
    put(store, stored("old-cache", "tech_debt", title="The old cache of prices", tags=["cache", "prices"]))
    put(store, stored("use-redis", title="Use Redis for sessions", tags=["redis"]))
    folder = staged(store)
    drafts = [
        draft(content=OTHERWISE),
        draft("Use Redis for sessions", action="update"),
        draft("The old cache of prices", category="tech_debt", action="delete"),
        draft("Nothing in it", content={"status": "so"}),
    ]
    before, left = read_files(store), names(folder)
    ran = hand_in(store, folder, *drafts, arguments=("--dry-run",))
    assert [line[:16].rstrip() for line in ran.stdout.splitlines()] == [
        "would be created",
        "would be updated",
        "would be retired",
        "would fail  deci",
    ]
    assert (read_files(store), names(folder)) == (before, left)
    assert [done["status"] for done in hand_in(store, folder, *drafts, arguments=("--json",)).document["drafts"]] == [
        "created",
        "updated",
        "retired",
        "failed",
    ]


def test_secrets_and_hidden_characters_do_not_get_in(store: Store) -> None:
    folder = staged(store)
    content = {**CONTENTS["decision"], "context": f"with {TOKEN}\u202e"}
    ran = hand_in(store, folder, draft(f"Use it with {TOKEN}", content=content, change_summary=f"of {TOKEN}"))
    assert ran.code == 0
    assert "a secret (github-token) in `content.context` was replaced" in ran.stderr
    everything = b"".join(read_files(store).values()) + b"".join(path.read_bytes() for path in folder.iterdir())
    assert TOKEN.encode() not in everything
    assert "\u202e".encode() not in everything
    assert hand_in(store, folder, draft(f"Use it with {TOKEN}", content=content)).stdout.startswith("unchanged")


def test_only_the_newest_summaries_stay(store: Store) -> None:
    for number in range(5):
        stamp = f"2026-01-0{number + 1}T00:00:00Z"
        put(store, stored(f"day-{number}", "session_summary", created_at=stamp, title=f"Day {number}"))
    done = commit_drafts(store, [draft("What was done today", category="session_summary")])
    assert done.outcomes[0].written is not None
    assert done.outcomes[0].written.retired == ["day-0"]
