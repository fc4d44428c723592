"""The state of a repository, read from git's files without running git; it is compared with git's output."""

import json
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cuecard._pure.situation.git_index import read_index
from cuecard._pure.situation.git_state import branch_words, read_git_state
from hook_process import Hook
from scratch_home import kept_of

LONG_AGO = 1_600_000_000
FILES = ("README.md", "src/app.py", "src/pay/retry.py", "src/pay/ledger.py", "docs/notes.txt")


class Repository:
    """A git repository with a few committed files and a store."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.memory_dir = root / ".claude" / "memory"

    @classmethod
    def make(cls, root: Path, *options: str) -> "Repository":
        made = cls(root)
        made.memory_dir.mkdir(parents=True)
        made.git("init", "--quiet", "--initial-branch", "main", *options)
        # Inode numbers and creation times differ in a copy of the repository, so git must not compare them.
        made.git("config", "core.checkStat", "minimal")
        made.git("config", "core.trustctime", "false")
        for name in FILES:
            made.write(name, f"{name}\n")
        made.git("add", ".")
        made.git("commit", "--quiet", "--message", "start")
        return made

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        """The output of a git command."""
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
        kept = {"PATH": os.environ["PATH"], "HOME": str(self.root), "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", *identity, *arguments]
        ran = subprocess.run(command, cwd=cwd or self.root, env=kept, check=True, capture_output=True)
        return ran.stdout.decode()

    def write(self, name: str, text: str) -> None:
        """Write a file with a time that no other write of this test has."""
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (LONG_AGO + len(text),) * 2)

    @property
    def project(self) -> tuple[str, str]:
        return str(self.root), str(self.memory_dir)

    def changed(self, cwd: Path | None = None) -> list[str]:
        """The changed files as cuecard reads them, without the stored state of an earlier read."""
        (kept_of(self.memory_dir) / "git").unlink(missing_ok=True)
        return read_git_state(self.project, str(cwd or self.root)).changed

    def changed_by_git(self) -> list[str]:
        return sorted(set(self.git("diff-files", "--name-only", "-z").split("\0")) - {""})


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Repository.make(tmp_path_factory.mktemp("template") / "repository").root


@pytest.fixture
def repository(template: Path, tmp_path: Path) -> Repository:
    return Repository(Path(shutil.copytree(template, tmp_path / "repository")))


# The branch


@pytest.mark.parametrize("branch", ["main", "feature/payments-retry", "기능/결제", "v1.2"])
def test_the_branch_is_the_one_that_is_checked_out(repository: Repository, branch: str) -> None:
    repository.git("checkout", "--quiet", "-B", branch)
    assert read_git_state(repository.project, None).branch == branch


def test_a_branch_without_a_commit_is_one_too(tmp_path: Path) -> None:
    (tmp_path / ".claude/memory").mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "trunk"], cwd=tmp_path, check=True)
    found = read_git_state((str(tmp_path), str(tmp_path / ".claude/memory")), None)
    assert (found.branch, found.changed) == ("trunk", [])


def test_a_detached_head_is_on_no_branch(repository: Repository) -> None:
    repository.write("README.md", "other")
    repository.git("checkout", "--quiet", "--detach")
    found = read_git_state(repository.project, None)
    assert (found.branch, found.changed) == (None, ["README.md"])


def test_where_there_is_no_repository_nothing_is_known(tmp_path: Path) -> None:
    found = read_git_state((str(tmp_path), str(tmp_path)), str(tmp_path))
    assert (found.branch, found.changed) == (None, [])
    found.write(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", [b"", b"gitdir: nowhere\n", b"\xff\xfe", b"nothing"])
def test_a_damaged_pointer_to_a_repository_leads_nowhere(tmp_path: Path, text: bytes) -> None:
    (tmp_path / ".git").write_bytes(text)
    found = read_git_state((str(tmp_path), str(tmp_path)), str(tmp_path))
    assert (found.branch, found.changed) == (None, [])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("feature/payments-retry", "payments retry"),
        ("FIX/Login_form", "Login form"),
        ("bugfix/1234-race.in.cache", "race in cache"),
        ("release/2026-11", ""),
        ("main", ""),
        ("develop", ""),
        ("maintenance", "maintenance"),
        ("JIRA-77/hotfix--token", "JIRA token"),
        ("기능/결제-재시도", "기능 결제 재시도"),
        ("v2", "v2"),
        ("///", ""),
        ("", ""),
    ],
)
def test_a_branch_has_the_words_of_what_it_is_on(name: str, words: str) -> None:
    assert branch_words(name) == words


# Changed files


def change_size(repository: Repository) -> None:
    repository.write("src/app.py", "something longer than before")


def change_time(repository: Repository) -> None:
    os.utime(repository.root / "src/app.py", (LONG_AGO - 1,) * 2)


def remove(repository: Repository) -> None:
    (repository.root / "docs/notes.txt").unlink()
    shutil.rmtree(repository.root / "src/pay")


def replace_by_a_folder(repository: Repository) -> None:
    (repository.root / "README.md").unlink()
    (repository.root / "README.md").mkdir()


def replace_by_a_link(repository: Repository) -> None:
    (repository.root / "README.md").unlink()
    (repository.root / "README.md").symlink_to("src/app.py")


def conflict(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "-b", "other")
    repository.write("src/app.py", "theirs")
    repository.git("commit", "--quiet", "--all", "--message", "theirs")
    repository.git("checkout", "--quiet", "main")
    repository.write("src/app.py", "ours!")
    repository.git("commit", "--quiet", "--all", "--message", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "other")


def stage(repository: Repository) -> None:
    """Stage a change, so that the file is the same as in git's index and is not listed as changed."""
    repository.write("src/app.py", "staged")
    repository.git("add", ".")


