"""Shows a store's health as a page for people, as lines for pipes, or as a document for programs."""

from ...basics.counted import counted
from ...cli import terminal
from ...store.derived.health import BEGIN, MERGE, REBUILD_REST
from ...store.trust.agent_text import name_of_file
from ..terminal import visible
from .trust_marks import Marks, shown_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.derived.health import Health
    from ...store.derived.snapshot_health import SnapshotHealth
    from ...store.records.memory_file import MemoryFile

# How many entries of a section are shown on a terminal; pipes and `--json` get all entries.
SHOWN_ENTRIES = 10
REBUILD = "`cuecard index rebuild` brings index.md up to date"
REBUILD_SNAPSHOT = "`cuecard index rebuild` rebuilds it"
QUARANTINE = "fix them, or set them aside with `cuecard health --quarantine`"

# The style of a line, and its text.
ReportLine = tuple[str, str]


def show(health: "Health", set_aside: dict[str, str], marks: Marks) -> None:
    """Print the verdict, counts, the memories and files that need attention, and the files that were renamed."""
    is_person = terminal.is_person_watching()
    sections = _sections(health, set_aside, marks)
    lines = [line for section in sections for line in [*_cut(section, SHOWN_ENTRIES if is_person else None), ("", "")]]
    if is_person:
        from rich.text import Text

        terminal.show(Text("\n").join([Text(words, style) for style, words in lines[:-1]]))
    else:
        terminal.print_lines([words for _style, words in lines[:-1]])


def as_document(root: str, health: "Health", set_aside: dict[str, str], failures: list[str]) -> dict[str, object]:
    """The health of a store as an object for `--json`."""
    return {
        "root": root,
        "health": _verdict(health),
        "reasons": health.reasons,
        "active": health.active,
        "categories": health.counts,
        "retired": health.retired,
        "archived": health.archived,
        "heavily_updated": [
            {**_memory_document(memory), "times_updated": memory.times_updated} for memory in health.heavily_updated
        ],
        "recently_retired": [
            {**_memory_document(memory), "age_days": days} for memory, days in health.recently_retired
        ],
        "index": index_document(health),
        "snapshot": snapshot_document(health.snapshot),
        "damaged": [{"path": _file(path), "reason": reason} for path, reason in health.damaged],
        "conflicted": [_file(path) for path in health.conflicted],
        "unfit": [{"path": _file(path), "reason": reason} for path, reason in health.unfit],
        "unknown": [_file(path) for path in health.unknown],
        "aside": [_file(path) for path in health.aside],
        "set_aside": set_aside,
        "notes": failures,
    }


def index_document(health: "Health") -> dict[str, object]:
    """The state of the index as an object for `--json`: how it differs from the memories."""
    return {
        "problem": f"index.md {health.index_problem}" if health.index_problem else None,
        "is_valid": health.is_in_step and not health.conflicted,
        "lines": health.lines,
        "memories": health.active,
        "unlisted": health.unlisted,
        "conflicted": [_file(path) for path in health.conflicted],
        "stale": [{"line": stale.line, "path": stale.path, "reason": stale.reason} for stale in health.stale],
        "bad_lines": [{"line": line, "reason": reason} for line, reason in health.bad_lines],
    }


def snapshot_document(snapshot: "SnapshotHealth") -> dict[str, object]:
    """The state of the snapshot as an object for `--json`."""
    return {
        "state": snapshot.state,
        "problem": snapshot.reason or None,
        "memories": snapshot.documents,
        "bytes": snapshot.bytes,
        "delta_bytes": snapshot.delta_bytes,
        "behind": snapshot.behind,
    }


def mismatch_lines(health: "Health") -> list[str]:
    """A line with `+` for each memory that the index lacks, and one with `-` for each index line to remove."""
    return [
        *[f"+ {_file(path)}" for path in health.unlisted],
        *[f"- {_file(stale.path)} (line {stale.line} {stale.reason})" for stale in health.stale],
    ]


def _memory_document(memory: "MemoryFile") -> dict[str, object]:
    return {"category": memory.category, "title": memory.title, "path": memory.path}


def _verdict(health: "Health") -> str:
    return "NEEDS ATTENTION" if health.reasons else "GOOD"


