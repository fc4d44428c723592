"""Keeps the snapshot in step with a writer's changes, inside the writer's lock (SPEC 22.4, 23.4)."""

from .._backend import twin
from .._pure.category import FOLDERS
from ..errors import SegmentError
from .changes import Changes
from .files import StoreFiles
from .index_md import read_files
from .settings_files import read_effective_settings
from .snapshot_file import MISSING, UNSURE, Loaded, Project, build, compare_folder, open_snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._pure.settings import Numbers
    from .._pure.snapshot import Snapshot


def bring_up_to_date(project: Project, changes: Changes) -> Loaded:
    """The snapshot as it is after a writer's changes, with the bytes of the files to write; nothing is written.

    One that was in step costs what the changes cost, one that was not the listing of folders that are not, one that
    is missing, damaged or made with other settings the reading of every memory. Raises OSError.
    """
    numbers = read_numbers(project[1])
    watermark = [UNSURE if changed is None else changed or MISSING for changed in changes.settled_times()]
    found = open_snapshot(project[1], numbers)
    return (_update(project, found, changes, watermark) if found else None) or build_whole(project, numbers, watermark)


def build_whole(project: Project, numbers: "Numbers", watermark: list[int]) -> Loaded:
    """A snapshot of all memory files. Raises OSError where a folder cannot be listed: nothing of it must get lost."""
    loaded = build(project, numbers, watermark)
    if loaded is None:
        raise PermissionError("a folder of memories cannot be listed")
    return loaded


def read_numbers(memory_dir: str) -> "Numbers":
    """What the settings of a store say that impacts are to be made with; never raises."""
    return read_effective_settings(memory_dir).settings.numbers


def _update(project: Project, snapshot: "Snapshot", changes: Changes, watermark: list[int]) -> Loaded | None:
    """The snapshot with what changed; None where only a new build will do."""
    before = snapshot.watermark()
    if not changes and before == watermark:
        return Loaded(snapshot)
    changed: list[tuple[str, str]] = []
    removed: list[str] = []
    for place, (folder, category) in enumerate(FOLDERS):
        if before[place] == (changes.before[place] or MISSING):
            own = sorted([path for path in changes.paths if path.split("/")[-2] == folder])
            with StoreFiles(project[1]) as files:
                there = [files.exists(path) for path in own]
            changed += [(category, path) for path, is_there in zip(own, there, strict=True) if is_there]
            removed += [path for path, is_there in zip(own, there, strict=True) if not is_there]
            continue
        found = compare_folder(snapshot, project[1], folder)
        if found is None:
            return None
        changed += [(category, path) for path in found[0]]
        removed += found[1]
    try:
        updated = snapshot.update(read_files(*project, changed), removed, watermark, True)
    except SegmentError:
        return None
    if updated is None:
        return None
    base, delta, _skipped = updated
    loaded = Loaded(snapshot.with_delta(delta) if base is None else twin.Snapshot(base))
    loaded.base, loaded.delta = base, delta
    return loaded
