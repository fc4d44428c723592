"""A team's memories in a git repository that is laid out as a store.

The folder that is kept on this machine has git's objects and no checkout. A push makes a commit from them and an index
of its own, so no attribute, filter or hook of the repository has a part in it.
"""

import hashlib
import os
import random
import time
from collections.abc import Iterable, Sequence

from ..basics.category import FOLDERS
from ..errors import StoreError, SyncError
from ..files.store_files import MAX_RECORD_BYTES
from ..store.records.record_file import content_hash
from .remote import PAGE, Change, Cursor, Pulled, Pushed, RemoteScope, Resync
from .team_git import FETCH_SECONDS, TeamGit, failure, receive_options
from .urls import name_of

STORE = ".claude/memory"
DEFAULT_BRANCH = "main"
TRIES = 8
MAX_FILES = 200_000
_BATCH = 200
_FILES = ("100644", "100755")
_SHA256_CHARS = 64
# What git says if somebody else has pushed meanwhile, and nothing else is wrong.
_OVERTAKEN = (
    b"fetch first",
    b"non-fast-forward",
    b"stale info",
    b"cannot lock ref",
    b"incorrect old value",
    b"failed to update ref",
    b"reference already exists",
)
# The blob of each memory file in a commit, by `FOLDER/NAME`.
Tree = dict[str, str]


