"""The commands that bring branches together: `merge`, and git's driver `merge-file`."""

from ....errors import InputError
from ... import terminal
from ...arguments import argument, command, option
from ...parameters import AS_JSON, ROOT
from ...terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....store.merging.repair import Repaired


@command(option("--dry-run", help="Say what would be merged, and change nothing."), ROOT, AS_JSON)
def merge(dry_run: bool, root: str | None, as_json: bool) -> None:
    """Repair the memories that a merge of branches has left in conflict.

    The versions are taken from git's index, or from the conflict markers. Fields that one branch changed have its
    value, lists and histories are united, and a later retirement counts. Where both branches changed one field, the
    later value counts, and the other one is kept in the memory's `conflicts` until an update decides. `index.md` is
    written again. Nothing needs to be set up before. The exit status is 1 if a file is left.
    """
    from ....files.locate import locate
    from ....store.merging.repair import repair

    repaired = repair(*locate(root), is_dry_run=dry_run)
    if as_json:
        terminal.print_json({"dry_run": dry_run} | repaired.as_dict())
    else:
        _show(repaired, is_dry_run=dry_run)
    if repaired.left:
        raise SystemExit(1)


@command(
    argument("BASE", "The version that both come from (`%O`)."),
    argument("OURS", "Our version (`%A`); the result is written into it."),
    argument("THEIRS", "Their version (`%B`)."),
)
def merge_file(base: str, ours: str, theirs: str) -> None:
    """Merge two versions of a memory file, as a merge driver of git.

    `git config merge.cuecard.driver "cuecard merge-file %O %A %B"` and a line `.claude/memory/**/*.json merge=cuecard`
    in `.gitattributes` make git call it. It is for comfort only: `cuecard merge` repairs a merge afterwards. The exit
    status is 1 if a file is no memory; then git reports a conflict.
    """
    from pathlib import Path

    from ....store.merging.driver import decode_memory, read_version, refuse_kept_file
    from ....store.merging.merge_records import merge_records
    from ....store.records.record_file import decode, encode_to_fit

    refuse_kept_file(ours)
    versions = [read_version(path) for path in (base, ours, theirs)]
    try:
        common = decode(versions[0], "the common version")
    except InputError:
        common = None
    sides = [decode_memory(data, f"`{path}`") for path, data in ((ours, versions[1]), (theirs, versions[2]))]
    merged = merge_records(common, *sides)
    Path(ours).write_bytes(encode_to_fit(merged.record))


def _show(repaired: "Repaired", *, is_dry_run: bool) -> None:
    merged, kept = ("would merge", "would keep") if is_dry_run else ("merged", "kept")
    lines = [f"{merged}  {visible(path)}" for path in repaired.merged]
    lines += [f"{kept}  {visible(path)}: one branch deleted it, and the other changed it" for path in repaired.kept]
    lines += [f"left  {visible(path)}: {visible(reason)}" for path, reason in repaired.left.items()]
    terminal.print_lines(lines or ["unchanged  no memory is in conflict"])
    for path, fields in repaired.undecided.items():
        what = f"both branches changed {', '.join([f'`{visible(name)}`' for name in fields])} of `{visible(path)}`"
        terminal.report("note", what, "the later value counts; `cuecard show` has the other one under `conflicts`")
    for problem in repaired.problems:
        terminal.report("warning", problem)
