"""Finds the memory files of a store that a merge has left in conflict, with the versions of each.

The versions come from git's index, or from the conflict markers in the file where the index has none any more.
"""

import re

from ...basics.category import FOLDERS
from ...basics.light_dataclass import dataclass
from ...errors import StoreError
from ...files.store_files import MAX_RECORD_BYTES, StoreFiles, open_store
from ..trust.safe_git import SafeGit

STORE = ".claude/memory"
INDEX = f"{STORE}/index.md"
# `MODE HASH STAGE<TAB>PATH`, from the root of the repository.
_STAGE = re.compile(rb"\d{6} ([0-9a-f]{40,64}) ([123])\t(.*)", re.DOTALL)
# A line with a marker. Where a merge is in conflict within another one, git makes them longer.
_MARKER = re.compile(rb"(<{7,}|\|{7,}|={7,}|>{7,})(?:[ \r\n]|$)")
_BEGIN, _BASE, _MIDDLE, _END = b"<", b"|", b"=", b">"


@dataclass(frozen=True)
class Conflicted:
    """A file that is in conflict; a version is None where it does not exist or is not known."""

    path: str
    """The path from the project's folder."""
    base: bytes | None
    ours: bytes | None
    theirs: bytes | None
    is_unmerged: bool
    """Whether git's index has the versions, so that the result must be told to git."""


def find_conflicted(root: str, memory_dir: str) -> list[Conflicted]:
    """The files of a store that are in conflict, by path. Raises StoreError where git fails.

    Without git, or outside of a repository, only files with conflict markers are found.
    """
    found = {each.path: each for each in _unmerged(root)}
    with StoreFiles(memory_dir) as files, open_store(memory_dir) as store:
        paths = [INDEX] if store.kind("index.md") else []
        for folder, _category in FOLDERS:
            below = store.folder(folder) if store.kind(folder) else None
            if below is not None:
                paths += [f"{STORE}/{folder}/{each.name}" for each in below.scan() if each.name.endswith(".json")]
        for path in sorted(paths):
            if path in found:
                continue
            sides = read_markers(files.read_if_any(path) or b"")
            if sides is not None:
                found[path] = Conflicted(path, *sides, is_unmerged=False)
    return [found[path] for path in sorted(found)]


def read_markers(data: bytes) -> tuple[bytes | None, bytes, bytes] | None:
    """Base, ours and theirs of a file with conflict markers; None for a file without.

    Only git's `diff3` style has a base. Markers that do not belong together give None too.
    """
    if b"<<<<<<<" not in data:
        return None
    base: list[bytes] = []
    ours: list[bytes] = []
    theirs: list[bytes] = []
    place, begin, has_base, count = "", b"", False, 0
    for line in data.splitlines(keepends=True):
        found = _MARKER.match(line)
        mark = found[1][:1] if found and (not place or len(found[1]) == len(begin)) else b""
        if mark == _BEGIN and found and not place:
            place, begin, count = "ours", found[1], count + 1
        elif mark == _BASE and place == "ours":
            place, has_base = "base", True
        elif mark == _MIDDLE and place in ("ours", "base"):
            place = "theirs"
        elif mark == _END and place == "theirs":
            place = ""
        else:
            for name, side in (("base", base), ("ours", ours), ("theirs", theirs)):
                if place in ("", name):
                    side.append(line)
    if place or not count:
        return None
    return (b"".join(base) if has_base else None), b"".join(ours), b"".join(theirs)


def _unmerged(root: str) -> list[Conflicted]:
    try:
        git = SafeGit(root)
    except StoreError:
        return []
    if not git.has_plain_files():
        return []
    listed = git.run(["ls-files", "--unmerged", "-z", "--", STORE])
    stages: dict[str, dict[int, bytes]] = {}
    for entry in listed.stdout.split(b"\0") if listed.returncode == 0 else []:
        found = _STAGE.fullmatch(entry)
        if found:
            name = found[3].decode("utf-8", "surrogateescape")
            stages.setdefault(name, {})[int(found[2])] = _read_blob(git, found[1].decode())
    return [
        Conflicted(path, versions.get(1), versions.get(2), versions.get(3), is_unmerged=True)
        for path, versions in stages.items()
    ]


def _read_blob(git: SafeGit, name: str) -> bytes:
    size = git.run(["cat-file", "-s", name])
    if size.returncode or not size.stdout.strip().isdigit() or int(size.stdout) > MAX_RECORD_BYTES:
        raise StoreError("git has a version of a memory that is over 256 KiB or missing", "resolve it by hand")
    return git.run(["cat-file", "blob", name]).stdout


def tell_git(root: str, resolved: dict[str, bytes | None]) -> None:
    """Put resolved files into git's index, as `git add` does, without the filters that a repository can name.

    None stands for a file that is gone. Raises StoreError.
    """
    git = SafeGit(root)
    lines = []
    for path, data in resolved.items():
        name = path.encode("utf-8", "surrogateescape")
        prefix = git.run(["rev-parse", "--show-prefix"]).stdout.strip()
        lines.append(b"0 %s\t%s\0" % (b"0" * 40, prefix + name))
        if data is not None:
            written = git.run(["hash-object", "-w", "--no-filters", "--stdin"], stdin=data).stdout.strip()
            lines.append(b"100644 %s\t%s\0" % (written, prefix + name))
    told = git.run(["update-index", "-z", "--index-info"], stdin=b"".join(lines))
    if told.returncode:
        raise StoreError("git's index cannot be written", "run `git add` for the memories that were merged")
