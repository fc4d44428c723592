"""Repairs the memories that a merge of branches has left in conflict (docs/reference/merging.md)."""

from ..._backend import engine
from ...basics.category import FOLDERS
from ...basics.light_dataclass import dataclass, field
from ...errors import CuecardError, InputError
from ...files.store_files import StoreFiles
from ...files.trust_levels import OWN, REVIEWED, UNREVIEWED, grant
from ..derived.reindex import reindex
from ..records.record_file import Fields, decode, encode_to_fit
from ..trust.agent_view import levels_of_files
from ..writes.transaction import writing
from .conflicted import INDEX, Conflicted, find_conflicted, read_markers, tell_git
from .merge_records import merge_records

_CATEGORY_OF = dict(FOLDERS)


@dataclass
class Repaired:
    """What a repair has done; every list has paths from the project's folder."""

    merged: list[str] = field(default_factory=list)
    """Memories that were made of two versions."""
    kept: list[str] = field(default_factory=list)
    """Memories that one branch deleted and the other changed; they stay."""
    removed: list[str] = field(default_factory=list)
    """Memories that both branches deleted."""
    undecided: dict[str, list[str]] = field(default_factory=dict)
    """The fields that both branches changed, for each memory that has such fields."""
    left: dict[str, str] = field(default_factory=dict)
    """Files that cannot be merged, with the reason."""
    problems: list[str] = field(default_factory=list)

    def as_dict(self) -> Fields:
        """The members of `cuecard merge --json`."""
        return {name: getattr(self, name) for name in ("merged", "kept", "removed", "undecided", "left", "problems")}


def repair(root: str, memory_dir: str, *, is_dry_run: bool = False) -> Repaired:
    """Merge every memory of a store that is in conflict, and renew `index.md`, which can be stale after any merge.

    All of it is one write, which can be undone; git is told what was resolved. A file that cannot be read as two
    memories stays as it is. Raises StoreError, LockError and WriteError.
    """
    found = find_conflicted(root, memory_dir)
    repaired = Repaired()
    results: dict[str, bytes | None] = {}
    for conflict in found:
        if conflict.path == INDEX:
            continue
        if not _is_memory(conflict.path):
            repaired.left[conflict.path] = "it is no memory; resolve it by hand"
            continue
        try:
            results[conflict.path] = _resolve(conflict, repaired)
        except InputError as error:
            repaired.left[conflict.path] = str(error)
    if is_dry_run:
        return repaired
    with writing(root, memory_dir, "merge") as transaction:
        for conflict in found:
            data = results.get(conflict.path)
            if data is not None:
                transaction.write(
                    _CATEGORY_OF[conflict.path.split("/")[2]], conflict.path, decode(data, f"`{conflict.path}`")
                )
                _vouch(memory_dir, conflict, data)
    repaired.problems += transaction.problems
    repaired.problems += reindex(root, memory_dir).problems
    told = {each.path: results[each.path] for each in found if each.is_unmerged and each.path in results}
    if any(each.path == INDEX and each.is_unmerged for each in found):
        with StoreFiles(memory_dir) as files:
            told[INDEX] = files.read(INDEX)[0] if files.exists(INDEX) else None
    if told:
        tell_git(root, told)
    return repaired


def _is_memory(path: str) -> bool:
    """Whether a file lies where memories do. In the store there are also settings, and what others have put there."""
    parts = path.split("/")
    return len(parts) == 4 and parts[2] in _CATEGORY_OF and path.endswith(".json")


def _resolve(conflict: Conflicted, repaired: Repaired) -> bytes | None:
    """The bytes of the merged file; None for one that both sides deleted. Raises InputError."""
    if conflict.ours is None and conflict.theirs is None:
        repaired.removed.append(conflict.path)
        return None
    if conflict.ours is None or conflict.theirs is None:
        record = _read(conflict.ours or conflict.theirs or b"", conflict.path)
        repaired.kept.append(conflict.path)
        return encode_to_fit(record)
    sides = [_read(each, conflict.path) for each in (conflict.ours, conflict.theirs)]
    merged = merge_records(_base_of(conflict), *sides)
    repaired.merged.append(conflict.path)
    if merged.conflicts:
        repaired.undecided[conflict.path] = merged.conflicts
    return encode_to_fit(merged.record)


def _read(data: bytes, path: str) -> Fields:
    """A version of a memory. Where both branches rename a file, git itself puts markers into it. Raises InputError."""
    versions = read_markers(data)
    if versions is None:
        return decode(data, f"a version of `{path}`")
    base, *sides = versions
    ours, theirs = [decode(each, f"a version of `{path}`") for each in sides]
    for side in (ours, theirs):
        # Under each of the two names stands the version with that name.
        if ours.get("id") != theirs.get("id") and side.get("id") == path.rpartition("/")[2].removesuffix(".json"):
            return side
    common = decode(base, f"a version of `{path}`") if base is not None else None
    return merge_records(common, ours, theirs).record


def _base_of(conflict: Conflicted) -> Fields | None:
    """The version that both sides come from; None if it is not known or no memory."""
    try:
        return _read(conflict.base, conflict.path) if conflict.base is not None else None
    except CuecardError:
        return None


def _vouch(memory_dir: str, conflict: Conflicted, data: bytes) -> None:
    """Vouch for a merged memory if the user vouches for every version that it is made of."""
    levels = levels_of_files(memory_dir, [each for each in (conflict.ours, conflict.theirs) if each is not None])
    merged = engine.trust_hash(data)
    if merged is not None and UNREVIEWED not in levels:
        grant([merged], OWN if set(levels) == {OWN} else REVIEWED)
