"""What was typed and drafted in a project is found by its path, else by git's common folder (SPEC 44.3, 48.12)."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import checkouts
from checkouts import begin, commit_all, git, remember
from cuecard import Store
from cuecard.files.user_folder import OF_PROJECT, open_store_folder, place_of, store_path
from cuecard.store.scopes.moved_data import move_data
from cuecard.store.scopes.moved_project import find_former, normalise, note_remote
from hook_process import Hook
from records import draft

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def store(root: Path) -> str:
    return str(root / ".claude" / "memory")


def places(root: Path) -> set[str]:
    """The folders whose stores have what all checkouts share."""
    return {str(Path(place_of(store(root), name)).parents[1]) for name in OF_PROJECT}


def test_all_worktrees_find_what_was_typed_and_drafted_in_one(tmp_path: Path, data: Path) -> None:
    tree = checkouts.worktree(tmp_path)
    remember(tmp_path / "main" / "packages" / "api", "package")
    assert places(tree) == places(tmp_path / "main") == {str(tmp_path / "main")}
    assert places(tree / "packages" / "api") == {str(tmp_path / "main" / "packages" / "api")}
    # What is made of the files of one checkout stays with it.
    for name in ("seal", "vouched", "git", "derived", "focus", "log"):
        assert place_of(store(tree), name) == store(tree)
    with open_store_folder(store(tree), "inbox", make=True) as inbox:  # type: ignore[union-attr]
        inbox.create("draft.json", b"{}")
    git(tmp_path / "main", "worktree", "remove", "--force", str(tree))
    assert Path(store_path(store(tmp_path / "main")), "inbox", "draft.json").exists()


def test_a_worktree_that_was_moved_finds_its_state(tmp_path: Path, data: Path) -> None:
    tree = checkouts.worktree(tmp_path)
    commit_all(tree)
    before = store_path(store(tree), "ledger")
    git(tmp_path / "main", "worktree", "move", str(tree), str(tmp_path / "moved"))
    assert store_path(store(tmp_path / "moved"), "ledger") == before


def test_the_worktrees_of_a_hub_share_their_state(tmp_path: Path, data: Path) -> None:
    one = checkouts.hub(tmp_path)
    remember(one, "own")
    assert places(one) == places(one.parent / "two") == {str(one.parent)}


def forge(folder: Path, victim: Path) -> None:
    """Make a checkout whose `.git` file says that it is a worktree of another repository."""
    folder.mkdir()
    remember(folder, "forged")
    (folder / ".git").write_text(f"gitdir: {victim / '.git' / 'worktrees' / 'tree'}\n")


def forge_admin_folder(folder: Path, victim: Path) -> None:
    """Make a checkout with a folder of its own that says that its common folder is that of another repository."""
    remember(folder, "forged")
    admin = folder / "admin" / "worktrees" / "x"
    admin.mkdir(parents=True)
    (folder / ".git").write_text("gitdir: admin/worktrees/x\n")
    (admin / "commondir").write_text(f"{victim / '.git'}\n")
    (admin / "gitdir").write_text(f"{folder / '.git'}\n")


def forge_submodule(folder: Path, victim: Path) -> None:
    """Make a checkout that says that it is a submodule of another repository."""
    remember(folder, "forged")
    (folder / ".git").write_text(f"gitdir: {victim / '.git'}\n")


@pytest.mark.parametrize("forging", [forge, forge_admin_folder, forge_submodule])
def test_a_forged_git_file_finds_no_state_of_others(tmp_path: Path, data: Path, forging: object) -> None:
    checkouts.worktree(tmp_path)
    forging(tmp_path / "forged", tmp_path / "main")  # type: ignore[operator]
    assert places(tmp_path / "forged") == {str(tmp_path / "forged")}


def test_a_copied_worktree_finds_no_state(tmp_path: Path, data: Path) -> None:
    tree = checkouts.worktree(tmp_path)
    shutil.copytree(tree, tmp_path / "copy")
    assert places(tmp_path / "copy") == {str(tmp_path / "copy")}


def test_prompts_and_commands_agree_about_the_place_of_a_session(hook: Hook, tmp_path: Path, data: Path) -> None:
    tree = checkouts.worktree(tmp_path)
    sent = {"session_id": "s-1", "cwd": str(tree), "prompt": checkouts.PROMPT, "hook_event_name": "UserPromptSubmit"}
    ran = hook.run("prompt", stdin=json.dumps(sent).encode(), cwd=tree, CUECARD_HOME=str(data))
    assert (ran.code, ran.stderr) == (0, b"")
    hook.wait_for_background()
    assert Path(store_path(store(tmp_path / "main")), "sessions", "s-1").exists()
    assert not Path(store_path(store(tree)), "sessions").exists()


def test_a_plain_checkout_finds_its_state_by_its_path(tmp_path: Path, data: Path) -> None:
    begin(tmp_path / "one")
    remember(tmp_path / "one", "one")
    assert places(tmp_path / "one") == {str(tmp_path / "one")}
    (tmp_path / "one").rename(tmp_path / "other")
    assert places(tmp_path / "other") == {str(tmp_path / "other")}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://user:secret@Git.Example.org:8443/team/app.git", "git.example.org/team/app"),
        ("git@git.example.org:team/app.git", "git.example.org/team/app"),
        ("ssh://git@git.example.org/team/app/", "git.example.org/team/app"),
        ("/srv/git/app.git", ""),
        ("file:///srv/git/app.git", ""),
        ("C:\\\\git\\\\app", ""),
        ("git@git.example.org:a\x1b[2Jb", ""),
        ("", ""),
    ],
)
def test_a_remote_is_host_and_path(url: str, expected: str) -> None:
    assert normalise(url) == expected


def clone(root: Path, url: str = "https://git.example.org/team/app.git") -> tuple[str, str]:
    begin(root)
    remember(root, "app")
    git(root, "remote", "add", "origin", url)
    return str(root), store(root)


def notice_of(root: Path) -> str:
    file = Path(store_path(store(root)), "notice")
    return file.read_text() if file.exists() else ""


def test_a_project_that_was_moved_is_told_once_and_moves_nothing(tmp_path: Path, data: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    note_remote(clone(old))
    with open_store_folder(store(old), "inbox", make=True) as inbox:  # type: ignore[union-attr]
        inbox.create("draft.json", b"{}")
    kept = Path(store_path(store(old)))
    old.rename(new)
    project = str(new), store(new)
    note_remote(project)
    assert f"`cuecard stores alias {old} {new}`" in notice_of(new)
    assert (kept / "inbox" / "draft.json").exists()
    assert not Path(store_path(store(new)), "inbox").exists()
    Path(store_path(store(new)), "notice").unlink()
    note_remote(project)
    assert notice_of(new) == ""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are no UTF-8")
def test_a_project_whose_path_was_not_utf_8_is_told_too(tmp_path: Path, data: Path) -> None:
    old, new = Path(os.fsdecode(bytes(tmp_path) + b"/old\xff")), tmp_path / "new"
    note_remote(clone(old))
    old.rename(new)
    note_remote((str(new), store(new)))
    assert "old\ufffd" in notice_of(new)


def test_a_project_without_a_remote_that_was_moved_is_told_by_its_writes(tmp_path: Path, data: Path) -> None:
    old, new = begin(tmp_path / "old"), tmp_path / "new"
    (old / ".claude" / "memory").mkdir(parents=True)
    Store(old).add(draft("Always use pnpm"), trust="own")
    old.rename(new)
    note_remote((str(new), store(new)))
    assert f"`cuecard stores alias {old} {new}`" in notice_of(new)


def test_a_second_clone_of_a_project_that_is_still_there_is_not_told(tmp_path: Path, data: Path) -> None:
    note_remote(clone(tmp_path / "one"))
    note_remote(clone(tmp_path / "two", "git@git.example.org:team/app"))
    assert notice_of(tmp_path / "two") == ""


def test_another_remote_is_not_told(tmp_path: Path, data: Path) -> None:
    note_remote(clone(tmp_path / "one"))
    shutil.rmtree(tmp_path / "one")
    note_remote(clone(tmp_path / "two", "https://git.example.org/team/other.git"))
    assert notice_of(tmp_path / "two") == ""


def test_a_worktree_alone_with_memories_is_not_its_own_former_project(tmp_path: Path, data: Path) -> None:
    main = begin(tmp_path / "main")
    git(main, "remote", "add", "origin", "https://git.example.org/team/app.git")
    git(main, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    remember(tmp_path / "tree", "branch")
    note_remote((str(tmp_path / "tree"), store(tmp_path / "tree")))
    assert find_former((str(tmp_path / "tree"), store(tmp_path / "tree"))) == ""
    assert not Path(store_path(store(tmp_path / "main")), "notice").exists()


def test_another_package_of_the_repository_is_not_the_former_project(tmp_path: Path, data: Path) -> None:
    clone(tmp_path / "mono")
    one, two = tmp_path / "mono" / "packages" / "one", tmp_path / "mono" / "packages" / "two"
    remember(one, "one")
    note_remote((str(one), store(one)))
    shutil.rmtree(one)
    remember(two, "two")
    note_remote((str(two), store(two)))
    assert notice_of(two) == ""
    # The same package of another clone is.
    (tmp_path / "mono").rename(tmp_path / "moved")
    moved = tmp_path / "moved" / "packages" / "two"
    note_remote((str(moved), store(moved)))
    assert f"`cuecard stores alias {two} {moved}`" in notice_of(moved)


def test_drafts_are_moved_to_where_a_worktree_looks_for_them(tmp_path: Path, data: Path) -> None:
    old, tree = tmp_path / "old", checkouts.worktree(tmp_path)
    remember(old, "old")
    for name in ("inbox", "focus"):
        with open_store_folder(store(old), name, make=True) as folder:  # type: ignore[union-attr]
            folder.create("file", b"{}")
    shutil.rmtree(old)
    assert move_data(str(old), str(tree), is_dry=True).names == ["focus", "inbox"]
    assert move_data(str(old), str(tree), is_dry=False).names == ["focus", "inbox"]
    assert Path(store_path(store(tmp_path / "main")), "inbox", "file").exists()
    assert Path(store_path(store(tree)), "focus", "file").exists()
    assert move_data(str(tree), str(old), is_dry=False).names == ["focus", "inbox"]
