"""The event log: what was shown for a prompt or why nothing was, and what another setting would have shown."""

from .._backend import GATE_SETTINGS
from ..basics.gate_table import ADDITIONS, FEATURES
from ..observe.event_verdict import OUTCOMES, describe_silence
from ..retrieval.trace import Trace
from ..store.log.events import LoggedEvent, read_events
from .viewed import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .viewed import Viewed

PAGE = 50
MOST_BARS, MOST_TRACED = 4, 5
WORDS = {**{name: words for name, (_kind, words) in ADDITIONS.items()}, **{one.name: one.words for one in FEATURES}}
KINDS = {"": "All", "shown": "With memories", "silent": "Silent"}


def prompts(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """The page of the event log, the latest event first."""
    kind = given.get("kind", "") if given.get("kind", "") in KINDS else ""
    events = [one for one in read_events(viewed.store.memory_dir).events[::-1] if one.is_decision]
    if kind:
        events = [one for one in events if bool(one.shown) == (kind == "shown")]
    pages = max(1, -(-len(events) // PAGE))
    page = min(max(1, int(given["page"]) if given.get("page", "").isdecimal() else 1), pages)
    titles = {row.path: row.title for row in viewed.rows.load()}
    read_scope = viewed.read_scope()
    return "prompts.html", {
        "events": [_listed(one, titles, read_scope) for one in events[(page - 1) * PAGE : page * PAGE]],
        "total": len(events),
        "page_number": page,
        "pages": pages,
        "kind": kind,
        "kinds": KINDS,
    }


def prompt(viewed: "Viewed", given: dict[str, str], **more: "Any") -> "tuple[str, dict[str, Any]]":  # noqa: ANN401
    """One event: its memories, what decided, and the same prompt with another setting."""
    event = read_events(viewed.store.memory_dir).find(given.get("event", ""))
    titles = {row.path: row for row in viewed.rows.load()}
    read_scope = viewed.read_scope()
    typed = given.get("text", "").strip()[:20_000]
    text = typed or (event.prompt if event.is_whole else None)
    setting = given.get("setting", "") or event.setting or "balanced"
    if setting not in GATE_SETTINGS:
        raise Refused("unknown setting", f"one of {', '.join(GATE_SETTINGS)}")
    again, traces = [], []
    if text and not event.is_of_file_or_act:
        hits = viewed.store.recall(text, setting=setting)  # type: ignore[arg-type]
        again = [(titles.get(hit.path), hit) for hit in hits]
        own = [one.path for one in event.memories if not read_scope(one.scope)]
        paths = list(dict.fromkeys([*[hit.path for hit in hits], *own]))
        for path in [path for path in paths if path in titles][:MOST_TRACED]:
            found = viewed.store.trace(text, path, setting=setting)  # type: ignore[arg-type]
            traces.append((titles[path], _bars(found), found))
    return "prompt.html", {
        "event": event,
        "row": _listed(event, {path: row.title for path, row in titles.items()}, read_scope),
        "memories": [
            (one, None if read_scope(one.scope) else titles.get(one.path), OUTCOMES.get(one.outcome, one.outcome))
            for one in event.memories
        ],
        "typed": typed,
        "has_text": bool(text),
        "setting": setting,
        "settings": [name for name in GATE_SETTINGS if name != "off"],
        "again": again,
        "traces": traces,
        **more,
    }


def _listed(event: LoggedEvent, titles: dict[str, str], read_scope: "Callable[[str], str]") -> "dict[str, Any]":
    # A memory of another store may stand at the path of one of the project.
    shown = [one.id if read_scope(one.scope) else titles.get(one.path, one.id) for one in event.shown]
    return {
        "event": event,
        "shown": shown,
        "why": "" if shown else describe_silence(event),
        "what": event.prompt
        or (f"a prompt of {event.prompt_chars} characters" if event.kind == "prompt" else "a file or an act"),
        "has_text": event.prompt is not None,
    }


def _bars(found: Trace) -> "list[dict[str, Any]]":
    """The four features that decided most, and all others together as a fifth."""
    features = sorted([one for one in found.features if one.name != "bias"], key=lambda one: -abs(one.share))
    rows = [(WORDS.get(one.name, one.name), one.share) for one in features[:MOST_BARS]]
    rest = sum([one.share for one in features[MOST_BARS:]])
    if len(features) > MOST_BARS:
        rows.append((f"{len(features) - MOST_BARS} others together", rest))
    most = max([abs(share) for _words, share in rows], default=1) or 1
    return [{"words": words, "share": share, "width": round(abs(share) / most * 100)} for words, share in rows]