class GitRemote:
    """One branch of a git repository. The repository has one scope, whose name is made from the URL."""

    def __init__(self, url: str, folder: str, branch: str = "") -> None:
        """`folder` is where git's objects are kept; `branch` is by default the repository's own."""
        self._url = url
        self._folder = folder
        self._branch = branch
        self._git: TeamGit | None = None
        # The last commit of the branch that is known to be on this machine.
        self._here = ""

    def close(self) -> None:
        """Nothing stays open."""

    def scopes(self) -> list[RemoteScope]:
        """The one scope of the repository; the forge decides what the user may do."""
        self._open()
        return [RemoteScope(name_of(self._url) or "team", "")]

    def pull(self, scope: str, cursor: Cursor | None, limit: int = PAGE) -> Pulled | Resync:
        """Fetch the branch, and compare it with the commit that was read last; all changes come at once."""
        git = self._open()
        head = self._fetch(git)
        if head == "":
            found = None if cursor is None or cursor.counter == 0 else Resync("the repository is empty now")
            return found or Pulled([], Cursor("", 0, ""), is_last=True)
        if cursor is not None and cursor.head == head:
            return Pulled([], cursor, is_last=True)
        now = Cursor(self._epoch_of(git, head), int(git.ask_line("rev-list", "--count", head, "--")), head)
        before: Tree = {}
        if cursor is not None and cursor.counter:
            if not _is_name(cursor.head) or git.run(["merge-base", "--is-ancestor", cursor.head, head]).returncode:
                return Resync("the repository no longer has the commit that was read last")
            before = _read_tree(git, cursor.head)
        after = _read_tree(git, head)
        changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
        data = _read_blobs(git, [after[path] for path in changed if path in after])
        return Pulled([Change(path, data.get(after.get(path, ""))) for path in changed], now, is_last=True)

    def push(self, scope: str, changes: Sequence[Change]) -> Pushed:
        """Commit the changes on top of the branch and push it; if somebody was faster, do it again on top of theirs."""
        git = self._open()
        for tried in range(TRIES):
            head = self._fetch(git)
            tree = _read_tree(git, head) if head else {}
            there = _read_blobs(git, [tree[change.path] for change in changes if change.path in tree])
            pushed = Pushed()
            wanted = []
            for change in changes:
                current = there.get(tree.get(change.path, ""))
                if current == change.data:
                    pushed.accepted.append(change.path)
                elif (content_hash(current) if current is not None else "") == change.expected:
                    wanted.append(change)
                else:
                    pushed.conflicts[change.path] = current
            if not wanted or self._send(git, head, wanted):
                pushed.accepted += [change.path for change in wanted]
                return pushed
            time.sleep(random.uniform(0, 0.1 * (tried + 1)))
        raise SyncError("others have pushed to the repository all the time", "try again later; nothing is lost")

    def _open(self) -> TeamGit:
        """Git in the folder of the repository, which is created if it is missing."""
        if self._git is None:
            try:
                os.makedirs(self._folder, mode=0o700, exist_ok=True)
                git = TeamGit(self._folder)
                if not os.path.isdir(os.path.join(self._folder, ".git")):
                    self._make(git)
            except StoreError as error:
                raise SyncError(error.what, "install git") from error
            except OSError as error:
                raise SyncError(f"`{self._folder}` cannot be used: {error.strerror or error}") from error
            self._branch = self._branch or self._default_branch(git)
            # What reads the history of a store looks at HEAD.
            git.ask("symbolic-ref", "HEAD", self._ref)
            self._here = git.ask_line("for-each-ref", "--format=%(objectname)", self._ref)
            self._git = git
        return self._git

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self._branch}"

    def _make(self, git: TeamGit) -> None:
        """Make an empty repository whose objects have the same kind of name as those of the team's."""
        names = git.ask("ls-remote", "--", self._url).split()
        form = "sha256" if names and len(names[0]) == _SHA256_CHARS else "sha1"
        git.ask("init", "--quiet", "--template=", f"--object-format={form}", f"--initial-branch={DEFAULT_BRANCH}")

    def _default_branch(self, git: TeamGit) -> str:
        for line in git.ask("ls-remote", "--symref", "--", self._url, "HEAD").decode("utf-8", "replace").splitlines():
            if line.startswith("ref: refs/heads/"):
                return line.removeprefix("ref: refs/heads/").partition("\t")[0]
        return DEFAULT_BRANCH

    def _fetch(self, git: TeamGit) -> str:
        """Fetch the branch; returns the name of its last commit, "" for a repository without the branch."""
        listed = git.ask("ls-remote", "--", self._url, self._ref).decode("utf-8", "replace").splitlines()
        # Git also lists branches whose names end like this one.
        heads = [line.partition("\t")[0] for line in listed if line.endswith(f"\t{self._ref}")]
        if not heads:
            return ""
        if heads[0] != self._here:
            options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--force", "--update-head-ok"]
            done = git.run(["fetch", *options, "--", self._url, f"+{self._ref}:{self._ref}"], timeout=FETCH_SECONDS)
            if done.returncode:
                raise failure(done.stderr)
            self._here = git.ask_line("rev-parse", "--verify", self._ref)
        return self._here

    @staticmethod
    def _epoch_of(git: TeamGit, head: str) -> str:
        """The name of the first commit of the history; of several roots the least."""
        return min(git.ask_line("rev-list", "--max-parents=0", head, "--").split())

    def _send(self, git: TeamGit, head: str, changes: list[Change]) -> bool:
        """Push a commit with the changes; False if somebody else has pushed since `head`. Raises SyncError."""
        commit = self._commit(git, head, changes)
        options = ["--porcelain", "--no-verify", *receive_options(self._url)]
        done = git.run(["push", *options, "--", self._url, f"{commit}:{self._ref}"], timeout=FETCH_SECONDS)
        if done.returncode == 0:
            git.ask("update-ref", self._ref, commit)
            self._here = commit
            return True
        if any(words in done.stdout + done.stderr for words in _OVERTAKEN):
            return False
        refused = [line for line in done.stdout.split(b"\n") if line.startswith(b"!")]
        if refused:
            words = refused[0].rpartition(b"[")[2].decode("utf-8", "replace").replace("]", ":", 1)
            hint = "you may lack the right to push to this branch; ask who administers the repository"
            raise SyncError(f"the repository refuses the push: {words[:200]}", hint)
        raise failure(done.stderr)

    def _commit(self, git: TeamGit, head: str, changes: list[Change]) -> str:
        """Make a commit of the changes on top of `head` and return its name."""
        apart = git.at(self._folder)
        apart.index = os.path.join(self._folder, ".git", f"cuecard-index-{os.getpid()}")
        try:
            apart.ask("read-tree", *([head] if head else ["--empty"]))
            apart.ask("update-index", "-z", "--index-info", stdin=_write_blobs(apart, changes))
            tree = apart.ask_line("write-tree")
        finally:
            for left in (apart.index, f"{apart.index}.lock"):
                if os.path.exists(left):
                    os.remove(left)
        signs = git.run(["config", "--type=bool", "--get", "commit.gpgSign"]).stdout.strip() == b"true"
        options = [*(["-p", head] if head else []), *(["-S"] if signs else [])]
        return apart.ask_line(*_author(git), "commit-tree", *options, tree, stdin=_message_of(changes).encode())


