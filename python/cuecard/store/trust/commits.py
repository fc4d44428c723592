"""Finds the commit that last changed each memory (SPEC 45.8)."""

from dataclasses import dataclass

from ...errors import StoreError
from .safe_git import SafeGit

FOLDER = ".claude/memory"
_HASH_LENGTHS = (40, 64)


@dataclass(frozen=True)
class GitCommit:
    """A Git commit. The person who makes a commit can forge its author."""

    name: str
    """The commit's hash."""
    author: str
    """The author's name and address."""
    day: str
    """The committer's date as `YYYY-MM-DD` in UTC."""


def last_commits(git: SafeGit) -> dict[str, GitCommit]:
    """Return the last commit that changed each file of the store, by the file's path in the project.

    A merge commit counts only for files that differ from all of its parents. Raises StoreError if git fails.
    """
    # A commit cannot contain a NUL, so no name of an author can be mistaken for another field.
    form = ["--format=%x00%H%x00%an%x00%ae%x00%cd%x00", "--date=format-local:%Y-%m-%d"]
    names = ["-z", "-c", "--name-only", "--no-renames", "--relative"]
    done = git.run(["log", *form, *names, "--no-ext-diff", "--no-textconv", "--no-show-signature", "--", FOLDER])
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        what = words.removeprefix("fatal: ")[:200] or "it gave no reason"
        raise StoreError(f"git cannot read the history: {what}", "choose memories by their ids instead")
    return _read(done.stdout.decode("utf-8", "surrogateescape"))


def _read(text: str) -> dict[str, GitCommit]:
    found: dict[str, GitCommit] = {}
    commit: GitCommit | None = None
    parts = iter(text.split("\0"))
    for part in parts:
        path = part.strip("\n")
        if path.startswith(FOLDER) and commit:
            found.setdefault(path, commit)
        elif len(path) in _HASH_LENGTHS:
            author, address, day = next(parts, ""), next(parts, ""), next(parts, "")
            commit = GitCommit(path, f"{author} <{address}>", day)
    return found
