"""The pages about the whole store: its health and its use; and undoing an action from any page."""

from collections import defaultdict
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from ..actions import person_actions as actions
from ..capture.comparing.consolidation import find_pairs
from ..errors import CuecardError
from ..store.derived.health import inspect
from ..store.intake.redaction import redact
from ..store.log.events import read_events
from ..store.log.verdict_log import read_verdicts
from . import inbox_page, memories_page, memory_page, prompts_page
from .viewed import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..store.log.events import LoggedEvent
    from .viewed import Viewed

MOST_LISTED = 50
MOST_WEEKS = 12


def health(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """What needs attention. What takes long in a large store comes in parts of its own."""
    del given
    active = [row for row in viewed.rows.load() if row.status == "active"]
    return "health.html", {
        "asking": [row for row in active if not row.has_questions],
        "unreviewed": sum([row.level == "unreviewed" for row in active]),
        "active": len(active),
        "most": MOST_LISTED,
    }


def files(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Whether the files, the index and the anchors are in order; every memory is read."""
    del given
    found = inspect(viewed.store.root, viewed.store.memory_dir, is_brief=True)
    return "files.html", {
        "reasons": found.reasons,
        "damaged": found.damaged[:MOST_LISTED],
        "conflicts": [(path, why) for path, why in found.damaged if "conflict" in why],
        "gone": _gone(viewed),
        "active": found.active,
    }


def pairs(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Memories that say the same or the opposite."""
    del given
    found = find_pairs(viewed.store)
    return "pairs.html", {"pairs": found.pairs[:MOST_LISTED], "compared": found.compared, "warnings": found.warnings}


def secrets(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Memories in which something looks like a secret."""
    del given
    found = []
    for memory in viewed.store.memories(status="all"):
        cleaned, redactions = redact(memory.record)
        if redactions and cleaned:
            found.append((memory, [f"{one.field}: {one.kind}" for one in redactions]))
    return "secrets.html", {"found": found[:MOST_LISTED]}


def use(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """What was shown, used and wrong, by week."""
    del given
    events = [one for one in read_events(viewed.store.memory_dir).events if one.is_decision]
    weeks: dict[str, list[LoggedEvent]] = defaultdict(list)
    for event in events:
        weeks[_week(event.seconds)].append(event)
    verdicts: dict[tuple[str, str], int] = defaultdict(int)
    for one in read_verdicts(viewed.store.memory_dir):
        moment = datetime.strptime(one.at, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
        verdicts[_week(int(moment.timestamp())), one.kind] += 1
    rows = [
        _of_week(name, weeks[name], {kind: verdicts[name, kind] for kind in ("wrong", "good", "used")})
        for name in sorted({*weeks, *[name for name, _kind in verdicts]}, reverse=True)[:MOST_WEEKS]
    ]
    shown: dict[str, int] = defaultdict(int)
    read_scope = viewed.read_scope()
    for event in events:
        for memory in event.shown:
            if not read_scope(memory.scope):
                shown[memory.path] += 1
    by_path = {row.path: row for row in viewed.rows.load()}
    top = sorted([(count, path) for path, count in shown.items() if path in by_path], reverse=True)[:10]
    never = sum([row.status == "active" and row.path not in shown for row in by_path.values()])
    return "use.html", {
        "weeks": rows,
        "most": max([row["prompts"] for row in rows], default=0) or 1,
        "top": [(by_path[path], count) for count, path in top],
        "never": never,
        "events": len(events),
    }


def undo(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Take back an action by its id, and show the page from which it was asked for; a memory may be gone from it."""
    done = told(actions.undo(viewed.store, given.get("id", "")))
    back = urlsplit(given.get("back", ""))
    query = dict(parse_qsl(back.query))
    if back.path == "/inbox":
        return inbox_page.inbox(viewed, query, done=done)
    if back.path == "/prompt":
        with suppress(CuecardError):
            return prompts_page.prompt(viewed, query, done=done)
    if back.path == "/memory":
        with suppress(CuecardError):
            return memory_page.memory(viewed, {"name": query.get("name", "")}, done=done)
    name, context = memories_page.memories(viewed, query if back.path == "/memories" else {})
    return name, {**context, "done": done}


def _week(seconds: int) -> str:
    year, week, _day = datetime.fromtimestamp(seconds, timezone.utc).isocalendar()
    return f"{year}-W{week:02}"


def _of_week(name: str, events: "list[LoggedEvent]", said: dict[str, int]) -> "dict[str, Any]":
    asked = [one for one in events if one.kind == "prompt"]
    micros = sorted([one.micros["total"] for one in asked])
    return {
        "week": name,
        "prompts": len(asked),
        "answered": sum([bool(one.shown) for one in asked]),
        "memories": sum([len(one.shown) for one in events]),
        "tokens": sum([one.tokens for one in events]),
        "micros": micros[len(micros) // 2] if micros else 0,
        **said,
    }


def _gone(viewed: "Viewed") -> "list[tuple[Any, str]]":
    """Active memories that are anchored to a file that is not in the project any more."""
    root, found = Path(viewed.store.root), []
    for memory in viewed.store.memories():
        anchors = memory.extension.get("anchors")
        related = memory.record.get("related_files")
        for one in [*(anchors if isinstance(anchors, list) else []), *(related if isinstance(related, list) else [])]:
            is_plain = (
                isinstance(one, str) and one and not set("*?[{") & set(one) and not one.startswith(("/", "~", "../"))
            )
            if is_plain and not _is_there(root / one):
                found.append((memory, str(one)))
    return found[:MOST_LISTED]


def _is_there(path: Path) -> bool:
    """Whether something is at a path, which may be too long for the system."""
    try:
        return path.exists()
    except OSError:
        return False