def _write_blobs(git: TeamGit, changes: list[Change]) -> bytes:
    """Write the files of changes into git's objects; returns what `update-index` reads."""
    form = "sha256" if git.ask_line("rev-parse", "--show-object-format") == "sha256" else "sha1"
    lines, blobs = [], []
    for change in changes:
        name = f"{STORE}/{change.path}".encode()
        if change.data is None:
            lines.append(b"0 %s\t%s\0" % (b"0" * (_SHA256_CHARS if form == "sha256" else 40), name))
            continue
        size = len(change.data)
        blobs.append(b"blob\ndata %d\n%b\n" % (size, change.data))
        digest = hashlib.new(form, b"blob %d\0" % size + change.data, usedforsecurity=False).hexdigest()
        lines.append(b"100644 %s\t%s\0" % (digest.encode(), name))
    if blobs:
        # One process for all of them.
        git.ask("fast-import", "--quiet", stdin=b"".join(blobs))
    return b"".join(lines)


def _author(git: TeamGit) -> list[str]:
    """Settings for a user who has not told git a name."""
    if git.run(["config", "--get", "user.email"]).returncode == 0:
        return []
    return ["-c", "user.name=cuecard", "-c", "user.email=cuecard@localhost"]


def _message_of(changes: list[Change]) -> str:
    if len(changes) == 1:
        return f"memory: {'remove' if changes[0].data is None else 'share'} {changes[0].path}\n"
    return "\n".join([f"memory: share {len(changes)} memories", "", *[change.path for change in changes[:100]], ""])


def _is_name(text: str) -> bool:
    return len(text) in (40, _SHA256_CHARS) and set(text) <= set("0123456789abcdef")


def _read_tree(git: TeamGit, commit: str) -> Tree:
    """The memory files in a commit. Files of another kind or in another place are no memories."""
    found: Tree = {}
    folders = [f"{STORE}/{folder}/" for folder, _category in FOLDERS]
    listed = git.ask("ls-tree", "-r", "-z", "--full-tree", commit, "--", *folders)
    for entry in listed.split(b"\0"):
        about, _tab, name = entry.partition(b"\t")
        words = about.decode("ascii", "replace").split()
        path = name.decode("utf-8", "replace").removeprefix(f"{STORE}/")
        if len(words) == 3 and words[0] in _FILES and path.endswith(".json") and path.count("/") == 1:
            found[path] = words[2]
    if len(found) > MAX_FILES:
        raise SyncError(f"the repository has more than {MAX_FILES} memories", "divide it among several teams")
    return found


def _read_blobs(git: TeamGit, names: Iterable[str]) -> dict[str, bytes]:
    """The bytes of blobs; of one that is too large for a memory, so much that it is recognised as too large."""
    wanted = list(dict.fromkeys(names))
    found: dict[str, bytes] = {}
    for begin in range(0, len(wanted), _BATCH):
        batch = wanted[begin : begin + _BATCH]
        asked = "".join([f"{name}\n" for name in batch]).encode()
        sizes = git.ask("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked)
        small = []
        for line in sizes.decode("ascii", "replace").splitlines():
            name, _blank, size = line.partition(" ")
            if size.isdigit() and int(size) <= MAX_RECORD_BYTES:
                small.append(name)
            else:
                found[name] = b" " * (MAX_RECORD_BYTES + 1)
        out = git.ask("cat-file", "--batch", stdin="".join([f"{name}\n" for name in small]).encode()) if small else b""
        place = 0
        for name in small:
            end = out.index(b"\n", place)
            size_of = int(out[place:end].split()[2])
            found[name] = out[end + 1 : end + 1 + size_of]
            place = end + 2 + size_of
    return found