def add_nothing_yet(repository: Repository) -> None:
    repository.write("src/new.py", "new")
    repository.git("add", "--intent-to-add", "src/new.py")


def leave_untracked(repository: Repository) -> None:
    repository.write("src/new.py", "new")


def tell_git_not_to_look(repository: Repository) -> None:
    repository.git("update-index", "--assume-unchanged", "README.md")
    repository.git("update-index", "--skip-worktree", "src/app.py")
    for name in ("README.md", "src/app.py", "docs/notes.txt"):
        repository.write(name, "other text")


CHANGES = [
    change_size,
    change_time,
    remove,
    replace_by_a_folder,
    replace_by_a_link,
    conflict,
    stage,
    add_nothing_yet,
    leave_untracked,
    tell_git_not_to_look,
]


@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize("change", CHANGES)
def test_changed_files_are_those_that_git_finds(
    repository: Repository, change: Callable[[Repository], None], version: str
) -> None:
    repository.git("update-index", f"--index-version={version}", "--force-write-index")
    change(repository)
    index = (repository.root / ".git/index").read_bytes()
    # If a file needs more flags, git writes version 3 of the index instead of version 2.
    assert index[7] in {"2": (2, 3), "4": (4,)}[version]
    assert repository.changed() == repository.changed_by_git()


def test_a_write_within_the_same_second_is_a_change(repository: Repository) -> None:
    file = repository.root / "src/app.py"
    file.write_text("one")
    os.utime(file, ns=(LONG_AGO * 10**9 + 5,) * 2)
    repository.git("add", ".")
    os.utime(file, ns=(LONG_AGO * 10**9 + 7,) * 2)
    assert repository.changed() == ["src/app.py"]


def test_an_index_without_nanoseconds_is_compared_by_seconds(repository: Repository) -> None:
    file = repository.root / "src/app.py"
    whole_second = file.stat().st_mtime_ns
    assert whole_second % 10**9 == 0
    os.utime(file, ns=(whole_second + 5,) * 2)
    assert repository.changed() == []


def test_a_repository_with_longer_hashes_is_read(tmp_path: Path) -> None:
    repository = Repository.make(tmp_path / "repository", "--object-format=sha256")
    change_size(repository)
    for version in ("2", "4"):
        repository.git("update-index", f"--index-version={version}", "--force-write-index")
        assert repository.changed() == repository.changed_by_git() == ["src/app.py"]


def test_a_submodule_and_a_link_are_no_files(repository: Repository, tmp_path: Path) -> None:
    Repository.make(tmp_path / "other")
    allow = ("-c", "protocol.file.allow=always")
    repository.git(*allow, "submodule", "--quiet", "add", str(tmp_path / "other"), "below")
    (repository.root / "link").symlink_to("README.md")
    repository.git("add", ".")
    (repository.root / "link").unlink()
    (repository.root / "below/README.md").write_text("changed below")
    shutil.rmtree(repository.root / "below")
    change_size(repository)
    assert repository.changed() == ["src/app.py"]


def test_long_names_and_those_of_any_letters_are_read(repository: Repository) -> None:
    deep = "/".join(["d" * 200] * 18) + "/file"
    names = [deep + ending for ending in ("", "2")] + ["결제/재시도.py", "a b.py"]
    for name in names:
        repository.write(name, "one")
    repository.git("add", ".")
    for name in names:
        repository.write(name, "another")
    for version in ("2", "4"):
        repository.git("update-index", f"--index-version={version}", "--force-write-index")
        assert repository.changed() == sorted(names)


def test_the_first_64_are_named(repository: Repository) -> None:
    names = [f"many/{number:03}.txt" for number in range(100)]
    for name in names:
        repository.write(name, "one")
    repository.git("add", ".")
    for name in names:
        repository.write(name, "another")
    assert repository.changed() == names[:64]


