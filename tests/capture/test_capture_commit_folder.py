"""The staging folder into which agents hand in drafts, and several processes that write to it at the same time."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command_process import environment, error_of, run_in
from cuecard import Store
from cuecard.capture.commit import commit_drafts
from cuecard.capture.commit_folder import CommitFolder
from cuecard.errors import UsageError
from cuecard.store.log.user_notice import leave_user_notice
from cuecard.store.writes.written import Written
from handed_in import SESSION, Json, draft, staged, statuses
from records import assert_index_is_a_rebuild, make_store, put, read, read_files, stored
from scratch_home import kept_of


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


@pytest.mark.skipif(os.name == "nt", reason="creating links needs a privilege")
def test_no_link_stands_in_for_the_folder_or_its_files(store: Store, tmp_path: Path) -> None:
    folder = staged(store)
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    with pytest.raises(UsageError, match="is not a folder"):
        CommitFolder(store.memory_dir, str(folder))
    folder.unlink()
    elsewhere.rename(folder)
    (folder / "triage.json").rename(tmp_path / "triage.json")
    (folder / "triage.json").symlink_to(tmp_path / "triage.json")
    (kept_of(store.memory_dir) / "notice").symlink_to(tmp_path / "triage.json")
    opened = CommitFolder(store.memory_dir, str(folder))
    assert opened.source() == {"session": SESSION}
    leave_user_notice(store.memory_dir, "a line")
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
    names = ("Oven", "Flour", "Printer", "Window", "Garden", "Bicycle")
    count = len(names)
    processes = []
    for number, name in enumerate(names):
        # The drafts are different enough, so that the command does not ask about relations.
        own = {"status": "accepted", "context": f"{name}s", "decision": f"{name} first", "rationale": [f"no {name}"]}
        drafts = [
            draft(name, tags=[name], content=own),
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
        out, errors = process.communicate(timeout=100)
        assert process.returncode == 0, out
        # What the update of the shared memory drops is said, and nothing else.
        assert all(line.startswith(b"note: the text that was replaced has ") for line in errors.splitlines()), errors
    assert len(store.memories("decision")) == count
    assert set(read(store, "shared", "runbook")["tags"]) >= {f"night{number}" for number in range(count)}
    assert set(read(store, "one-title-for-all", "preference")["tags"]) >= {f"all{number}" for number in range(count)}
    assert_index_is_a_rebuild(store)


def test_what_somebody_else_writes_meanwhile_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, stored("reboot", "runbook", title="Restart the build server", tags=["build", "server"]))
    write, others = Store.update, ["first", "second"]

    def write_after_another(self: Store, name: str, patch: Json, **options: Any) -> Written:  # noqa: ANN401 - as it comes
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
