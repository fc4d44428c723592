"""Reads the database of claude-mem: observations and session summaries (docs/reference/import.md, "Other kinds")."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from ..errors import InputError
from ..store.records.record_file import Fields
from .draft import NOT_STATED, ImportedDraft, Reading, first_sentence, shorten, shorten_all
from .markdown import items

KIND = "claude-mem"
HEADER = b"SQLite format 3\0"
# Observations of other types only say what was done, and are skipped.
_CATEGORY_OF = {"decision": "decision", "bugfix": "runbook", "discovery": "constraint"}
MAX_ROWS = 100_000

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

    The database is opened read-only. Raises `InputError` if it is not a database of claude-mem.
    """
    name, reading = path.name, Reading()
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            observations = _rows(database, "observations")
            summaries = _rows(database, "session_summaries")
    except sqlite3.Error as error:
        raise _unfit(path, str(error)) from None
    if observations is None and summaries is None:
        raise _unfit(path, "it has neither `observations` nor `session_summaries`")
    others = 0
    for row in observations or []:
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


def _rows(database: sqlite3.Connection, table: str) -> list[_Row] | None:
    """The rows of a table, the newest first, with all columns that the table has; None if it does not exist."""
    columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    if not columns:
        return None
    order = "created_at_epoch DESC, id DESC" if {"created_at_epoch", "id"} <= set(columns) else "rowid DESC"
    rows = database.execute(f"SELECT * FROM {table} ORDER BY {order} LIMIT {MAX_ROWS}")
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
