"""Drafts become memories: `cuecard capture commit`, through the command and through the library."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_process import Ran, environment, error_of, run_in
from cuecard.capture.commit import commit_drafts
from cuecard.capture.commit_folder import CommitFolder
from cuecard.capture.commit_outcome import Outcome, write_notice
from cuecard.capture.commit_table import resolve
from cuecard.capture.draft import check_draft, read_drafts
from cuecard.errors import CuecardError, UsageError, ValidationError
from cuecard.store.record import CATEGORIES
from cuecard.store.store import Store
from cuecard.store.written import Written
from hook_process import Hook
from records import (
    assert_index_is_a_rebuild,
    make_store,
    memory_dir_of,
    path_in,
    put,
    read,
    read_files,
    stored,
)
from small_project import CONTENTS
from triage_cases import DECIDED, in_jsonl, said, typed, used

Json = dict[str, Any]
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SESSION = "0f4c2b1e-7d3a-4c59-9a67-1b2c3d4e5f60"


def draft(title: str = "Use PostgreSQL for the ledger", **members: object) -> Json:
    """What the agent hands in; members of `partial_content` go by their names."""
    category = str(members.pop("category", "decision"))
    content = {
        "title": title,
        "tags": ["postgresql", "ledger"],
        "confidence": 0.9,
        "change_summary": "Decided in the session",
        "content": dict(CONTENTS[category]),
    }
    outer = {name: members.pop(name) for name in ("action", "new_info_summary", "lifecycle_event") if name in members}
    whole: Json = {"category": category, "action": "create", "new_info_summary": f"{title}, postgresql ledger"}
    return whole | outer | {"partial_content": content | members}


def staged(store: Store, session: str = SESSION) -> Path:
    """A folder as triage leaves it."""
    folder = memory_dir_of(store) / ".cuecard" / "staging" / session
    folder.mkdir(mode=0o700, parents=True)
    manifest = {
        "version": 1,
        "session_id": session,
        "transcript": f"/home/somebody/.claude/projects/p/{session}.jsonl",
        "start": 120,
        "end": 4096,
        "categories": [{"category": "decision"}],
    }
    (folder / "triage.json").write_text(json.dumps(manifest))
    (folder / "context-decision.txt").write_text("Category: decision")
    (folder / "handled-4096").write_text("")
    return folder


def hand_in(store: Store, folder: Path, *drafts: object, arguments: tuple[str, ...] = ()) -> Ran:
    return run_in(store, "capture", "commit", folder, *arguments, send=list(drafts))


def statuses(store: Store, *drafts: object, **options: Any) -> list[str]:  # noqa: ANN401
    return [outcome.status for outcome in commit_drafts(store, drafts, **options).outcomes]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


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


def test_what_triage_left_goes_but_for_its_mark_and_the_user_is_to_be_told(store: Store) -> None:
    folder = staged(store)
    hand_in(store, folder, draft())
    assert names(folder) == ["handled-4096", "notice"]
    assert (folder / "notice").read_text() == "cuecard: created decision `Use PostgreSQL for the ledger`\n"
    if os.name == "posix":
        assert stat.S_IMODE((folder / "notice").stat().st_mode) == 0o600


def test_nothing_worth_keeping_clears_the_folder_in_silence(store: Store) -> None:
    folder = staged(store)
    ran = hand_in(store, folder, {"category": "decision", "action": "noop"})
    assert ran.stdout == "unchanged  decision ``: the draft asks for nothing\n"
    assert names(folder) == ["handled-4096"]
    other = staged(store, "s-2")
    assert run_in(store, "capture", "commit", other, send=[]).stdout == "nothing to save: there is no draft\n"
    assert names(other) == ["handled-4096"]


def test_the_drafts_come_from_a_file_too(store: Store) -> None:
    file = Path(store.root, "drafts.json")
    file.write_text(json.dumps(draft()))
    ran = run_in(store, "capture", "commit", "--file", str(file), "--origin", "user", "--json")
    assert ran.document["drafts"][0]["status"] == "created"
    # There is no session that could be told.
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
        draft("A session", category="session_summary"),
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
    record = read(store, "reboot", "runbook")
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


def test_a_deletion_says_why_and_needs_no_more_than_a_sentence(store: Store) -> None:
    put(store, stored("old-cache", "tech_debt", title="The old cache of prices", tags=["cache", "prices"]))
    gone = {"category": "tech_debt", "action": "delete", "new_info_summary": "the old cache of prices was removed"}
    folder = staged(store)
    ran = hand_in(store, folder, gone)
    assert ran.stdout == "retired  .claude/memory/tech-debt/old-cache.json\n"
    assert read(store, "old-cache", "tech_debt")["retired_reason"] == "the old cache of prices was removed"
    assert (folder / "notice").read_text() == "cuecard: retired tech_debt `The old cache of prices`\n"


def test_where_nothing_fits_nothing_is_deleted(store: Store) -> None:
    put(store, stored("old-cache", "tech_debt", title="The old cache of prices", tags=["cache"]))
    other = {"category": "tech_debt", "action": "delete", "new_info_summary": "the login form was rewritten"}
    assert statuses(store, other, draft("x y", action="update", lifecycle_event="removed")) == ["unchanged"] * 2
    assert read(store, "old-cache", "tech_debt")["record_status"] == "active"


def test_one_that_fails_does_not_hinder_the_others_and_waits_for_a_retry(store: Store) -> None:
    folder = staged(store)
    bad = draft("Half a decision", content={"decision": "so"})
    ran = hand_in(store, folder, bad, draft(), arguments=("--json",))
    assert ran.code == 1
    failed, created = ran.document["drafts"]
    assert (failed["status"], created["status"]) == ("failed", "created")
    assert failed["error"]["code"] == "VALIDATION_ERROR"
    assert {problem["field"] for problem in failed["error"]["problems"]} >= {"content.context", "content.rationale"}
    kept = Path(failed["kept"])
    assert names(folder) == ["context-decision.txt", kept.name, "handled-4096", "notice", "triage.json"]
    assert json.loads(kept.read_bytes()) == [bad]
    assert "1 draft could not be saved and is kept for a retry" in (folder / "notice").read_text()

    again = run_in(store, "capture", "commit", folder, "--file", kept)
    assert again.code == 1
    assert "kept for a retry" in again.stdout
    assert "`content.rationale`: expected" in again.stderr
    assert kept.exists()
    content = {"status": "accepted", "context": "c", "decision": "so", "rationale": ["r"]}
    assert hand_in(store, folder, draft("Half a decision", content=content)).code == 0
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
    assert names(folder) == ["handled-4096", "notice"]
    assert len((folder / "notice").read_text().splitlines()) == 2


def test_a_trial_run_says_the_same_and_writes_nothing(store: Store) -> None:
    put(store, stored("old-cache", "tech_debt", title="The old cache of prices", tags=["cache", "prices"]))
    put(store, stored("use-redis", title="Use Redis for sessions", tags=["redis"]))
    folder = staged(store)
    drafts = [
        draft(),
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


@pytest.mark.parametrize(
    "folder",
    [
        ".",
        "..",
        "/",
        "/tmp",
        ".claude/memory",
        ".claude/memory/.cuecard/staging",
        ".claude/memory/.cuecard/staging/..",
        ".claude/memory/.cuecard/staging/nobody",
        ".claude/memory/.cuecard/staging/a/b",
        ".claude/memory/.cuecard/staging/a b",
        "",
        "x" * 5000,
    ],
)
def test_any_other_folder_is_refused(store: Store, folder: str) -> None:
    staged(store)
    before = read_files(store)
    ran = run_in(store, "capture", "commit", folder, "--json", send=[draft()])
    assert ran.code == 2
    assert error_of(ran)["code"] == "USAGE_ERROR"
    assert read_files(store) == before


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_no_link_stands_in_for_the_folder_or_its_files(store: Store, tmp_path: Path) -> None:
    folder = staged(store)
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    with pytest.raises(UsageError, match="no folder"):
        CommitFolder(store.memory_dir, str(folder))
    folder.unlink()
    elsewhere.rename(folder)
    (folder / "triage.json").rename(tmp_path / "triage.json")
    (folder / "triage.json").symlink_to(tmp_path / "triage.json")
    (folder / "notice").symlink_to(tmp_path / "triage.json")
    opened = CommitFolder(store.memory_dir, str(folder))
    assert opened.source() == {"session": SESSION}
    opened.notify("a line")
    assert "version" in (tmp_path / "triage.json").read_text()


def test_a_folder_of_another_project_is_refused(store: Store, tmp_path: Path) -> None:
    other = make_store(tmp_path / "another")
    ran = run_in(store, "capture", "commit", staged(other), send=[draft()])
    assert ran.code == 2
    assert read_files(other) == {}


@pytest.mark.parametrize(
    "manifest", [b"", b"[]", b"{", b'{"version": 2, "end": 5}', b'{"version": 1, "end": -1, "session_id": 4}']
)
def test_a_damaged_manifest_leaves_the_session_alone_as_provenance(store: Store, manifest: bytes) -> None:
    folder = staged(store)
    (folder / "triage.json").write_bytes(manifest)
    assert CommitFolder(store.memory_dir, str(folder)).source() == {"session": SESSION}


def test_sessions_that_commit_at_once_lose_nothing(store: Store) -> None:
    put(store, stored("shared", "runbook", title="Restart the build server", tags=["build", "server"]))
    count = 6
    processes = []
    for number in range(count):
        drafts = [
            draft(f"Choice number {number} of many", tags=[f"choice{number}"]),
            draft("Restart the build server", category="runbook", action="update", tags=[f"night{number}"]),
            draft("One title for all", category="preference", tags=[f"all{number}"]),
        ]
        process = subprocess.Popen(
            [sys.executable, "-m", "cuecard.cli", "capture", "commit", str(staged(store, f"s-{number}"))],
            cwd=store.root,
            env=environment(Path(store.root).parent),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(drafts).encode())
        processes.append(process)
    for process in processes:
        _out, errors = process.communicate(timeout=100)
        assert (process.returncode, errors) == (0, b"")
    assert len(store.memories("decision")) == count
    assert set(read(store, "shared", "runbook")["tags"]) >= {f"night{number}" for number in range(count)}
    assert set(read(store, "one-title-for-all", "preference")["tags"]) >= {f"all{number}" for number in range(count)}
    assert_index_is_a_rebuild(store)


def test_what_somebody_else_writes_meanwhile_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, stored("reboot", "runbook", title="Restart the build server", tags=["build", "server"]))
    write, others = Store.update, ["first", "second"]

    def write_after_another(self: Store, name: str, patch: Json, **options: str) -> Written:
        if others:
            tags = [*read(store, "reboot", "runbook")["tags"], others.pop()]
            write(Store(store.root), name, {"tags": tags})
        return write(self, name, patch, **options)

    monkeypatch.setattr(Store, "update", write_after_another)
    new = draft("Restart the build server", category="runbook", action="update", tags=["night"])
    assert statuses(store, new) == ["updated"]
    assert read(store, "reboot", "runbook")["tags"] == ["build", "first", "night", "second", "server"]


def test_a_new_title_does_not_lead_the_same_draft_to_another_memory(store: Store) -> None:
    put(store, stored("a", "runbook", title="Alpha beta gamma", tags=["one"]))
    put(store, stored("b", "runbook", title="Alpha beta delta", tags=["two"]))
    new = draft("Zeta", category="runbook", action="update", tags=[]) | {"new_info_summary": "alpha beta gamma"}
    assert statuses(store, new, new) == ["updated", "unchanged"]
    assert sorted(memory.id for memory in store.memories()) == ["b", "zeta"]
    assert read(store, "b", "runbook")["title"] == "Alpha beta delta"


def test_a_retired_memory_does_not_come_back_at_once(store: Store) -> None:
    assert statuses(store, draft("Mend the cache", category="runbook")) == ["created"]
    store.retire("mend-the-cache")
    done = commit_drafts(store, [draft("Mend the cache", category="runbook")])
    assert done.outcomes[0].error is not None
    assert done.outcomes[0].error.code == "ANTI_RESURRECTION_ERROR"


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[1, 2", "not JSON"),
        ("null", "not a JSON array"),
        ('"text"', "not a JSON array"),
        ("[NaN]", "no JSON number"),
        ('[{"category": "decision", "category": "runbook"}]', "twice"),
        ("[" * 5000, "nested too deep"),
        (json.dumps([{}] * 51), "51 drafts"),
        ("[" + " " * (1 << 20) + "]", "over 1 MiB"),
        (b"[\xff]", "not UTF-8"),
    ],
)
def test_what_is_no_array_of_drafts_is_said_and_leaves_everything_as_it_was(
    store: Store, sent: str | bytes, what: str
) -> None:
    folder = staged(store)
    ran = run_in(store, "capture", "commit", folder, "--json", send=sent)
    assert ran.code == 1
    assert what in error_of(ran)["what"]
    assert names(folder) == ["context-decision.txt", "handled-4096", "triage.json"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"category": "note"}, "category"),
        ({"category": None}, "category"),
        ({"action": "drop"}, "action"),
        ({"action": ["create"]}, "action"),
        ({"new_info_summary": ""}, "new_info_summary"),
        ({"new_info_summary": 5}, "new_info_summary"),
        ({"partial_content": []}, "partial_content"),
        ({"partial_content": None}, "partial_content"),
        ({"lifecycle_event": "gone"}, "lifecycle_event"),
        ({"partial_content": {"title": " ", "content": {"a": 1}}}, "partial_content.title"),
        ({"partial_content": {"title": "t", "content": {}}}, "partial_content.content"),
        ({"partial_content": {"title": "t", "content": {"a": 1}, "tags": [1]}}, "partial_content.tags"),
        ({"partial_content": {"title": "t", "content": {"a": 1}, "confidence": "x"}}, "partial_content.confidence"),
    ],
)
def test_an_error_says_where_and_what_to_do(wrong: Json, field: str) -> None:
    with pytest.raises(ValidationError) as raised:
        check_draft(draft() | wrong, 3)
    assert [problem.field for problem in raised.value.problems] == [f"drafts[3].{field}"]
    assert raised.value.hint


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PARTIALS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("title", "tags", "confidence", "change_summary", "content", "related_files"), JSON)
)
MALFORMED = st.fixed_dictionaries(
    {},
    optional={
        "category": st.sampled_from([*CATEGORIES, "note"]) | JSON,
        "action": st.sampled_from(["create", "update", "delete", "noop"]) | JSON,
        "new_info_summary": st.text(max_size=20) | JSON,
        "partial_content": PARTIALS | JSON,
        "lifecycle_event": JSON,
    },
)


@settings(max_examples=50, deadline=None)
@given(raws=st.lists(MALFORMED | JSON, max_size=3))
def test_whatever_is_handed_in_ends_in_a_memory_or_a_reason(
    raws: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = make_store(tmp_path_factory.mktemp("project") / "p")
    folder = staged(store)
    done = commit_drafts(store, raws, folder=CommitFolder(store.memory_dir, str(folder)))
    assert len(done.outcomes) == len(raws)
    for outcome in done.outcomes:
        assert (outcome.status == "failed") == (outcome.error is not None)
        assert outcome.error is None or (outcome.error.what and Path(outcome.kept).exists())
    json.dumps(done.as_dict())
    for data in read_files(store).values():
        json.loads(data)


@settings(max_examples=50, deadline=None)
@given(data=st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_whatever_bytes_come_they_are_drafts_or_an_error_that_helps(data: bytes) -> None:
    def hint_of(work: Callable[[], object]) -> str:
        try:
            work()
        except CuecardError as error:
            return error.what and error.hint
        return "nothing to mend"

    raws: list[object] = []
    assert hint_of(lambda: raws.extend(read_drafts(data, "standard input")))
    assert all(hint_of(partial(check_draft, raw, number)) for number, raw in enumerate(raws))


def test_a_notice_is_one_short_line() -> None:
    outcomes = [Outcome("created", "decision", f"A\ttitle\n`with` \u202e{number}" * 9) for number in range(50)]
    line = write_notice(outcomes)
    assert len(line) == 500
    assert line.isprintable()
    assert write_notice([Outcome("unchanged", "decision", "t")]) == ""


def test_from_the_hook_to_the_next_session(python_hook: Hook, tmp_path: Path) -> None:
    root = tmp_path / "the project's"
    (root / ".git").mkdir(parents=True)
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_bytes(in_jsonl([typed("Which database?"), said(DECIDED), used("Edit")]))
    payload = {"session_id": "s-1", "cwd": str(root), "transcript_path": str(transcript), "stop_hook_active": False}
    blocked = python_hook.run("stop", stdin=json.dumps(payload).encode(), cwd=root)
    reason = json.loads(blocked.stdout)["reason"]
    [command] = [line for line in reason.splitlines() if line.startswith("cuecard capture commit ")]
    # The shell takes the command apart, quotes and all.
    script = command.replace("cuecard", f'"{sys.executable}" -m cuecard.cli', 1)
    if os.name == "nt":
        pytest.skip("the command is for a POSIX shell")
    ran = subprocess.run(
        ["sh", "-c", f"{script}\n{json.dumps([draft()])}\nCUECARD\n"],
        cwd=root,
        env=environment(tmp_path),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    record = read(Store(root), "use-postgresql-for-the-ledger")
    assert record["cuecard"]["source"]["session"] == "s-1"
    assert record["cuecard"]["source"]["end"] == transcript.stat().st_size
    asked = {"prompt": "why do we use postgresql for the ledger?", "session_id": "s-2", "cwd": str(root)}
    answered = python_hook.run("prompt", "--host", "claude-code", stdin=json.dumps(asked).encode(), cwd=root)
    assert b"Use PostgreSQL for the ledger" in answered.stdout
