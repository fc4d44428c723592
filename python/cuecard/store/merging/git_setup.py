"""What a repository needs so that its branches merge well: an ignored `index.md`, and the driver of git.

Rules: docs/reference/merging.md.
"""

import os
import shlex

from ...basics.light_dataclass import dataclass
from ...errors import StoreError, WriteError
from ...files.folder import Folder, Unread
from ...files.open_folder import open_folder
from ...files.store_files import open_store
from ..trust.safe_git import SafeGit

INDEX = ".claude/memory/index.md"
# The file in the store that git reads, and the line that it gets.
IGNORE_FILE = ".gitignore"
IGNORE_LINE = "/index.md"
DRIVER = "merge.cuecard.driver"
DRIVER_NAME = "merge.cuecard.name"
# Git reads this file of each clone beside the `.gitattributes` that all clones have.
ATTRIBUTES = "attributes"
ATTRIBUTE_LINE = "**/.claude/memory/*/*.json merge=cuecard"
MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class GitSetup:
    """How a repository treats a store."""

    keeps_index: bool
    """Whether `index.md` is in git's index, so that it is committed."""
    ignores_index: bool
    """Whether git ignores an `index.md` that it does not know."""
    has_driver: bool
    """Whether this clone merges memories with the driver."""

    @property
    def forget_index(self) -> str:
        """The command by which git forgets `index.md`, and the file stays."""
        return f"git rm --cached {INDEX}"


def read_git_setup(root: str) -> GitSetup | None:
    """How the repository of a project treats its store; None without a repository or without git."""
    git = _open_git(root)
    if git is None:
        return None
    try:
        kept = git.run(["ls-files", "-z", "--", INDEX])
        # This command of git cannot take paths as literal; the path is ours, and has no magic.
        ignored = git.run(["--no-literal-pathspecs", "check-ignore", "--quiet", "--no-index", "--", INDEX])
        driver = git.run(["config", "--local", "--get", DRIVER])
    except StoreError:
        return None
    if kept.returncode:
        return None
    return GitSetup(bool(kept.stdout), ignored.returncode == 0, driver.returncode == 0)


def ignore_index(memory_dir: str) -> bool:
    """Write the line by which git ignores `index.md`. Returns whether it was missing. Raises WriteError."""
    try:
        with open_store(memory_dir, make=True) as store:
            return _add_line(store, IGNORE_FILE, IGNORE_LINE)
    except OSError as error:
        raise _not_written(os.path.join(memory_dir, IGNORE_FILE), IGNORE_LINE, error) from None


def register_driver(root: str, program: str) -> None:
    """Tell git, in this clone alone, to merge memories with `PROGRAM merge-file`. Raises StoreError, WriteError."""
    git = _open_git(root)
    if git is None:
        raise StoreError("this is no repository of git", "run `git init` first")
    command = f"{shlex.quote(program)} merge-file %O %A %B"
    for name, value in ((DRIVER_NAME, "memories of cuecard"), (DRIVER, command)):
        if git.run(["config", "--local", name, value]).returncode:
            raise WriteError("git's configuration of this clone cannot be written", f'git config {name} "{value}"')
    common = os.fsdecode(git.run(["rev-parse", "--git-common-dir"]).stdout.rstrip(b"\n"))
    place = os.path.join(git.folder, common)
    try:
        with open_folder(place) as folder, folder.make_folder("info") as info:
            _add_line(info, ATTRIBUTES, ATTRIBUTE_LINE)
    except OSError as error:
        raise _not_written(os.path.join(place, "info", ATTRIBUTES), ATTRIBUTE_LINE, error) from None


def _add_line(folder: Folder, name: str, line: str) -> bool:
    """Add a line to a file, which need not exist. Returns whether the line was missing. Raises OSError."""
    try:
        known = folder.read(name, MAX_BYTES)[0]
    except Unread as unread:
        if unread.words != Unread.MISSING:
            raise OSError(f"it {unread.words}") from None
        known = b""
    if line.encode() in known.splitlines():
        return False
    begin = known if not known or known.endswith(b"\n") else known + b"\n"
    folder.replace(name, begin + line.encode() + b"\n")
    return True


def _not_written(path: str, line: str, error: OSError) -> WriteError:
    return WriteError(f"`{path}` cannot be written: {error.strerror or error}", f"write the line `{line}` by hand")


def _open_git(root: str) -> SafeGit | None:
    try:
        git = SafeGit(root)
    except StoreError:
        return None
    return git if git.has_plain_files() else None
