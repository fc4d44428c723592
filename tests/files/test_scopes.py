"""Tests of the list of stores that count in a folder, with repositories of real git (SPEC 48.1 to 48.5)."""

import shutil
from pathlib import Path

import pytest

import checkouts
from checkouts import begin, git, remember
from cuecard.basics import surroundings
from cuecard.errors import StoreError
from cuecard.files.checkouts import record_checkout, tie_of
from cuecard.files.root import choose_project
from cuecard.store.scopes.scoped_stores import find_scoped_stores, scope_reader, stores_of_project
from scratch_home import write_user_settings

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def counting(folder: Path) -> list[tuple[str, str]]:
    """Scope and folder of the stores that count in a folder."""
    return [(store.scope, Path(store.root).name) for store in find_scoped_stores(cwd=str(folder)) if not store.left_out]


def left_out(folder: Path) -> list[tuple[str, str]]:
    return [(Path(store.root).name, store.left_out) for store in find_scoped_stores(cwd=str(folder)) if store.left_out]


def live_in(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(surroundings, "account_home", lambda: str(home))


def join(*names: str) -> None:
    """Write teams into the user's configuration."""
    teams = [{"name": name, "url": f"https://git.example.org/{name}.git"} for name in names]
    write_user_settings({"sync": {"teams": teams}})


def begin_user_store(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    monkeypatch.setenv("CUECARD_HOME", str(data))
    remember(data / "user", "user")


def test_a_package_and_its_root_both_count(tmp_path: Path) -> None:
    package = checkouts.monorepo(tmp_path)
    assert counting(package / "src") == [("project", "api"), ("parent", "mono")]
    assert counting(package.parent) == [("project", "mono")]


def test_a_store_between_package_and_root_is_left_out(tmp_path: Path) -> None:
    package = checkouts.monorepo(tmp_path)
    remember(package.parent, "between")
    assert counting(package) == [("project", "api"), ("parent", "mono")]
    assert left_out(package) == [("packages", "it lies between the nearest store and the root")]


def test_a_setting_makes_a_folder_the_root(tmp_path: Path) -> None:
    package = tmp_path / "work" / "api"
    remember(package, "package")
    remember(tmp_path / "work", "root")
    assert counting(package) == [("project", "api")]
    (tmp_path / "work" / ".claude" / "memory" / "memory-config.json").write_text('{"scopes": {"root": true}}')
    assert counting(package) == [("project", "api"), ("parent", "work")]


def test_a_repository_in_the_home_folder_makes_it_no_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = begin(tmp_path / "home")
    live_in(monkeypatch, home)
    remember(home, "home")
    remember(home / "notes", "notes")
    assert counting(home / "notes") == [("project", "notes")]
    assert ("home", "the home folder is no parent") in left_out(home / "notes")


def test_new_memories_below_a_repository_of_the_home_folder_begin_where_the_work_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = begin(tmp_path / "home")
    live_in(monkeypatch, home)
    (home / "work").mkdir()
    monkeypatch.chdir(home / "work")
    assert choose_project(None, "", str(home))[0] == str(home / "work")


def test_a_submodule_sees_the_superproject(tmp_path: Path) -> None:
    library = checkouts.submodule(tmp_path)
    assert counting(library) == [("parent", "super")]
    assert find_scoped_stores(cwd=str(library))[0].is_written
    remember(library, "library")
    assert counting(library) == [("project", "library"), ("parent", "super")]


def test_a_submodule_that_points_at_a_victim_gets_nothing(tmp_path: Path) -> None:
    victim = checkouts.submodule(tmp_path).parent.parent
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    (hostile / ".git").write_text(f"gitdir: {victim}/.git/modules/service/library\n")
    assert counting(hostile) == []
    # Below the victim, but the victim's git folder names another place.
    inside = victim / "vendored"
    inside.mkdir()
    (inside / ".git").write_text("gitdir: ../.git/modules/service/library\n")
    assert counting(inside) == []


def test_a_submodule_in_a_worktree_sees_the_worktree(tmp_path: Path) -> None:
    library = checkouts.submodule(tmp_path)
    superproject = library.parent.parent
    checkouts.commit_all(superproject)
    tree = tmp_path / "tree"
    git(superproject, "worktree", "add", "--quiet", str(tree))
    git(tree, "submodule", "--quiet", "update", "--init")
    assert counting(tree / "service" / "library") == [("parent", "tree")]


def test_the_store_of_a_worktree_lies_over_that_of_the_main_checkout(tmp_path: Path) -> None:
    tree = checkouts.worktree(tmp_path)
    assert counting(tree) == [("project", "tree"), ("project", "main")]
    assert [store.is_counterpart for store in find_scoped_stores(cwd=str(tree))] == [False, True]
    assert [store.is_written for store in find_scoped_stores(cwd=str(tree))] == [True, False]


def test_a_worktree_without_a_store_uses_the_main_checkout(tmp_path: Path) -> None:
    main = begin(tmp_path / "main")
    git(main, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    remember(main, "main")
    assert counting(tmp_path / "tree") == [("project", "main")]


def test_a_package_in_a_worktree_has_its_counterpart(tmp_path: Path) -> None:
    package = checkouts.monorepo(tmp_path)
    mono = package.parent.parent
    checkouts.commit_all(mono)
    git(mono, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    found = find_scoped_stores(cwd=str(tmp_path / "tree" / "packages" / "api"))
    roots = [str(Path(store.root).relative_to(tmp_path)) for store in found]
    assert roots == ["tree/packages/api", "mono/packages/api", "tree"]


def test_all_worktrees_of_a_hub_share_the_store_beside_it(tmp_path: Path) -> None:
    one = checkouts.hub(tmp_path)
    assert counting(one) == counting(one.parent / "two") == [("project", "hub")]


def test_the_first_memory_in_a_hub_survives_its_worktree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = checkouts.hub(tmp_path)
    shutil.rmtree(one.parent / ".claude")
    monkeypatch.chdir(one)
    assert choose_project(None, "", "")[0] == str(one.parent)


def test_a_worktree_finds_a_checkout_whose_git_folder_lies_elsewhere(tmp_path: Path) -> None:
    tree = checkouts.separate(tmp_path)
    assert counting(tree) == []
    remember(tmp_path / "work", "work")
    record_checkout(str(tmp_path / "work"))
    assert counting(tree) == [("project", "work")]


def test_a_recorded_checkout_counts_only_while_it_names_the_git_folder(tmp_path: Path) -> None:
    tree = checkouts.separate(tmp_path)
    remember(tmp_path / "work", "work")
    record_checkout(str(tmp_path / "work"))
    (tmp_path / "work" / ".git").unlink()
    assert counting(tree) == []


def test_a_forged_git_file_reaches_no_other_project(tmp_path: Path) -> None:
    tree = checkouts.worktree(tmp_path)
    forged = tmp_path / "forged"
    forged.mkdir()
    shutil.copy(tree / ".git", forged / ".git")
    assert counting(forged) == []


def test_a_folder_that_is_its_own_common_folder_does_not_reach_what_lies_around_it(tmp_path: Path) -> None:
    remember(tmp_path, "victim")
    hostile = tmp_path / "hostile"
    (hostile / "worktrees" / "tree").mkdir(parents=True)
    (hostile / "tree").mkdir()
    (hostile / "tree" / ".git").write_text("gitdir: ../worktrees/tree\n")
    (hostile / "worktrees" / "tree" / "commondir").write_text("../..\n")
    (hostile / "worktrees" / "tree" / "gitdir").write_text(f"{hostile}/tree/.git\n")
    assert tie_of(str(hostile / "tree" / ".git")) is None
    assert counting(hostile / "tree") == []


def test_a_linked_checkout_counts_like_its_folder(tmp_path: Path) -> None:
    package = checkouts.monorepo(tmp_path)
    (tmp_path / "link").symlink_to(package.parent.parent)
    assert [scope for scope, _name in counting(tmp_path / "link" / "packages" / "api")] == ["project", "parent"]


def test_a_repository_in_a_dependency_folder_counts_if_the_user_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = begin(tmp_path / "vendor" / "mine")
    monkeypatch.chdir(root)
    with pytest.raises(StoreError, match="no memories are read in `vendor`"):
        choose_project(None, "", str(tmp_path))
    remember(root, "mine")
    assert counting(root) == []
    (tmp_path / "config" / "cuecard").mkdir(parents=True)
    (tmp_path / "config" / "cuecard" / "config.json").write_text(f'{{"scopes": {{"allow": ["{root}"]}}}}')
    assert counting(root) == [("project", "mine")]
    # What lies in dependency folders of the repository still does not count.
    remember(root / "node_modules" / "left", "left")
    assert counting(root / "node_modules" / "left") == [("project", "mine")]


def test_the_users_store_and_three_packs_count_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    begin_user_store(monkeypatch, data)
    join("d", "c", "b", "a")
    for name in ("d", "c", "b", "a", "a-left"):
        remember(data / "packs" / name / "1", name)
        (data / "packs" / name / "current").write_text("1\n")
    (data / "packs" / "e").mkdir()
    (data / "packs" / "e" / "current").write_text("../../../victim\n")
    project = tmp_path / "project"
    remember(project, "project")
    assert counting(project) == [("project", "project"), ("user", "user"), ("team", "1"), ("team", "1"), ("team", "1")]
    assert left_out(project) == [
        ("1", "only the first three teams of your configuration count"),
        ("1", "you are not in this team"),
    ]
    assert [scope for scope, _name in counting(tmp_path)] == ["user", "team", "team", "team"]


def test_a_project_declines_and_a_user_excludes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_user_store(monkeypatch, tmp_path / "data")
    project = tmp_path / "project"
    remember(project, "project")
    settings = project / ".claude" / "memory" / "memory-config.json"
    settings.write_text('{"scopes": {"user": false}}')
    assert left_out(project) == [("user", "`scopes.user` is off in the settings")]
    settings.unlink()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "cuecard").mkdir(parents=True)
    own = tmp_path / "config" / "cuecard" / "config.json"
    own.write_text(f'{{"scopes": {{"exclude": ["/a\\u0000b", "/\\ud800", "{tmp_path}"]}}}}')
    assert left_out(project) == [("user", "your setting `scopes.exclude` keeps it out of this project")]


def test_a_log_names_its_own_store_by_the_scope_in_which_it_leads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = checkouts.monorepo(tmp_path)
    begin_user_store(monkeypatch, tmp_path / "data")

    def read(root: Path) -> list[str]:
        """What the scopes mean in the log of a store."""
        project = str(root), str(root / ".claude" / "memory")
        return [*map(scope_reader(stores_of_project(project)), ("", "parent", "user", "team x"))]

    # The superproject of a submodule leads as its parent; a package has a parent of its own.
    assert read(package.parent.parent) == ["", "", "user", "team x"]
    assert read(package) == ["", "parent", "user", "team x"]
    # Where no project is, the user's own store leads.
    assert read(tmp_path / "data" / "user") == ["", "", "", "team x"]


def test_a_pointer_of_git_has_at_most_4096_bytes(tmp_path: Path) -> None:
    tree = checkouts.worktree(tmp_path)
    pointer = tree / ".git"
    text = pointer.read_text().rstrip("\n")
    pointer.write_text(text.ljust(4096, "\n"))
    assert tie_of(str(pointer)) is not None
    pointer.write_text(text.ljust(4097, "\n"))
    assert tie_of(str(pointer)) is None
