"""What a session was shown last, and the status line that says it (SPEC 49.7 and 49.8), with both backends."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

import checkouts
from checkouts import PROMPT as VPN
from checkouts import remember
from scratch_home import kept_of
from test_verdicts import PROMPT, ROTATE, ask, make_project

if TYPE_CHECKING:
    from pathlib import Path

    from hook_process import Hook

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


def test_the_hook_tells_what_a_session_was_shown_last(hook: Hook, project: Path) -> None:
    ask(hook, project, PROMPT)
    ask(hook, project, "thank you very much", "first")
    ask(hook, project, "which queue in Postgres do the jobs use?", "second")
    told = {}
    for session in ("first", "second", "none"):
        ran = hook.run("shown", "--session", session, "--json", stdin=b"", cwd=project)
        assert (ran.code, ran.stderr) == (0, b"")
        told[session] = json.loads(ran.stdout)
    [memory] = told["first"]["memories"]
    assert (memory["id"], memory["title"], memory["path"]) == ("rotate-keys", "Rotate the signing keys", ROTATE)
    assert len(memory["trust_hash"]) == 64
    assert [one["id"] for one in told["second"]["memories"]] == ["queue"]
    assert told["none"]["memories"] == []
    assert told["none"]["waiting"] == 0
    ran = hook.run("shown", stdin=b"", cwd=project)
    assert json.loads(ran.stdout) == told["second"]
    ran = hook.run("shown", "--everything", stdin=b"", cwd=project)
    assert (ran.stdout, ran.log) == (b"", ["unknown arguments `shown --everything`"])


def test_the_status_line_says_what_the_session_was_shown_and_what_waits(hook: Hook, project: Path) -> None:
    def line(**payload: object) -> str:
        ran = hook.run("status-line", stdin=json.dumps(payload).encode(), cwd=project.parent)
        assert (ran.code, ran.stderr) == (0, b"")
        return ran.stdout.decode()

    ask(hook, project, PROMPT)
    here = {"cwd": str(project), "workspace": {"current_dir": str(project)}}
    assert line(session_id="first", **here) == "cuecard: 1 shown: Rotate the signing keys\n"
    assert line(session_id="none", **here) == line(**here) == line(session_id="", **here) == ""
    assert line(session_id="first") == ""
    path = project / ROTATE
    record = json.loads(path.read_bytes())
    path.write_text(json.dumps(record | {"title": "\x1b[2J" + "Rotate\u202e " * 12}), encoding="utf-8")
    shown = line(session_id="first", **here)
    assert shown.startswith("cuecard: 1 shown: ")
    assert len(shown) == len("cuecard: 1 shown: ") + 60 + 1
    assert not set("\x1b\u202e") & set(shown)
    inbox = kept_of(project / ".claude/memory") / "inbox"
    inbox.mkdir(parents=True)
    (inbox / "a-draft.json").write_bytes(b"{}")
    assert line(session_id="none", **here) == "cuecard: 1 to review\n"
    assert line(session_id="first", **here).endswith(" · 1 to review\n")
    path.unlink()
    assert line(session_id="first", **here) == "cuecard: 1 shown · 1 to review\n"
    assert hook.run("status-line", stdin=b"no JSON", cwd=project).stdout == b"cuecard: 1 to review\n"


def asked_at(hook: Hook, folder: Path, data: Path) -> tuple[dict[str, str], str]:
    """Ask a prompt in a folder. Returns the titles of what was shown, by id, and the status line."""
    ask(hook, folder, VPN, CUECARD_HOME=str(data))
    told = hook.run("shown", stdin=b"", cwd=folder, CUECARD_HOME=str(data))
    assert (told.code, told.stderr, told.log) == (0, b"", [])
    memories: list[dict[str, Any]] = json.loads(told.stdout)["memories"]
    assert all(len(memory["trust_hash"]) == 64 for memory in memories)
    sent = {"session_id": "first", "cwd": str(folder)}
    ran = hook.run("status-line", stdin=json.dumps(sent).encode(), cwd=folder.parent, CUECARD_HOME=str(data))
    return {memory["id"]: memory["title"] for memory in memories}, ran.stdout.decode()


def title(word: str) -> str:
    return f"Deployments of {word} need the VPN"


def test_a_memory_of_the_users_store_has_its_title(hook: Hook, tmp_path: Path, data: Path) -> None:
    remember(data / "user", "user")
    folder = tmp_path / "project"
    remember(folder, "project", "vpn-user")
    (folder / ".claude/memory/constraints/vpn-user.json").rename(folder / ".claude/memory/constraints/vpn-own.json")
    found, line = asked_at(hook, folder, data)
    assert sorted(found.values()) == [title("project"), title("user")]
    assert line.startswith("cuecard: 2 shown: Deployments of ")
    assert line.endswith(" +1\n")


def test_the_scope_of_a_memory_says_in_which_store_its_file_is(hook: Hook, tmp_path: Path, data: Path) -> None:
    remember(data / "user", "user", "vpn")
    folder = tmp_path / "project"
    (folder / ".claude/memory").mkdir(parents=True)
    found, line = asked_at(hook, folder, data)
    assert (found, line) == ({"vpn": title("user")}, f"cuecard: 1 shown: {title('user')}\n")
    # A file of the project's own has the same path.
    remember(folder, "project", "vpn")
    told = hook.run("shown", stdin=b"", cwd=folder, CUECARD_HOME=str(data))
    assert [memory["title"] for memory in json.loads(told.stdout)["memories"]] == [title("user")]


def test_outside_of_any_project_the_users_store_leads(hook: Hook, tmp_path: Path, data: Path) -> None:
    remember(data / "user", "user")
    outside = tmp_path / "outside"
    outside.mkdir()
    found, line = asked_at(hook, outside, data)
    assert (found, line) == ({"vpn-user": title("user")}, f"cuecard: 1 shown: {title('user')}\n")
    # Where the user keeps the store out, it leads nowhere.
    config = tmp_path / "config" / "cuecard"
    config.mkdir(parents=True)
    (config / "config.json").write_text(json.dumps({"scopes": {"user": False}, "variables": True}))
    variables = {"CUECARD_HOME": str(data), "XDG_CONFIG_HOME": str(config.parent)}
    told = hook.run("shown", stdin=b"", cwd=outside, **variables)
    assert json.loads(told.stdout) == {"event": None, "memories": [], "waiting": 0}


@needs_git
def test_a_memory_of_the_parent_or_of_the_shared_checkout_has_its_title(hook: Hook, tmp_path: Path, data: Path) -> None:
    found, _line = asked_at(hook, checkouts.monorepo(tmp_path), data)
    assert sorted(found.values()) == [title("package"), title("root")]
    tree = checkouts.worktree(tmp_path)
    remember(tmp_path / "main", "later")
    found, _line = asked_at(hook, tree, data)
    assert sorted(found.values()) == [title("branch"), title("later"), title("main")]


def test_the_status_line_is_about_the_first_folder_of_a_workspace(hook: Hook, project: Path) -> None:
    def line(**payload: object) -> str:
        sent = json.dumps({"session_id": "first", **payload}).encode()
        return hook.run("status-line", stdin=sent, cwd=project.parent).stdout.decode()

    ask(hook, project, PROMPT)
    said = "cuecard: 1 shown: Rotate the signing keys\n"
    assert line(workspace_roots=[str(project)]) == line(workspaceRoots=[str(project), "/"], cwd="") == said
    assert line(workspace_roots=["/"], cwd=str(project)) == said
    assert line(workspace_roots=[], cwd=7) == line() == ""


@pytest.mark.parametrize(
    ("payload", "logged"),
    [
        (b"a" * ((8 << 20) + 1), "the payload is over 8 MiB"),
        (json.dumps({"cwd": "/" + "a" * 4096}).encode(), "the payload's `cwd` is too long"),
        (json.dumps({"workspace_roots": ["/" + "a" * 4096]}).encode(), "the payload's `cwd` is too long"),
    ],
    ids=["too large", "a long folder", "a long folder of a workspace"],
)
def test_a_status_line_without_a_usable_payload_says_so_in_the_log(
    hook: Hook, tmp_path: Path, payload: bytes, logged: str
) -> None:
    ran = hook.run("status-line", stdin=payload, cwd=tmp_path)
    assert (ran.code, ran.stdout, ran.stderr, ran.log) == (0, b"", b"", [logged])


@pytest.mark.parametrize("payload", [{"cwd": "a\0b"}, {"workspace_roots": ["/a\0b"]}], ids=["a folder", "a workspace"])
def test_a_folder_that_is_no_path_is_no_failure_beside_a_store_of_the_user(
    hook: Hook, tmp_path: Path, data: Path, payload: dict[str, Any]
) -> None:
    remember(data / "user", "user")
    sent = json.dumps({"session_id": "first", "prompt": VPN, **payload}).encode()
    config = tmp_path / "config" / "cuecard"
    config.mkdir(parents=True)
    variables = {"CUECARD_HOME": str(data), "XDG_CONFIG_HOME": str(config.parent)}
    for excluded, is_shown in (([], True), (["/nowhere"], False)):
        (config / "config.json").write_text(json.dumps({"scopes": {"exclude": excluded}, "variables": True}))
        ran = hook.run("prompt", "--host", "plain", stdin=sent, cwd=tmp_path, **variables)
        assert (ran.code, ran.stderr, ran.log) == (0, b"", [])
        assert (title("user").encode() in ran.stdout) == is_shown
        ran = hook.run("status-line", stdin=sent, cwd=tmp_path, **variables)
        assert (ran.code, ran.stderr, ran.log) == (0, b"", [])
