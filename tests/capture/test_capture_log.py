"""The log of capture: requests, answers, drafts, refusals and reviews."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.capture.commit import commit_drafts
from handed_in import TOKEN, draft, hand_in, staged
from records import memory_dir_of
from scratch_home import kept_of


def logged(store: Store, *arguments: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads(run_in(store, "log", "--capture", "--json", *arguments).stdout)


def said(store: Store, *arguments: str) -> list[str]:
    return [f"{event['event']} {event['what']}" for event in logged(store, *arguments)["captures"]]


def file_of(store: Store) -> Path:
    return kept_of(store.memory_dir) / "log" / "captures.jsonl"


def test_an_answer_and_what_became_of_its_drafts_are_logged(store: Store) -> None:
    folder = staged(store)
    vague = draft("Decision", category="decision")
    assert hand_in(store, folder, draft(), vague, {"category": "decision"}).code == 1
    assert said(store) == ["answer drafts", "draft created", "refusal vague", "draft failed"]
    first, created, refused, failed = logged(store)["captures"]
    assert first["session"] == created["session"] == folder.name
    assert (created["category"], created["title"]) == ("decision", "Use PostgreSQL for the ledger")
    assert "vague" in refused["why"]
    assert "action" in failed["why"]
    assert hand_in(store, folder, vague).code == 0
    assert said(store)[4:] == ["answer drafts", "draft waiting"]
    # The session has already been answered, so only the draft is logged.
    assert hand_in(store, folder, draft()).code == 0
    assert said(store)[6:] == ["draft unchanged"]


def test_nothing_to_save_is_an_answer(store: Store) -> None:
    assert hand_in(store, staged(store)).code == 0
    assert said(store) == ["answer nothing"]


def test_a_trial_run_is_not_logged(store: Store) -> None:
    hand_in(store, staged(store), draft(), arguments=("--dry-run",))
    assert not file_of(store).exists()


def test_what_the_user_decides_about_drafts_is_logged(store: Store) -> None:
    drafts = [draft(), draft("Use tabs in Makefiles", category="preference")]
    run_in(store, "capture", "commit", "--origin", "import", send=drafts)
    first, second = [row["id"] for row in json.loads(run_in(store, "review", "list", "--json").stdout)["drafts"]]
    assert run_in(store, "review", "accept", first).code == 0
    assert run_in(store, "review", "reject", second).code == 0
    assert said(store) == ["draft waiting", "draft waiting", "draft created", "review accepted", "review rejected"]


def test_the_log_has_no_secrets_and_no_long_texts(store: Store) -> None:
    hand_in(store, staged(store), draft(f"Use {TOKEN}", action="magic"), draft("x" * 5000, action="magic"))
    data = file_of(store).read_text()
    assert TOKEN not in data
    assert len(data) < 2000
    assert file_of(store).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("way", ["setting", "variable"])
def test_the_log_can_be_switched_off(store: Store, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    if way == "setting":
        (memory_dir_of(store) / "memory-config.json").write_text('{"log": {"events": false}}')
    else:
        monkeypatch.setenv("CUECARD_LOG", "off")
    assert commit_drafts(store, [draft()]).outcomes[0].status == "created"
    assert not file_of(store).exists()


def test_damaged_lines_are_left_out_and_a_full_log_begins_anew(store: Store) -> None:
    hand_in(store, staged(store), draft())
    file = file_of(store)
    file.write_bytes(
        file.read_bytes() + b'{"v":1,"event":"draft"}\n[1]\n\xff\n{"v":2}\nnull\n' + b"x" * (1 << 20) + b"\n"
    )
    hand_in(store, staged(store, "s-2"), draft("Use tabs in Makefiles", category="preference"))
    assert file.with_name("captures.1.jsonl").exists()
    assert said(store) == ["answer drafts", "draft created", "answer drafts", "draft created"]


def test_the_asks_of_ledgers_and_their_answers_are_listed(store: Store) -> None:
    ledgers = kept_of(store.memory_dir) / "ledger"
    ledgers.mkdir(parents=True, mode=0o700)
    ask = {"v": 1, "kind": "ask", "time": "2026-11-01T10:00:00Z", "id": "a", "cause": "earlier", "by": "s-9"}
    done = {"v": 1, "kind": "done", "time": "2026-11-01T10:05:00Z", "id": "a", "how": "nothing"}
    lines = [json.dumps(line) for line in (ask | {"from": 0, "to": 9}, done)]
    # One request can be about two sessions, so two ledgers have it.
    for name in ("s-1.jsonl", "s-2.claimed"):
        (ledgers / name).write_text("\n".join([*lines, "torn {", ""]))
    assert said(store) == ["ask earlier", "answer nothing"]
    assert [event["session"] for event in logged(store)["captures"]] == ["s-9", "s-9"]
    assert said(store, "--session", "s-1") == []
    assert said(store, "--since", "2026-11-01T10:01:00Z") == ["answer nothing"]
    assert said(store, "--limit", "1") == ["answer nothing"]


def test_what_sessions_left_undone_is_listed_by_both_logs(store: Store) -> None:
    folder = staged(store)
    hand_in(store, folder, {"category": "decision"})
    orphan = staged(store, "s-3")
    old = time.time() - 3600
    os.utime(orphan, (old, old))
    undone = logged(store)["undone"]
    assert [len(undone[name]) for name in ("failed drafts", "unanswered")] == [1, 1]
    assert "cuecard capture commit" in undone["failed drafts"][0]
    for arguments in (("log",), ("log", "--capture")):
        complained = run_in(store, *arguments).stderr
        assert "1 draft could not be saved" in complained
        assert "1 session ended before its drafts were written" in complained


def test_the_statistics_count_what_capture_did(store: Store) -> None:
    folder = staged(store)
    hand_in(store, folder, draft())
    hand_in(store, folder, draft("Use tabs in Makefiles", category="preference"))
    counted = json.loads(run_in(store, "stats", "--json").stdout)["captures"]
    assert counted == {"answer drafts": 1, "draft created": 2}
    assert "draft created" in run_in(store, "stats", "--details").stdout


def test_a_line_says_who_what_and_why(store: Store) -> None:
    hand_in(store, staged(store), {"category": "decision", "partial_content": {"title": "Use \x1b[31mred"}})
    line = run_in(store, "log", "--capture").stdout.splitlines()[1]
    assert "0f4c2b1e  draft failed" in line
    assert "\x1b" not in line


@pytest.mark.parametrize("option", ["--silent", "--shown"])
def test_options_of_the_other_log_are_refused(store: Store, option: str) -> None:
    ran = run_in(store, "log", "--capture", option)
    assert (ran.code, "--capture" in ran.stderr) == (2, True)
