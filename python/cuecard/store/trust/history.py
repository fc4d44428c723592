"""Reads the whole history of a store from Git's objects, to find who chose each version of a memory (SPEC 45.8).

Nothing here depends on what the repository's files say about its objects: each object is checked against its name, and
the parents of a commit are those that the commit itself names.
"""

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..._backend import engine
from ...errors import StoreError
from .safe_git import TIMEOUT_SECONDS, SafeGit

FOLDER = (b".claude", b"memory")
MAX_COMMITS = 50_000
# So many objects are read by one process, which may print `safe_git.MAX_OUTPUT_BYTES`. A memory has at most 256 KiB.
_BATCH = {"commit": 1000, "tree": 1000, "blob": 200}
_SHA1_CHARS = 40
_TREE = b"40000"
_FILES = (b"100644", b"100755")
_HINT = "choose memories by their ids instead"


@dataclass(frozen=True)
class Commit:
    """A commit, with its bytes."""

    name: str
    parents: tuple[str, ...]
    tree: str
    data: bytes


class History:
    """All commits that HEAD can be reached from, with the memory files that each of them has."""

    def __init__(self, git: SafeGit) -> None:
        """Read the history. Raises StoreError if it is not whole, or if it is too long."""
        check_whole(git)
        self._git = git
        self._deadline = time.monotonic() + TIMEOUT_SECONDS
        self._commits = _read_commits(git)
        # The category folders of the memory folder in each tree of a commit, and the memory files in each of them.
        self._categories: dict[str, dict[bytes, str]] = {}
        self._files: dict[str, dict[bytes, str]] = {}
        self._read_folders(_prefix_of(git))
        self._hashes = self._read_hashes()
        self._bases: dict[str, list[str]] = {}

    def choosers(self, path: str, trust_hash: str) -> list[Commit]:
        """Return the commits that chose this version of a file, which is in the store at `path`.

        A commit chose the version if it has it and its parent does not. A merge chose it if no parent has it, or if the
        common ancestors do not make it the version that Git would have merged. Empty if HEAD has another version.
        """
        name = os.fsencode(path.removeprefix(".claude/memory/"))
        head = next(iter(self._commits), "")
        if not head or self._hash_at(head, name) != trust_hash:
            return []
        return [
            commit
            for commit in self._commits.values()
            if self._hash_at(commit.name, name) == trust_hash and self._is_chosen(commit, name, trust_hash)
        ]

    def _is_chosen(self, commit: Commit, name: bytes, trust_hash: str) -> bool:
        others = [parent for parent in commit.parents if self._hash_at(parent, name) != trust_hash]
        if not others:
            return not commit.parents
        if len(commit.parents) != 2 or len(others) == 2:
            return True
        # Git takes the version of one side if the other side has the version of the common ancestors.
        bases = self._bases_of(commit)
        return any(self._hash_at(base, name) != self._hash_at(others[0], name) for base in bases)

    def _bases_of(self, merge: Commit) -> list[str]:
        """Return the best common ancestors of the two parents of a merge."""
        if merge.name not in self._bases:
            if time.monotonic() > self._deadline:
                raise StoreError(f"the history takes longer than {TIMEOUT_SECONDS:.0f} seconds to read", _HINT)
            first, second = [self._ancestors_of(parent) for parent in merge.parents]
            common = first & second
            below = {parent for name in common for parent in self._commits[name].parents}
            self._bases[merge.name] = sorted(common - below)
        return self._bases[merge.name]

    def _ancestors_of(self, name: str) -> set[str]:
        found, waiting = {name}, [name]
        while waiting:
            fresh = [parent for parent in self._commits[waiting.pop()].parents if parent not in found]
            found.update(fresh)
            waiting += fresh
        return found

    def _hash_at(self, commit: str, name: bytes) -> str:
        """Return the trust hash of a file at a commit; "" if the commit does not have the file."""
        category, _slash, file = name.partition(b"/")
        folder = self._categories[self._commits[commit].tree].get(category, "")
        return self._hashes.get(self._files.get(folder, {}).get(file, ""), "")

    def _read_hashes(self) -> dict[str, str]:
        """Return the trust hash of each version of each memory, by the name of its blob."""
        blobs = dict.fromkeys([blob for files in self._files.values() for blob in files.values()])
        return {blob: engine.trust_hash(data) or "" for blob, data in _read(self._git, list(blobs), "blob")}

    def _read_folders(self, prefix: tuple[bytes, ...]) -> None:
        """Read which memory files the tree of each commit has."""
        trees = dict.fromkeys([commit.tree for commit in self._commits.values()])
        reached = {tree: tree for tree in trees}
        for part in (*prefix, *FOLDER):
            entries = self._read_trees(reached.values())
            reached = {
                tree: found[0]
                for tree, at in reached.items()
                if (found := [one for mode, name, one in entries[at] if name == part and mode == _TREE])
            }
        folders = self._read_trees(reached.values())
        categories = {
            at: {name: one for mode, name, one in entries if mode == _TREE} for at, entries in folders.items()
        }
        self._categories = {tree: categories.get(reached.get(tree, ""), {}) for tree in trees}
        below = self._read_trees([one for found in categories.values() for one in found.values()])
        self._files = {
            at: {name: one for mode, name, one in found if mode in _FILES and name.endswith(b".json")}
            for at, found in below.items()
        }

    def _read_trees(self, names: Iterable[str]) -> dict[str, list[tuple[bytes, bytes, str]]]:
        """Return the entries of trees: mode, name, and the name of the object."""
        wanted = list(dict.fromkeys(names))
        return {name: _entries_of(data, len(name) // 2) for name, data in _read(self._git, wanted, "tree")}


def check_whole(git: SafeGit) -> None:
    """Raise StoreError if Git does not have the whole history, or if files say that it differs from its objects."""
    if os.path.islink(os.path.join(_ask(git, "rev-parse", "--show-toplevel"), ".git")):
        raise _refusal("`.git` is a link")
    for name, why in (
        ("shallow", "the clone is shallow (`git fetch --unshallow` completes it)"),
        ("info/grafts", "the history is grafted (`info/grafts`)"),
        ("objects/info/alternates", "objects of another repository are used (`objects/info/alternates`)"),
    ):
        if os.path.lexists(os.path.join(git.folder, _ask(git, "rev-parse", "--git-path", name))):
            raise _refusal(why)
    if _ask(git, "rev-parse", "--is-shallow-repository") != "false":
        raise _refusal("the clone is shallow (`git fetch --unshallow` completes it)")
    if _ask(git, "for-each-ref", "--count=1", "refs/replace/"):
        raise _refusal("objects of the history are replaced (`refs/replace`)")


def _refusal(why: str) -> StoreError:
    return StoreError(f"signatures do not count here, because {why}", f"use a whole clone, or {_HINT}")


def _ask(git: SafeGit, *arguments: str) -> str:
    done = git.run(arguments)
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise StoreError(f"git cannot read the history: {words.removeprefix('fatal: ')[:200]}", _HINT)
    return os.fsdecode(done.stdout).rstrip("\n")


def _prefix_of(git: SafeGit) -> tuple[bytes, ...]:
    """Return the folders from the root of the repository down to the project."""
    return tuple([part for part in os.fsencode(_ask(git, "rev-parse", "--show-prefix")).split(b"/") if part])


def _read_commits(git: SafeGit) -> dict[str, Commit]:
    """Return all commits of the history by their names, HEAD first."""
    names = _ask(git, "rev-list", f"--max-count={MAX_COMMITS + 1}", "HEAD", "--").split()
    if len(names) > MAX_COMMITS:
        raise StoreError(f"the history has more than {MAX_COMMITS} commits", _HINT)
    found = {name: _commit_of(name, data) for name, data in _read(git, names, "commit")}
    missing = {parent for commit in found.values() for parent in commit.parents} - found.keys()
    if missing:
        raise _refusal(f"git does not have the whole history: commit `{min(missing)[:12]}` is not in it")
    return found


def _commit_of(name: str, data: bytes) -> Commit:
    lines = data.partition(b"\n\n")[0].split(b"\n")
    tree = [line[5:] for line in lines[:1] if line.startswith(b"tree ")]
    parents = []
    for line in lines[1:]:
        if not line.startswith(b"parent "):
            break
        parents.append(line[7:].decode("ascii", "replace"))
    if not tree:
        raise _refusal(f"commit `{name[:12]}` cannot be read")
    return Commit(name, tuple(parents), tree[0].decode("ascii", "replace"), data)


def _read(git: SafeGit, names: list[str], kind: str) -> Iterator[tuple[str, bytes]]:
    """Yield objects with their names. Raises StoreError if one is missing, or has another hash or kind."""
    for begin in range(0, len(names), _BATCH[kind]):
        batch = names[begin : begin + _BATCH[kind]]
        done = git.run(["cat-file", "--batch"], stdin="".join([f"{name}\n" for name in batch]).encode())
        place = 0
        for name in batch:
            end = done.stdout.find(b"\n", place)
            words = done.stdout[place:end].split() if end >= 0 else []
            if len(words) != 3 or words[1] != kind.encode():
                raise _refusal(f"git does not have the whole history: {kind} `{name[:12]}` is missing")
            data = done.stdout[end + 1 : end + 1 + int(words[2])]
            digest = hashlib.new("sha1" if len(name) == _SHA1_CHARS else "sha256", usedforsecurity=False)
            digest.update(b"%s %d\0" % (kind.encode(), len(data)) + data)
            if digest.hexdigest() != name:
                raise _refusal(f"{kind} `{name[:12]}` is damaged or forged")
            yield name, data
            place = end + 2 + len(data)


def _entries_of(tree: bytes, digest_bytes: int) -> list[tuple[bytes, bytes, str]]:
    entries, place = [], 0
    while place < len(tree):
        end = tree.index(b"\0", place)
        mode, _blank, name = tree[place:end].partition(b" ")
        place = end + 1 + digest_bytes
        entries.append((mode, name, tree[end + 1 : place].hex()))
    return entries