def _sections(health: "Health", set_aside: dict[str, str], marks: Marks) -> list[list[ReportLine]]:
    """The sections of the page; each begins with a heading and may end with a hint."""
    sections = [_summary(health), _memories(health)]
    if health.heavily_updated:
        entries = [f"{memory.times_updated:>5} times  {_name(memory, marks)}" for memory in health.heavily_updated]
        sections.append(
            [("bold", "updated very often"), *_entries(entries), _hint("split memories that have two subjects")]
        )
    if health.recently_retired:
        entries = [f"{_age(days):>11}  {_name(memory, marks)}" for memory, days in health.recently_retired]
        sections.append([("bold", "retired in the last 7 days"), *_entries(entries)])
    sections.append(_index(health))
    sections.append(_snapshot(health.snapshot))
    if health.conflicted:
        entries = [f"  {_file(path)}" for path in health.conflicted]
        sections.append([("bold", "with the conflict markers of a merge"), *_entries(entries), _hint(MERGE)])
    if health.only_damaged:
        entries = [f"  {_file(path)}: {reason}" for path, reason in health.only_damaged]
        sections.append([("bold", "damaged files"), *_entries(entries), _hint(QUARANTINE)])
    if health.unfit:
        entries = [f"  {_file(path)}: {visible(reason)}" for path, reason in health.unfit]
        heading = "recalled, but not valid by the schema of their category"
        sections.append([("bold", heading), *_entries(entries), _hint("fix them, best before the next update")])
    if health.unknown:
        entries = [f"  {_file(path)}" for path in health.unknown]
        sections.append([("bold", "not memory files"), *_entries(entries), _hint("cuecard does not read them")])
    if health.aside:
        entries = [f"  {_file(path)}" for path in health.aside]
        hint = "fix them and give them their names back, or delete them"
        sections.append([("bold", "invalid files that were renamed earlier"), *_entries(entries), _hint(hint)])
    if set_aside:
        entries = [f"  {_file(old)} -> {_file(new.rpartition('/')[2])}" for old, new in set_aside.items()]
        sections.append([("bold", "invalid files that were renamed now"), *_entries(entries)])
    return sections


def _summary(health: "Health") -> list[ReportLine]:
    style = "bold yellow" if health.reasons else "bold green"
    return [(style, f"health: {_verdict(health)}"), *[("", f"  {reason}") for reason in health.reasons]]


def _memories(health: "Health") -> list[ReportLine]:
    inactive = [f"{health.retired} retired"] * bool(health.retired) + [f"{health.archived} archived"] * bool(
        health.archived
    )
    heading = f"memories: {', '.join([f'{health.active} active', *inactive])}"
    return [("bold", heading), *[("", f"{count:>5}  {visible(name)}") for name, count in health.counts.items()]]


def _index(health: "Health") -> list[ReportLine]:
    if health.has_nothing_to_list or (health.is_in_step and not health.active):
        return [("bold", "the project has no memory of its own that a prompt could find"), _hint(BEGIN)]
    if health.index_problem:
        return [("bold", f"index.md {health.index_problem}"), _hint(REBUILD)]
    if health.is_in_step:
        return [("bold", f"index.md: in step, {counted(health.lines, 'line')}")]
    words = []
    if health.unlisted:
        words.append(f"{len(health.unlisted)} missing from it")
    if health.stale:
        words.append(f"{len(health.stale)} to be removed from it")
    entries = [f"  {line}" for line in mismatch_lines(health)]
    return [("bold", f"index.md: {', '.join(words)}"), *_entries(entries), _hint(REBUILD)]


def _snapshot(snapshot: "SnapshotHealth") -> list[ReportLine]:
    words = f"snapshot: {visible(snapshot.words)}"
    if snapshot.state == "in step":
        words += f", {_size(snapshot.bytes)}"
        words += f" and a delta of {_size(snapshot.delta_bytes)}" if snapshot.delta_bytes else ""
    hints = {"damaged": REBUILD_SNAPSHOT, "partial": REBUILD_REST}
    return [("bold", words), *([_hint(hints[snapshot.state])] if snapshot.state in hints else [])]


def _entries(entries: list[str]) -> list[ReportLine]:
    return [("", entry) for entry in entries]


def _hint(words: str) -> ReportLine:
    return "cyan", f"  hint: {words}"


def _name(memory: "MemoryFile", marks: Marks) -> str:
    return f"[{visible(memory.category)}] {shown_title(memory.title, marks[memory.path])}"


def _file(path: str) -> str:
    """The path of a file that a repository may have named."""
    return visible(path) if terminal.is_person_watching() else name_of_file(path)


def _age(days: int) -> str:
    if days < 0:
        return "in future"
    return f"{counted(days, 'day')} ago"


def _cut(section: list[ReportLine], limit: int | None) -> list[ReportLine]:
    """The section cut to `limit` entries, with a line that says how many entries are hidden."""
    entries = [line for line in section if line[0] == ""]
    hidden = len(entries) - limit if limit else 0
    if hidden <= 1 or not limit:
        return section
    last = section.index(entries[-1])
    return [*section[: 1 + limit], ("dim", f"  and {hidden} more"), *section[last + 1 :]]


def _size(count: int) -> str:
    return f"{count / 1024:.0f} KiB" if count < 10 << 20 else f"{count / 1024 / 1024:.0f} MiB"