def test_memories_are_no_work_in_progress(repository: Repository) -> None:
    repository.write(".claude/memory/index.md", "one")
    repository.write(".claude/settings.json", "one")
    repository.git("add", "--force", ".")
    repository.write(".claude/memory/index.md", "another")
    repository.write(".claude/settings.json", "another")
    assert repository.changed() == [".claude/settings.json"]


def test_an_index_of_over_20000_entries_is_not_compared(repository: Repository) -> None:
    blob = repository.git("rev-parse", "HEAD:README.md").strip()

    def fill(count: int) -> None:
        lines = "".join([f"100644 {blob}\tmany/{number}\n" for number in range(count)])
        command = ["git", "update-index", "--index-info"]
        subprocess.run(command, cwd=repository.root, input=lines.encode(), check=True)

    fill(20_000 - len(FILES))
    assert len(repository.changed()) == 64
    fill(20_001 - len(FILES))
    assert repository.changed() == []


def test_an_index_of_over_8_mib_is_not_compared(repository: Repository) -> None:
    change_size(repository)
    index = repository.root / ".git/index"
    data = index.read_bytes()
    # After its entries, an index may have any data that its hash covers.
    index.write_bytes(data + bytes((8 << 20) - len(data)))
    assert repository.changed() == ["src/app.py"]
    index.write_bytes(data + bytes((8 << 20) - len(data) + 1))
    assert repository.changed() == []


def test_a_split_index_is_not_compared(repository: Repository) -> None:
    change_size(repository)
    repository.git("update-index", "--split-index")
    assert repository.changed() == []


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_damaged_index_has_no_changes(repository: Repository, version: str) -> None:
    repository.git("update-index", f"--index-version={version}", "--force-write-index")
    data = (repository.root / ".git/index").read_bytes()
    whole = read_index(data, 100)
    assert whole is not None
    assert len(whole) == len(FILES)
    for length in range(0, len(data), 7):
        # The part that was cut off came after the entries, so the entries are complete.
        assert read_index(data[:length], 100) in (None, whole)
    for place in range(12, len(data)):
        read_index(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :], 100)


# The project's folder


def test_paths_count_from_the_project_and_not_from_the_repository(repository: Repository) -> None:
    below = repository.root / "src"
    memory_dir = below / ".claude" / "memory"
    memory_dir.mkdir(parents=True)
    for name in FILES:
        repository.write(name, "other")
    found = read_git_state((str(below), str(memory_dir)), str(below / "pay"))
    assert (found.branch, found.changed) == ("main", ["app.py", "pay/ledger.py", "pay/retry.py"])


@pytest.mark.parametrize("place", ["../worktree", ".claude/worktrees/one"])
def test_a_worktree_has_its_own_branch_and_changes(repository: Repository, place: str) -> None:
    worktree = Path(os.path.normpath(repository.root / place))
    repository.git("worktree", "add", "--quiet", "-b", "topic", str(worktree))
    repository.write("README.md", "changed in the main checkout")
    (worktree / "src/app.py").write_text("changed in the worktree")
    found = read_git_state(repository.project, str(worktree / "src"))
    assert (found.branch, found.changed) == ("topic", ["src/app.py"])
    found = read_git_state(repository.project, str(repository.root))
    assert (found.branch, found.changed) == ("main", ["README.md"])


# What is kept


def cache(repository: Repository) -> Path:
    return kept_of(repository.memory_dir) / "git"


