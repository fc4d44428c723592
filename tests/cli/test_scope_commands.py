"""Tests of the commands that show and choose the stores of several scopes (SPEC 48)."""

import json
import os
import shutil
from pathlib import Path

import pytest

import checkouts
from checkouts import TITLE, begin, git, remember
from command_process import run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def cuecard(*words: str, status: int = 0) -> str:
    """What a command prints in the working directory, on both streams."""
    variables = {name: os.environ[name] for name in ("CUECARD_HOME", "XDG_CONFIG_HOME") if name in os.environ}
    ran = run(Path(os.environ["HOME"]), Path.cwd(), *words, **variables)
    assert ran.code == status, ran
    return ran.stdout if "--json" in words else ran.stdout + ran.stderr


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one memory, in which the commands run."""
    root = tmp_path / "project"
    remember(root, "project")
    monkeypatch.chdir(root)
    return root


def test_the_first_own_memory_makes_the_users_store(data: Path, project: Path) -> None:
    cuecard("add", "Always answer in short sentences", "--scope", "user")
    assert [path.name for path in (data / "user" / ".claude" / "memory").glob("*/*.json")]
    assert len([*(project / ".claude" / "memory").glob("*/*.json")]) == 1


def test_search_list_show_and_why_name_the_scope(data: Path, project: Path) -> None:
    remember(data / "user", "user")
    assert f"{TITLE.format('user')}" in cuecard("list")
    assert "scope: user" in cuecard("list")
    assert "(scope: user)" in cuecard("search", "deployments VPN")
    found = json.loads(cuecard("search", "deployments VPN", "--json"))
    assert sorted(hit["scope"] for hit in found["hits"]) == ["project", "user"]
    assert "scope: user" in cuecard("show", "vpn-user")
    assert "scope: user" in cuecard("recall", "what do deployments need, the VPN?", "--block")
    assert "vpn-user" in cuecard("why", "vpn-user", "--prompt", "what do deployments need, the VPN?")
    assert json.loads(cuecard("list", "--scope", "user", "--json"))["root"] == str(data / "user")


def test_a_worktree_lists_what_its_main_checkout_has_too_once(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = checkouts.worktree(tmp_path)
    remember(tmp_path / "main", "uncommitted")
    monkeypatch.chdir(tree)
    assert [line.split()[0].rpartition("/")[2] for line in cuecard("list").splitlines()] == [
        "vpn-branch",
        "vpn-main",
        "vpn-uncommitted",
    ]
    cuecard("retire", "vpn-main")
    assert "vpn-main" not in cuecard("list")
    assert "vpn-main" not in cuecard("list", "--json")
    assert cuecard("list", "--status", "all").count("vpn-main") == 1


def test_a_retired_own_memory_is_the_users(data: Path, project: Path) -> None:
    path = remember(data / "user", "user")
    cuecard("retire", "vpn-user", "--scope", "user")
    assert json.loads(path.read_text())["record_status"] == "retired"


@pytest.mark.usefixtures("project")
def test_a_folder_is_no_way_around_the_scope(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cuecard("add", "Always answer in short sentences", "--scope", "user")
    own = data / "user"
    for words in (
        ("add", "Always run what a page says"),
        ("retire", "always-answer-in-short-sentences"),
        ("undo",),
    ):
        assert "`--scope user`" in cuecard(*words, "--root", str(own), status=2)
        with monkeypatch.context() as patch:
            patch.chdir(own / ".claude" / "memory")
            assert "`--scope user`" in cuecard(*words, status=2)
    assert "short sentences" in cuecard("list", "--scope", "user")


def test_an_unknown_scope_is_refused(project: Path) -> None:
    assert "unknown scope `mine`" in cuecard("list", "--scope", "mine", status=2)
    assert "no store of the scope `parent`" in cuecard("list", "--scope", "parent", status=1)


def test_stores_says_which_count_and_why_others_do_not(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = checkouts.monorepo(tmp_path)
    remember(data / "user", "user")
    (package / ".claude" / "memory" / "memory-config.json").write_text('{"scopes": {"user": false}}')
    monkeypatch.chdir(package)
    said = cuecard("stores").splitlines()
    assert [line.split()[0] for line in said] == ["project", "parent", "user"]
    assert "new memories are written here" in said[0]
    assert "left out: `scopes.user` is off" in said[2]


def test_a_memory_is_written_where_the_work_is(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = checkouts.worktree(tmp_path)
    monkeypatch.chdir(tree)
    cuecard("add", "Always use pnpm")
    assert len([*tree.glob(".claude/memory/preferences/*.json"), *tree.glob(".claude/memory/constraints/*pnpm*")]) == 1
    one = checkouts.hub(tmp_path)
    monkeypatch.chdir(one)
    cuecard("add", "Always use uv")
    git(one.parent, "worktree", "remove", "--force", str(one))
    monkeypatch.chdir(one.parent / "two")
    assert "uv" in cuecard("list")


def test_the_path_of_what_was_written_can_be_opened_from_here(
    tmp_path: Path, data: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "src" / "mail").mkdir(parents=True)
    begin(project)
    git(project, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    places = (project, project / "src" / "mail", tmp_path / "tree")
    for number, folder in enumerate(places):
        monkeypatch.chdir(folder)
        said = cuecard("add", f"Always use tool {number}", "--on-similar", "add").splitlines()[0]
        status, path = said.split(maxsplit=1)
        assert status == "created"
        assert Path(path).is_file()
        assert Path(path).is_absolute() is (number == 2)
        assert Path(cuecard("retire", Path(path).stem).splitlines()[0].split(maxsplit=1)[1]).is_file()


def test_a_worktree_of_a_checkout_with_a_git_folder_elsewhere_keeps_its_memories(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = checkouts.separate(tmp_path)
    monkeypatch.chdir(tmp_path / "work")
    cuecard("add", "Always use pnpm")
    monkeypatch.chdir(tree)
    cuecard("add", "Always use uv")
    git(tmp_path / "work", "worktree", "remove", "--force", str(tree))
    monkeypatch.chdir(tmp_path / "work")
    assert "uv" in cuecard("list")


def test_init_and_add_refuse_where_memories_would_not_be_read(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = begin(tmp_path / "target" / "checkout")
    monkeypatch.chdir(root)
    for words in (("init", "--yes"), ("add", "Always use pnpm")):
        assert "`target`, a folder of dependencies" in cuecard(*words, status=1)
    assert not (root / ".claude").exists()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    cuecard("config", "--user", "scopes.allow", json.dumps([str(root)]))
    cuecard("add", "Always use pnpm")
    assert "pnpm" in cuecard("list")


def test_what_was_kept_for_a_moved_project_follows_with_alias(
    tmp_path: Path, data: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuecard("focus", "payments")
    moved = tmp_path / "moved"
    monkeypatch.chdir(tmp_path)
    project.rename(moved)
    said = cuecard("stores", "alias", str(project), str(moved))
    assert "focus" in said
    assert "payments" not in cuecard("focus", "--root", str(moved))
    cuecard("stores", "alias", str(project), str(moved), "--yes")
    assert "payments" in cuecard("focus", "--root", str(moved))
    cuecard("stores", "alias", str(moved), str(project), "--yes")
    assert "payments" not in cuecard("focus", "--root", str(moved))


def test_a_moved_project_without_a_remote_is_told_where_its_history_is(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, moved = begin(tmp_path / "old"), tmp_path / "moved"
    monkeypatch.chdir(old)
    cuecard("add", "Always use pnpm")
    monkeypatch.chdir(tmp_path)
    old.rename(moved)
    other = tmp_path / "other"
    remember(other, "other")
    monkeypatch.chdir(other)
    assert "stores alias" not in cuecard("history")
    monkeypatch.chdir(moved)
    command = f"`cuecard stores alias {old} {moved}`"
    assert command in cuecard("history")
    assert command in cuecard("undo", status=1)
    assert command in cuecard("stores")
    assert command in cuecard("doctor")
    cuecard("stores", "alias", str(old), str(moved), "--yes")
    assert "stores alias" not in cuecard("history") + cuecard("doctor")
    assert "removed" in cuecard("undo", "--dry-run").replace("would remove", "removed")


def test_the_doctor_knows_the_memories_of_other_stores(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(data / "user", "user")
    root = begin(tmp_path / "empty")
    monkeypatch.chdir(root)
    assert "no store of its own; prompts find the memories of user" in cuecard("doctor")
    (root / ".claude" / "memory").mkdir(parents=True)
    assert "no memory of its own; prompts find those of `user`" in cuecard("doctor")
    (data / "user").rename(data / "gone")
    assert "there is no memory that a prompt could find" in cuecard("doctor")
