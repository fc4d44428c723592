"""The inbox: drafts, unreviewed memories, and memories that were often wrong."""

import json

from ..capture.inbox import find_waiting
from ..capture.review import find_similar_to
from ..errors import CuecardError, InputError
from ..steer import actions
from ..steer.actions import Done, title_of
from ..steer.waiting import clear_expired, proposals, read_waiting_items
from ..store.trust.review import review
from .fields import fields_of, shown
from .viewed import Refused, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..steer.waiting import InboxItem
    from .viewed import Viewed

PAGE = 20
TABS = {"drafts": "Drafts", "unreviewed": "Unreviewed memories", "wrong": "Often wrong"}


def inbox(viewed: "Viewed", given: dict[str, str], **more: "Any") -> "tuple[str, dict[str, Any]]":  # noqa: ANN401
    """The page of the inbox."""
    if not viewed.is_read_only:
        clear_expired(viewed.store)
    items = read_waiting_items(viewed.store)
    rows = [row for row in viewed.rows.load() if row.level == "unreviewed" and row.status == "active"]
    wrong = proposals(viewed.store)
    counts = {"drafts": len(items), "unreviewed": len(rows), "wrong": len(wrong)}
    fullest = next((name for name in TABS if counts[name]), "drafts")
    tab = given.get("tab") if given.get("tab") in TABS else fullest
    total = counts[str(tab)]
    pages = max(1, -(-total // PAGE))
    page = min(max(1, int(given["page"]) if given.get("page", "").isdecimal() else 1), pages)
    part = slice((page - 1) * PAGE, page * PAGE)
    by_path = {row.path: row for row in viewed.rows.load()} if tab == "wrong" else {}
    return "inbox.html", {
        "tab": tab,
        "tabs": TABS,
        "counts": counts,
        "total": total,
        "page_number": page,
        "pages": pages,
        "cards": [_card(item) for item in items[part]] if tab == "drafts" else [],
        "unreviewed": _unreviewed(viewed, [row.path for row in rows[part]]) if tab == "unreviewed" else [],
        "wrong": [(by_path[path], count) for path, count in wrong[part] if path in by_path] if tab == "wrong" else [],
        "unseen": [],
        "problem": "",
        "editing": given.get("edit", ""),
        **more,
    }


def nearest(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """The existing memory that is nearest to a draft, to be read beside it."""
    waiting = find_waiting(viewed.store.memory_dir, given.get("id", ""))
    near = find_similar_to(viewed.store, waiting)
    first = near[0] if near else None
    return "nearest.html", {"near": first, "fields": fields_of(first.memory.record) if first else []}


def decide(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Accept or reject drafts. Those that were never on the screen are named first."""
    names, kind = [name for name in given.get("ids", "").split(",") if name], given.get("do", "")
    if kind not in ("accept", "reject") or not names:
        raise Refused("no draft is chosen", "choose drafts, or use the keys A and R")
    seen = set(given.get("seen", "").split(","))
    unseen = [name for name in names if name not in seen]
    if unseen and kind == "accept" and given.get("sure") != "1":
        titles = [title_of(find_waiting(viewed.store.memory_dir, name)) for name in unseen]
        return inbox(viewed, given, unseen=titles, asked=",".join(names))
    if kind == "reject":
        dones = actions.reject(viewed.store, names)
        done = Done(f"{len(dones)} rejected" if len(dones) > 1 else "rejected", dones[-1].id, dones[-1].name)
        return inbox(viewed, given, done=told(done))
    decided = actions.accept(viewed.store, names)
    written = [one for one in decided if one.is_discarded]
    left = [one for one in decided if not one.is_discarded]
    operation = actions.operation_of([one.waiting.id for one in written], viewed.store)
    what = f"{len(written)} accepted" + (f", {len(left)} still wait" if left else "")
    error = next((str(one.outcome.error) for one in left if one.outcome.error), "")
    name = title_of(written[0].waiting) if len(written) == 1 else ""
    return inbox(viewed, given, done=told(Done(what, operation, name)), problem=error)


def edit(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Change the text of a waiting draft; an invalid text comes back with the problem."""
    name = given.get("id", "")
    try:
        raw = json.loads(given.get("draft", ""))
    except ValueError as error:
        return inbox(viewed, {**given, "edit": name}, problem=f"this is not JSON: {error}")
    try:
        _waiting, done = actions.edit(viewed.store, name, raw)
    except (InputError, CuecardError) as error:
        return inbox(viewed, {**given, "edit": name}, problem=f"{error.what}. {error.hint}".strip())
    return inbox(viewed, given, done=told(done))


def vouch(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Accept unreviewed memories: each is `NAME:HASH` of the text that was shown."""
    done, count = None, 0
    for pair in [pair for pair in given.get("texts", "").split(",") if pair]:
        name, _, trust_hash = pair.rpartition(":")
        done = actions.vouch(viewed.store, name, trust_hash)
        count += 1
    if done is None:
        raise Refused("no memory is chosen", "choose memories that you have read")
    if count > 1:
        done = Done(f"{count} accepted", "", "")
    return inbox(viewed, {**given, "tab": "unreviewed"}, done=told(done))


def _card(item: "InboxItem") -> "dict[str, Any]":
    waiting, outcome = item.waiting, item.outcome
    partial = waiting.raw.get("partial_content")
    record = partial if isinstance(partial, dict) else {}
    tags = record.get("tags")
    known = ("title", "content", "tags")
    return {
        "id": waiting.id,
        "title": title_of(waiting) or "(no title)",
        "category": str(waiting.raw.get("category", "")),
        "action": str(waiting.raw.get("action", "create")),
        "tags": [str(tag) for tag in tags] if isinstance(tags, list) else [],
        "fields": fields_of(record),
        "more": [
            (name.replace("_", " "), shown(value)) for name, value in record.items() if name not in known and value
        ],
        "source": [
            (name, shown(value))
            for name, value in waiting.source.items()
            if name in ("path", "heading", "kind", "session")
        ],
        "origin": waiting.origin,
        "at": waiting.at,
        "why": waiting.why,
        "note": waiting.note,
        "effect": outcome.status,
        "target": outcome.target,
        "error": str(outcome.error.what) if outcome.error else "",
        "can": item.can_be_accepted,
        "days": item.days_left if item.expires_soon else None,
        "raw": json.dumps(waiting.raw, ensure_ascii=False, indent=2),
    }


def _unreviewed(viewed: "Viewed", paths: list[str]) -> "list[dict[str, Any]]":
    found = {one.memory.path: one for one in review(viewed.store.project, [viewed.store.show(path) for path in paths])}
    return [
        {"one": found[path], "memory": found[path].memory, "fields": fields_of(found[path].memory.record)}
        for path in paths
        if path in found
    ]