def test_what_was_found_is_kept_for_ten_seconds(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    change_size(repository)
    clock = {"now": 1_700_000_000.9}
    monkeypatch.setattr(time, "time", lambda: clock["now"])
    found = read_git_state(repository.project, None)
    found.write(str(repository.memory_dir))
    assert stat.S_IMODE(cache(repository).stat().st_mode) == 0o600
    assert sorted(file.name for file in cache(repository).parent.iterdir()) == ["git", "path"]
    status = (repository.root / ".git/index").stat()
    header = f"cuecard changed 1 {status.st_mtime_ns} {status.st_size} 1700000000"
    assert cache(repository).read_text() == f"{header}\nsrc/app.py\n"
    remove(repository)
    clock["now"] = 1_700_000_009.9
    assert read_git_state(repository.project, None).changed == ["src/app.py"]
    for now in (1_700_000_010.0, 1_699_999_999.0):
        clock["now"] = now
        assert read_git_state(repository.project, None).changed == repository.changed_by_git()


def test_what_was_found_counts_for_the_index_as_it_was(repository: Repository) -> None:
    change_size(repository)
    read_git_state(repository.project, None).write(str(repository.memory_dir))
    repository.git("add", ".")
    assert read_git_state(repository.project, None).changed == []


@pytest.mark.parametrize(
    "damage",
    [b"", b"\n", b"cuecard changed 1\n", b"\xff", b"{header}", b"{header}\nsrc/pay", b"{header}\n\n", b"{header}9\n"],
)
def test_a_damaged_cache_is_ignored(repository: Repository, damage: bytes) -> None:
    change_size(repository)
    read_git_state(repository.project, None).write(str(repository.memory_dir))
    header = cache(repository).read_bytes().split(b"\n")[0]
    cache(repository).write_bytes(damage.replace(b"{header}", header))
    assert read_git_state(repository.project, None).changed == ["src/app.py"]


# Through the hook


def write_store(repository: Repository) -> None:
    """Write one memory, and the setting with which the hook reads git's files."""
    (repository.memory_dir / "decisions").mkdir()
    record = {
        "title": "Payments retry with jitter", "category": "decision", "tags": ["payments", "retry"],
        "related_files": ["src/pay/"],
    }  # fmt: skip
    (repository.memory_dir / "decisions" / "retry.json").write_text(json.dumps(record))
    (repository.memory_dir / "memory-config.json").write_text('{"retrieval": {"situation": {"git": true}}}')


def test_the_branch_names_the_topic_with_and_without_an_index(hook: Hook, repository: Repository) -> None:
    """Before the first file is added, a repository has a branch, but no index."""
    write_store(repository)

    def ask(session: str) -> bytes:
        sent = {"prompt": "how long does it wait?", "cwd": str(repository.root), "session_id": session}
        ran = hook.run("prompt", stdin=json.dumps(sent).encode(), cwd=repository.root)
        assert (ran.code, ran.log) == (0, [])
        return ran.stdout

    assert ask("on-main") == b""
    repository.git("checkout", "--quiet", "-b", "feature/payments-retry")
    assert b"Payments retry with jitter" in ask("with-an-index")
    (repository.root / ".git/index").unlink()
    assert b"Payments retry with jitter" in ask("without-an-index")


def test_every_way_to_run_the_hook_finds_the_same(hook: Hook, repository: Repository) -> None:
    """Each way to run the hook stores the state that `read_git_state` returns; the executable has its own reader."""
    write_store(repository)
    repository.git("checkout", "--quiet", "-b", "feature/payments-retry")
    repository.git("worktree", "add", "--quiet", "-b", "topic", str(repository.root.parent / "worktree"))
    repository.git("add", "--force", ".claude/memory/memory-config.json")
    names = [
        "src/pay/retry.py",
        "README.md",
        "결제/재시도.py",
        "a b.py",
        "same.txt",
        ".claude/memory/memory-config.json",
    ]
    for name in names[2:5]:
        repository.write(name, "one")
    repository.git("add", "결제", "a b.py", "same.txt")
    for name in [*names[:4], names[5]]:
        repository.write(name, '{"retrieval": {"situation": {"git": true}}} ')
    (repository.root / "docs/notes.txt").unlink()
    repository.git("update-index", "--skip-worktree", "README.md")
    places = [repository.root, repository.root / "src", repository.root.parent / "worktree"]
    (places[2] / "src/app.py").write_text("another")
    found: list[list[str]] = []
    for place in places:
        for version in ("2", "4"):
            repository.git("update-index", f"--index-version={version}", "--force-write-index")
            sent = json.dumps({"prompt": "how do payments retry?", "cwd": str(place), "session_id": "s"})
            cache(repository).unlink(missing_ok=True)
            ran = hook.run("prompt", stdin=sent.encode(), cwd=repository.root)
            assert (ran.code, ran.log) == (0, [])
            kept = cache(repository).read_text().split("\n")
            assert stat.S_IMODE(cache(repository).stat().st_mode) == 0o600
            state = read_git_state(repository.project, str(place))
            assert (state.changed, state.branch) == (
                kept[1:-1],
                "topic" if place == places[2] else "feature/payments-retry",
            )
            found.append(state.changed)
            # The next prompt uses the stored state, damaged or not.
            cache(repository).write_text("\n".join([kept[0], "src/none.py", ""]))
            hook.run("prompt", stdin=sent.encode(), cwd=repository.root)
            assert cache(repository).read_text().split("\n")[1] == "src/none.py"
            cache(repository).write_text("\n".join([kept[0], "src/none.py"]))
            hook.run("prompt", stdin=sent.encode(), cwd=repository.root)
            assert cache(repository).read_text().split("\n")[1:] == kept[1:]
    assert found[0] == found[1] == found[2] == ["a b.py", "docs/notes.txt", "src/pay/retry.py", "결제/재시도.py"]
    assert found[4] == found[5] == ["src/app.py"]
