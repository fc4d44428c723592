"""The commit that last touched each memory, as git tells it (SPEC 52.8)."""

from dataclasses import dataclass

from ...errors import StoreError
from .safe_git import SafeGit

FOLDER = ".claude/memory"
_HASH_LENGTHS = (40, 64)


@dataclass(frozen=True)
class GitCommit:
    """A commit. The author's name can be forged by the maker of the commit."""

    name: str
    """Its hash."""
    author: str
    """Name and address."""
    day: str
    """When it was made, as `YYYY-MM-DD` in UTC: the date that the committer gave."""


def last_commits(git: SafeGit) -> dict[str, GitCommit]:
    """The last commit that touched each file of the store, by the file's path below the project.

    A merge counts only for what is in it other than in all of its parents. Raises StoreError where git refuses.
    """
    # A commit cannot hold a NUL, so whatever an author is called, no field can pass for another one.
    form = ["--format=%x00%H%x00%an%x00%ae%x00%cd%x00", "--date=format-local:%Y-%m-%d"]
    names = ["-z", "-c", "--name-only", "--no-renames", "--relative"]
    done = git.run(["log", *form, *names, "--no-ext-diff", "--no-textconv", "--no-show-signature", "--", FOLDER])
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        what = words.removeprefix("fatal: ")[:200] or "it says nothing more"
        raise StoreError(f"git cannot read the history: {what}", "choose memories by their ids instead")
    return _read(done.stdout.decode("utf-8", "surrogateescape"))


def read_at(git: SafeGit, commit: str, path: str) -> bytes | None:
    """The bytes of a file at a commit, as git keeps them; None where it is not there."""
    done = git.run(["cat-file", "blob", f"{commit}:./{path}"])
    return None if done.returncode else done.stdout


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
