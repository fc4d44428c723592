"""The doctor lists drafts that could not be saved, sessions that did not answer, and drafts that wait for review."""

import os
import shlex
import time
from pathlib import Path

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.capture.review import hand_in
from cuecard.observe.doctor.captures import examine_captures
from cuecard.observe.doctor.finding import Finding
from handed_in import SESSION, draft, staged
from handed_in import hand_in as commit
from scratch_home import kept_of


def findings(store: Store) -> dict[str, Finding]:
    return {finding.name: finding for finding in examine_captures(store.memory_dir)}


def test_nothing_is_left_behind(store: Store) -> None:
    assert [(finding.name, finding.verdict) for finding in findings(store).values()] == [("capture", "ok")]


def test_a_draft_that_could_not_be_saved_is_named_with_the_command_that_saves_it(store: Store) -> None:
    broken = draft()
    broken["partial_content"]["content"]["status"] = "nope"
    assert commit(store, staged(store), broken).code == 1
    found = findings(store)["failed drafts"]
    assert (found.verdict, found.facts) == ("warn", {"failed": 1})
    [line] = found.details
    words = shlex.split(line)
    assert words[:3] == ["cuecard", "capture", "commit"]
    # The command from the doctor's advice fails again as long as the draft is unchanged; with a corrected draft it
    # succeeds.
    assert run_in(store, *words[1:]).code == 1
    file = Path(words[-1])
    file.write_text(file.read_text().replace("nope", "accepted"))
    assert run_in(store, *words[1:]).stdout.startswith("created")
    assert list(findings(store)) == ["capture"]


def test_a_session_that_did_not_answer_is_named_once_it_is_over(store: Store) -> None:
    folder = staged(store)
    assert list(findings(store)) == ["capture"]
    os.utime(folder, (0, time.time() - 3600))
    found = findings(store)["unanswered"]
    assert (found.verdict, found.facts) == ("warn", {"unanswered": 1})
    assert SESSION in found.details[0]


def test_drafts_that_wait_are_counted(store: Store) -> None:
    hand_in(store, [draft(), draft("Use Redis for the cache")])
    assert findings(store)["inbox"].words == "2 drafts wait for you"


@pytest.mark.parametrize("name", ["staging", "inbox"])
def test_a_file_in_the_place_of_a_folder_is_passed_over(store: Store, name: str) -> None:
    kept = kept_of(store.memory_dir)
    kept.mkdir(parents=True, exist_ok=True)
    (kept / name).write_text("")
    assert list(findings(store)) == ["capture"]


def test_the_doctor_reports_them(store: Store) -> None:
    hand_in(store, [draft()])
    checks = run_in(store, "doctor", "--json").document["findings"]
    assert [check["words"] for check in checks if check["name"] == "inbox"] == ["1 draft waits for you"]
