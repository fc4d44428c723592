"""One memory: what it says, where it comes from, where it was shown, and what can be done with it."""

from .._backend import engine
from ..actions import person_actions as actions
from ..errors import CuecardError, InputError
from ..observe.event_verdict import OUTCOMES
from ..store.log.events import read_events
from ..store.log.verdict_log import read_verdicts
from ..store.records.lineage import trace_lineage
from ..store.records.timeline import find_timeline
from ..store.trust.agent_view import levels_of_files
from ..store.writes.journal import read_journal
from ..store.writes.undo import undone_ids
from . import prompts_page
from .fields import fields_of, members_of_memory, read_patch, shown
from .picture import draw_lineage
from .viewed import Refused, questions, signs_of, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..store.log.verdict_log import Verdict
    from ..store.records.memory import Memory
    from .viewed import Viewed

MOST_EVENTS, AROUND = 20, 3
ORIGIN = ("origin", "source")
# Tracing a lineage reads every memory; in larger stores only memories that name others are traced at once.
MANY = 2000
NAMING = ("supersedes", "derived_from", "causes", "contradicts")


def memory(viewed: "Viewed", asked: dict[str, str], **more: "Any") -> "tuple[str, dict[str, Any]]":  # noqa: ANN401
    """The page of a memory."""
    found = viewed.store.show(asked.get("name", ""))
    extension = found.extension
    [level] = levels_of_files(viewed.store.memory_dir, [found.data])
    context = {
        "memory": found,
        "level": level,
        "trust_hash": engine.trust_hash(found.data) or "",
        "fields": fields_of(found.record),
        "tags": [str(tag) for tag in found.record.get("tags") or []],
        "more": members_of_memory(found.record),
        "origin": [(name, shown(extension[name])) for name in ORIGIN if extension.get(name)],
        "changes": _changes(found),
        "operations": _operations(viewed, found),
        "verdicts": _verdicts(viewed, found),
        "events": _events(viewed, found),
        "signs": signs_of(found) if level == "unreviewed" else [],
        "asks": [],
        "again": None,
        "is_editing": asked.get("edit") == "1",
        "given": {},
        "problem": "",
        **_related(viewed, found),
    }
    return "memory.html", {**context, **more}


def edit(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Change a memory as the form says; an invalid form comes back with the problem."""
    name = given.get("name", "")
    before = viewed.store.show(name)
    try:
        patch = read_patch(before.record, given)
        done = actions.change(viewed.store, name, patch, given.get("hash", "")) if patch else None
    except InputError as error:
        problem = f"{error.what}. {error.hint}".strip()
        return memory(viewed, {"name": name, "edit": "1"}, given=given, problem=problem)
    following = f"{before.category}/{done.name}" if done else name
    return memory(viewed, {"name": following}, done=told(done))


def change_status(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Retire or restore a memory."""
    name, to = given.get("name", ""), given.get("to", "")
    if to not in ("retire", "restore"):
        raise Refused("this is no status")
    is_over = to == "retire"
    read = [(name, given.get("trust_hash", ""))]
    done = (
        actions.retire_as_read(viewed.store, read, reason=given.get("reason", ""))
        if is_over
        else actions.restore(viewed.store, name)
    )
    return memory(viewed, {"name": name}, done=told(done))


def give_verdict(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Say that a memory was wrong or good, on its own page or on that of a prompt."""
    name, event = given.get("name", ""), given.get("event", "")
    done = actions.judge(viewed.store, given.get("kind", ""), name, event=event, scope=given.get("scope", ""))
    if given.get("on") == "prompt":
        return prompts_page.prompt(viewed, {"event": event}, done=told(done))
    return memory(viewed, {"name": name}, done=told(done))


def vouch(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Accept the text that was shown."""
    name, trust_hash = given.get("name", ""), given.get("trust_hash", "")
    try:
        done = actions.vouch(viewed.store, [(name, trust_hash)], is_sure=given.get("sure") == "1")
    except actions.Doubtful as doubt:
        values = {"name": name, "trust_hash": trust_hash, "sure": "1"}
        return memory(viewed, given, asks=questions(doubt), again=("/memory/vouch", values))
    return memory(viewed, {"name": name}, done=told(done))


def _changes(found: "Memory") -> "list[dict[str, Any]]":
    history = found.record.get("changes")
    entries = [one for one in history if isinstance(one, dict)] if isinstance(history, list) else []
    return [
        {
            "date": str(one.get("date", "")),
            "summary": str(one.get("summary", "")),
            "field": str(one.get("field", "")),
            "old": "" if one.get("old_value") is None else shown(one["old_value"]),
            "new": "" if one.get("new_value") is None else shown(one["new_value"]),
        }
        for one in entries[::-1]
    ]


def _operations(viewed: "Viewed", found: "Memory") -> "list[dict[str, str]]":
    """The writes that changed the memory and can be undone, the latest first."""
    journal = read_journal(viewed.store.memory_dir)
    undone = undone_ids(journal)
    mine = [one for one in journal if found.path in one.changes and one.id not in undone and not one.undoes]
    return [{"id": one.id, "at": one.at, "what": one.what} for one in mine[:10]]


def _verdicts(viewed: "Viewed", found: "Memory") -> "list[Verdict]":
    """What was said of the memory, not of one at the same path of another store."""
    said = [one for one in read_verdicts(viewed.store.memory_dir)[::-1] if one.path == found.path]
    read_scope = viewed.read_scope()
    return [one for one in said if not read_scope(one.scope)]


def _events(viewed: "Viewed", found: "Memory") -> "list[dict[str, Any]]":
    events = read_events(viewed.store.memory_dir).events[::-1]
    read_scope = viewed.read_scope()
    met = [
        (event, one)
        for event in events
        for one in event.memories
        if one.path == found.path and not read_scope(one.scope)
    ]
    return [
        {"event": event, "outcome": OUTCOMES.get(one.outcome, one.outcome), "is_shown": one.is_shown}
        for event, one in met[:MOST_EVENTS]
    ]


def _related(viewed: "Viewed", found: "Memory") -> "dict[str, Any]":
    names = any(found.extension.get(kind) for kind in NAMING)
    rows = viewed.rows.load()
    picture, around = "", []
    try:
        if names or len(rows) <= MANY:
            lineage = trace_lineage(viewed.store, found.name, 4)
            picture = draw_lineage(lineage) if lineage.root.children else ""
        if len(rows) <= MANY:
            timeline = find_timeline(viewed.store, found.name, AROUND)
            entries = [*timeline.before, timeline.moment, *timeline.after]
            around = [(entry.time, entry.what, entry.memory.title, entry.memory.name) for entry in entries]
        else:
            near = sorted(rows, key=lambda row: row.updated)
            place = next((at for at, row in enumerate(near) if row.path == found.path), 0)
            around = [("", "changed", row.title, row.name) for row in near[max(0, place - AROUND) : place + AROUND + 1]]
    except CuecardError:
        around = []
    return {"picture": picture, "around": around}
