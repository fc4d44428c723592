"""Shows what `gc` has deleted or retired, as lines or as a document."""

from ...basics.counted import counted
from ...cli import terminal
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.writes.collect import Collection


def show(collection: "Collection") -> None:
    """Print a line for each memory that was or would be deleted or retired. Report damaged files on standard error."""
    verb = "would delete" if collection.is_dry_run else "deleted"
    terminal.print_lines(
        [
            f"{verb} {visible(expired.path)} (retired {counted(expired.age_days, 'day')} ago)"
            for expired in collection.expired
        ]
    )
    verb = "would retire" if collection.is_dry_run else "retired"
    terminal.print_lines([f"{verb} {visible(one.path)} (too many session summaries)" for one in collection.exceeding])
    for path, reason in collection.skipped:
        terminal.report("warning", f"`{path}` stays: {reason}")
    for path, reason in collection.damaged:
        terminal.report("warning", f"`{path}` is damaged and left alone: {reason}")
    for note in collection.notes:
        terminal.report("warning", note)
    grace = counted(collection.grace_days, "day")
    if not collection.expired and not collection.exceeding:
        terminal.report("note", f"no memory has been retired for {grace} or more")
    elif collection.is_dry_run:
        terminal.report(
            "note", f"nothing was deleted or retired; the grace period is {grace}", "run it without `--dry-run`"
        )


def as_document(root: str, collection: "Collection") -> dict[str, object]:
    """The result of `gc` as an object for `--json`."""
    expired = [
        {"path": expired.path, "title": expired.title, "age_days": expired.age_days} for expired in collection.expired
    ]
    exceeding = [{"path": one.path, "title": one.title} for one in collection.exceeding]
    return {
        "root": root,
        "grace_days": collection.grace_days,
        "dry_run": collection.is_dry_run,
        "deleted": [] if collection.is_dry_run else expired,
        "would_delete": expired if collection.is_dry_run else [],
        "retired": [] if collection.is_dry_run else exceeding,
        "would_retire": exceeding if collection.is_dry_run else [],
        "skipped": [{"path": path, "reason": reason} for path, reason in collection.skipped],
        "damaged": [{"path": path, "reason": reason} for path, reason in collection.damaged],
        "notes": collection.notes,
    }
