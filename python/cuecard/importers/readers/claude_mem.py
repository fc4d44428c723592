"""Reads the database of claude-mem: observations and session summaries (docs/reference/import.md, "Other kinds")."""

import json
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from ...basics.time_limit import Stopped, TakesTooLong, check_time
from ...errors import InputError
from ...store.records.record_file import Fields
from ..draft import NOT_STATED, ImportedDraft, Reading, first_sentence, shorten, shorten_all
from ..markup.markdown import items

KIND = "claude-mem"
HEADER = b"SQLite format 3\0"
# Observations of other types only say what was done, and are skipped.
_CATEGORY_OF = {"decision": "decision", "bugfix": "runbook", "discovery": "constraint"}
MAX_ROWS = 100_000
MAX_TEXT_BYTES = 1 << 18
MAX_DATABASE_BYTES = 1 << 29
# Between two checks of the clock SQLite takes so many steps of its virtual machine.
STEPS = 1000
_COLUMNS = {
    "observations": "id project type title subtitle narrative text facts concepts created_at created_at_epoch",
    "session_summaries": "id project request completed next_steps learned created_at created_at_epoch",
}
# What a statement may do: read columns of the tables above, and call these functions.
_FUNCTIONS = frozenset(("typeof", "substr"))
# A hidden column of a virtual table has 1, a generated column 2 or 3.
_ORDINARY = 0

_CREATE_TABLE = re.compile(r"CREATE\s+TABLE\b", re.IGNORECASE)

_Row = dict[str, object]


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(HEADER)) == HEADER
    except OSError:
        return False


def read_claude_mem(path: Path, project: str) -> Reading:
    """The memories of the project whose folder has the name `project`, the newest first.

    The database is opened read-only, and only its tables are read: no view, no virtual table, no generated column.
    Raises `InputError` if it is not a database of claude-mem, or if reading it takes too long.
    """
    name, reading = path.name, Reading()
    if path.stat().st_size > MAX_DATABASE_BYTES:
        raise _unfit(path, f"it has more than {MAX_DATABASE_BYTES >> 20} MiB")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            _restrict(database)
            observations = _rows(database, "observations")
            summaries = _rows(database, "session_summaries")
    except sqlite3.Error as error:
        check_time()
        raise _unfit(path, str(error)) from None
    if observations is None and summaries is None:
        raise _unfit(path, "it has neither a table `observations` nor a table `session_summaries`")
    others = 0
    for row in observations or []:
        check_time()
        if _text(row, "project") not in ("", project):
            others += 1
            continue
        heading = f"observation {row.get('id')}"
        category = _CATEGORY_OF.get(_text(row, "type"))
        if category is None:
            reading.skipped.append((f"{name}#{heading}", f"of the type `{_text(row, 'type')}`, which has no category"))
            continue
        draft = _observation(row, category, name, heading)
        if draft:
            reading.drafts.append(draft)
        else:
            reading.skipped.append((f"{name}#{heading}", "without text"))
    for row in summaries or []:
        check_time()
        if _text(row, "project") not in ("", project):
            others += 1
            continue
        heading = f"summary {row.get('id')}"
        goal = _text(row, "request") or first_sentence(_text(row, "completed"))
        if not goal:
            reading.skipped.append((f"{name}#{heading}", "without text"))
            continue
        reading.drafts.append(_summary(row, goal, name, heading))
    if others:
        reading.skipped.append((name, f"{others} rows of other projects than `{project}`"))
    return reading


def _restrict(database: sqlite3.Connection) -> None:
    """Let a stranger's database run nothing but reads of ordinary columns, and only while there is time."""
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    database.execute("PRAGMA mmap_size = 0")
    if sys.version_info >= (3, 11):
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * MAX_TEXT_BYTES)
    database.set_progress_handler(_is_over, STEPS)
    database.set_authorizer(_authorize)


def _is_over() -> bool:
    """Whether SQLite must stop. An exception would be lost in SQLite; the caller checks the time again."""
    try:
        check_time()
    except (TakesTooLong, Stopped):
        return True
    return False


