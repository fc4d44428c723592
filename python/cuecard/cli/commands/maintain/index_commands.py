"""The commands that maintain a store: `index`, `health`, `gc`."""

from ....basics.counted import counted
from ....files.locate import locate
from ....store.trust.agent_text import mark_index_line
from ... import terminal
from ...arguments import argument, command, option
from ...parameters import AS_JSON, ROOT
from ...show.trust_marks import Marks

REBUILD = "`cuecard index rebuild` brings index.md up to date"


@command(ROOT, AS_JSON)
def rebuild_index(root: str | None, as_json: bool) -> None:
    """Rebuild index.md and the snapshot from the memory files."""
    from ....api import Store

    store = Store(root)
    done = store.index()
    if as_json:
        left_out = [{"path": path, "reason": reason} for path, reason in done.skipped]
        terminal.print_json(
            {
                "root": store.root,
                "lines": done.lines,
                "memories": done.documents,
                "left_out": left_out,
                "notes": done.problems,
            }
        )
        return
    for path, reason in done.skipped:
        terminal.report("warning", f"`{path}` is not in the index: {reason}")
    for problem in done.problems:
        terminal.report("warning", problem)
    if done.lines:
        memories = counted(done.documents, "memory", "memories")
        terminal.print_lines([f"index.md has {counted(done.lines, 'line')}, the snapshot {memories}"])
    else:
        from ....store.derived.health import BEGIN

        terminal.report("note", "no memory is active: index.md has nothing to list", BEGIN)


@command(ROOT, AS_JSON)
def validate_index(root: str | None, as_json: bool) -> int:
    """Compare index.md and the snapshot with the memory files; the exit status is 1 if index.md differs.

    The exit status is also 1 if the snapshot is damaged, or a file has the conflict markers of a merge. It is 0 if the
    snapshot is only outdated, because the next prompt updates it.
    """
    from ....store.derived.health import BEGIN, MERGE, inspect
    from ...show import show_health

    folder, memory_dir = locate(root)
    health = inspect(folder, memory_dir)
    if as_json:
        terminal.print_json(
            {
                "root": folder,
                "index": show_health.index_document(health),
                "snapshot": show_health.snapshot_document(health.snapshot),
            }
        )
    else:
        terminal.print_lines(show_health.mismatch_lines(health))
        for line, reason in health.bad_lines:
            terminal.report("warning", f"line {line} of index.md cannot be read ({reason})")
        for path in health.conflicted:
            terminal.report("error", f"`{terminal.visible(path)}` has the conflict markers of a merge", MERGE)
        if health.index_problem:
            hint = BEGIN if health.has_nothing_to_list else REBUILD
            terminal.report("error", f"index.md {health.index_problem}", hint)
        elif not health.is_in_step:
            terminal.report("error", "index.md does not match the memories", REBUILD)
        elif not health.conflicted:
            terminal.print_lines([f"index.md is valid: {counted(health.lines, 'line')}"])
        words = f"snapshot: {health.snapshot.words}"
        if health.snapshot.state == "damaged":
            terminal.report("error", words, show_health.REBUILD_SNAPSHOT)
        elif health.is_in_step:
            terminal.print_lines([words])
    return 0 if health.is_in_step and not health.conflicted and health.snapshot.state != "damaged" else 1


@command(argument("TEXT", "Part of a line, in any case."), ROOT, AS_JSON)
def query_index(text: str, root: str | None, as_json: bool) -> None:
    """Show the lines of index.md that contain TEXT."""
    from ....store.derived.index_query import query

    folder, memory_dir = locate(root)
    lines, notes = query(folder, memory_dir, text)
    marks = Marks.of_store(folder, memory_dir)
    if as_json:
        listed = marks.clean([line.as_dict() for line in lines])
        terminal.print_json({"query": text, "root": folder, "lines": listed, "notes": notes})
        return
    terminal.print_lines([mark_index_line(terminal.visible(line.text), marks[line.path]) for line in lines])
    for note in notes:
        terminal.report("warning", note)
    if not lines:
        terminal.report("note", f"nothing found: no line of index.md contains `{text}`" if text else "nothing asked")


@command(ROOT, AS_JSON, option("--quarantine", help="Rename damaged files to NAME.invalid.SECONDS."))
def health(root: str | None, as_json: bool, quarantine: bool) -> None:
    """Count the memories, and say what needs attention."""
    from ....capture.inbox import read_inbox
    from ....store.derived.health import inspect
    from ...show import show_health

    folder, memory_dir = locate(root)
    found = inspect(folder, memory_dir)
    set_aside: dict[str, str] = {}
    failures: list[str] = []
    if quarantine and found.damaged:
        from ....store.writes.isolate import isolate

        set_aside, failures = isolate(folder, memory_dir, found.damaged)
        found = inspect(folder, memory_dir)
    marks = Marks.of_store(folder, memory_dir)
    waiting = len(read_inbox(memory_dir))
    if as_json:
        document = {**show_health.as_document(folder, found, set_aside, failures), "drafts_waiting": waiting}
        terminal.print_json(marks.clean(document))
        return
    show_health.show(found, set_aside, marks)
    if waiting:
        words = counted(waiting, "draft waits", "drafts wait")
        terminal.report("note", words, "`cuecard review` lists, accepts and rejects them")
    for failure in failures:
        terminal.report("warning", failure)


@command(ROOT, option("--dry-run", help="Show what would be deleted or retired, and change nothing."), AS_JSON)
def gc(root: str | None, dry_run: bool, as_json: bool) -> None:
    """Delete memories whose retirement is past the grace period.

    Also retires the oldest session summaries if there are more than `categories.session_summary.max_retained`.
    """
    from ....api import Store
    from ...show import show_collection

    store = Store(root)
    # Read the marks first: deleted memories cannot be read afterwards.
    marks = Marks.of_store(*store.project)
    collection = store.gc(dry_run=dry_run)
    if as_json:
        terminal.print_json(marks.clean(show_collection.as_document(store.root, collection)))
    else:
        show_collection.show(collection)