def _authorize(action: int, first: str | None, second: str | None, _database: str | None, source: str | None) -> int:
    """Allow what `_rows` does, and nothing that a view, a trigger or a generated column would do."""
    is_ours = source is None and (
        action == sqlite3.SQLITE_SELECT
        or (action == sqlite3.SQLITE_READ and (first == "sqlite_master" or first in _COLUMNS))
        or (action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS)
        or (action == sqlite3.SQLITE_PRAGMA and first == "table_xinfo")
    )
    return sqlite3.SQLITE_OK if is_ours else sqlite3.SQLITE_DENY


def _rows(database: sqlite3.Connection, table: str) -> list[_Row] | None:
    """The rows of a table, the newest first, with those columns that the table has; None if there is no such table.

    Texts are cut at `MAX_TEXT_BYTES` characters, and values that are neither texts nor integers are left out.
    """
    found = database.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
    if found is None or not isinstance(found[0], str) or not _CREATE_TABLE.match(found[0]):
        return None
    kinds = {row[1]: row[6] for row in database.execute(f"PRAGMA table_xinfo({table})")}
    columns = [name for name in _COLUMNS[table].split() if kinds.get(name) == _ORDINARY]
    if not columns:
        return None
    order = "created_at_epoch DESC, id DESC" if {"created_at_epoch", "id"} <= set(columns) else "rowid DESC"
    shown = [
        f"CASE typeof({name}) WHEN 'text' THEN substr({name}, 1, {MAX_TEXT_BYTES}) WHEN 'integer' THEN {name} END"
        for name in columns
    ]
    rows = database.execute(f"SELECT {', '.join(shown)} FROM {table} ORDER BY {order} LIMIT {MAX_ROWS}")
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _observation(row: _Row, category: str, name: str, heading: str) -> ImportedDraft | None:
    facts = _list(row, "facts")
    narrative = _text(row, "narrative") or _text(row, "text")
    title = _text(row, "title") or first_sentence(narrative)
    subtitle = _text(row, "subtitle")
    if not title or not (narrative or facts):
        return None
    text = shorten(narrative or "\n".join(facts))
    content: Fields
    if category == "decision":
        content = {"status": "accepted", "context": subtitle or title, "decision": text}
        content["rationale"] = shorten_all(facts) or [subtitle or NOT_STATED]
    elif category == "runbook":
        content = {"trigger": subtitle or title, "steps": shorten_all(facts) or [text], "verification": NOT_STATED}
        if facts and narrative:
            content["root_cause"] = text
    else:
        content = {"kind": "technical", "rule": text, "impact": shorten_all(facts) or [subtitle or NOT_STATED]}
        content |= {"severity": "low", "active": True}
    tags = tuple(dict.fromkeys(["claude-mem", *_list(row, "concepts")]))
    return ImportedDraft(category, title, content, KIND, name, heading, tags, (), _text(row, "created_at"))


def _summary(row: _Row, goal: str, name: str, heading: str) -> ImportedDraft:
    content: Fields = {
        "goal": shorten(goal, 1000),
        "outcome": "partial",
        "completed": shorten_all(items(_text(row, "completed"))),
        "next_actions": shorten_all(items(_text(row, "next_steps"))),
    }
    learned = shorten_all(items(_text(row, "learned")))
    if learned:
        content["key_changes"] = learned
    title = shorten(first_sentence(goal), 100)
    return ImportedDraft(
        "session_summary", title, content, KIND, name, heading, ("claude-mem",), (), _text(row, "created_at")
    )


def _text(row: _Row, name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def _list(row: _Row, name: str) -> list[str]:
    """The items of a column with a JSON list; the lines of the column if it has other text."""
    text = _text(row, name)
    try:
        value = json.loads(text) if text else []
    except (ValueError, RecursionError):
        value = text.splitlines()
    return [item.strip() for item in value if isinstance(item, str) and item.strip()] if isinstance(value, list) else []


def _unfit(path: Path, reason: str) -> InputError:
    what = f"`{path}` cannot be read as a database of claude-mem: {reason}"
    return InputError(what, "name `claude-mem.db`", field="source", expected="a database", found=reason)
