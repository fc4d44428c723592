"""The inbox: drafts, unreviewed memories, and memories that were often wrong."""

import json
from collections import Counter

from ..actions import person_actions as actions
from ..actions.doubts import notes_of, personal_data_of, signs_of_draft
from ..actions.person_actions import Done, title_of
from ..actions.waiting import clear_expired, effect_of, proposals, read_waiting_items
from ..capture.dealt import read_dealt
from ..capture.inbox import find_waiting
from ..capture.review import find_similar_to
from ..errors import CuecardError, InputError
from ..store.trust.review import review
from .fields import fields_of, members_of_draft, members_of_memory, shown
from .viewed import Refused, cut, questions, signs_of, source_of, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..actions.waiting import InboxItem
    from ..capture.inbox import WaitingDraft
    from ..store.records.record_file import Fields
    from .viewed import Viewed

PAGE = 20
UNREVIEWED = "unreviewed"
TABS = {"drafts": "Drafts", "unreviewed": "Unreviewed memories", "wrong": "Often wrong"}
DECIDED = "decided"
MOST_DECIDED = 50


def inbox(viewed: "Viewed", given: dict[str, str], **more: "Any") -> "tuple[str, dict[str, Any]]":  # noqa: ANN401
    """The page of the inbox."""
    if not viewed.is_read_only:
        clear_expired(viewed.store)
    left = viewed.left
    items = sorted(read_waiting_items(viewed.store), key=lambda item: item.waiting.id in left)
    rows = [row for row in viewed.rows.load() if row.level == "unreviewed" and row.status == "active"]
    rows.sort(key=lambda row: row.path in left)
    wrong = proposals(viewed.store)
    decided = _decided(viewed) if given.get("tab") == DECIDED else []
    counts = {"drafts": len(items), "unreviewed": len(rows), "wrong": len(wrong), DECIDED: len(decided)}
    fullest = next((name for name in TABS if counts[name]), "drafts")
    tab = given.get("tab") if given.get("tab") in counts else fullest
    total = counts[str(tab)]
    pages = max(1, -(-total // PAGE))
    page = min(max(1, int(given["page"]) if given.get("page", "").isdecimal() else 1), pages)
    part = slice((page - 1) * PAGE, page * PAGE)
    return "inbox.html", {
        "tab": tab,
        "tabs": TABS,
        "counts": counts,
        "total": total,
        "page_number": page,
        "pages": pages,
        "cards": [_card(item) for item in items[part]] if tab == "drafts" else [],
        "unreviewed": _unreviewed(viewed, [row.path for row in rows[part]]) if tab == "unreviewed" else [],
        "wrong": wrong[part] if tab == "wrong" else [],
        "decided": decided[part],
        "left": left,
        "asks": [],
        "again": None,
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
    """Accept or reject drafts, each given as `ID:HASH` of its text. Those that nobody has seen are named first."""
    parts, kind = [text.partition(":") for text in given.get("ids", "").split(",") if text], given.get("do", "")
    if kind not in ("accept", "reject") or not parts:
        raise Refused("no draft is chosen", "choose drafts, or use the keys A and R")
    texts = [(name, text_hash) for name, _, text_hash in parts]
    asks = _questions(viewed, texts, given.get("seen", "")) if kind == "accept" and given.get("sure") != "1" else []
    if asks:
        return inbox(
            viewed, given, asks=asks, again=("/inbox/decide", {**_place(given), "do": kind, "ids": given["ids"]})
        )
    if kind == "reject":
        done = actions.reject(viewed.store, [name for name, _hash in texts])
        return inbox(viewed, given, done=told(done), problem=done.problem)
    decided = actions.accept(viewed.store, texts)
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
    texts = [(name, trust_hash) for name, _, trust_hash in _pairs(given)]
    given = {**given, "tab": UNREVIEWED}
    try:
        done = actions.vouch(viewed.store, texts, is_sure=given.get("sure") == "1")
    except actions.Doubtful as doubt:
        again = ("/inbox/vouch", {**_place(given), "texts": given["texts"]})
        return inbox(viewed, given, asks=questions(doubt), again=again)
    return inbox(viewed, given, done=told(done))


def retire(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Retire unreviewed memories, given as for `vouch`."""
    done = actions.retire_as_read(viewed.store, [(name, trust_hash) for name, _, trust_hash in _pairs(given)])
    return inbox(viewed, {**given, "tab": UNREVIEWED}, done=told(done), problem=done.problem)


def leave(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """Let a draft or a memory stand last while the page is served, or put it in its place again."""
    key = given.get("key", "")
    is_back = key in viewed.left
    viewed.left ^= {key}
    return inbox(viewed, given, done=told(Done("stands in its place again" if is_back else "left for now", "", "")))


def _decided(viewed: "Viewed") -> "list[dict[str, Any]]":
    """The last decisions, each with the id that takes it back."""
    decisions = read_dealt(viewed.store.memory_dir)
    together = Counter([one.action for one in decisions])
    return [
        {
            "title": title_of(one.waiting) or "(no title)",
            "decision": one.decision,
            "at": one.at,
            "undo": one.action,
            "others": together[one.action] - 1,
        }
        for one in decisions[:MOST_DECIDED]
    ]


def _pairs(given: dict[str, str]) -> list[tuple[str, str, str]]:
    pairs = [pair.rpartition(":") for pair in given.get("texts", "").split(",") if pair]
    if not pairs:
        raise Refused("no memory is chosen", "choose memories that you have read")
    return pairs


def _place(given: dict[str, str]) -> dict[str, str]:
    """Where the inbox is, and that the person was asked: what the answer to a question sends again."""
    return {"tab": given.get("tab", ""), "page": given.get("page", ""), "sure": "1"}


def _questions(viewed: "Viewed", texts: list[tuple[str, str]], seen: str) -> "list[dict[str, Any]]":
    """The drafts that were not on the screen, or that need a look: they are accepted when this was said."""
    found = actions.find_as_read(viewed.store, texts)
    asks = [
        {
            "title": title_of(one),
            "is_unseen": _text_of(one) not in seen.split(","),
            "signs": _signs(one),
            "personal": personal_data_of(one),
        }
        for one in found
    ]
    return [one for one in asks if one["is_unseen"] or one["signs"] or one["personal"]]


def _text_of(waiting: "WaitingDraft") -> str:
    """What the page sends of a draft, so that only the text that was shown is accepted."""
    return f"{waiting.id}:{waiting.text_hash}"


def _signs(waiting: "WaitingDraft") -> list[tuple[str, str]]:
    return [(sign, cut(sentence)) for sign, sentence in signs_of_draft(waiting)]


def _status(record: "Fields") -> str:
    """The status that a text gives to what it records, unless it is the usual one."""
    content = record.get("content")
    status = content.get("status") if isinstance(content, dict) else ""
    return status if isinstance(status, str) and status != "accepted" else ""


def _card(item: "InboxItem") -> "dict[str, Any]":
    waiting, outcome = item.waiting, item.outcome
    partial = waiting.raw.get("partial_content")
    record = partial if isinstance(partial, dict) else {}
    tags = record.get("tags")
    return {
        "id": waiting.id,
        "text": _text_of(waiting),
        "title": title_of(waiting) or "(no title)",
        "category": str(waiting.raw.get("category", "")),
        "action": str(waiting.raw.get("action", "create")),
        "tags": [str(tag) for tag in tags] if isinstance(tags, list) else [],
        "fields": fields_of(record),
        "more": members_of_draft(waiting.raw),
        "source": [
            (name, shown(value))
            for name, value in waiting.source.items()
            if name in ("path", "heading", "kind", "session")
        ],
        "origin": waiting.origin,
        "at": waiting.at,
        "why": waiting.why,
        "notes": notes_of(waiting),
        "status": _status(record),
        "signs": _signs(waiting),
        "effect": outcome.status,
        "target": outcome.target,
        "retires": outcome.retires,
        "words": effect_of(outcome),
        "error": str(outcome.error.what) if outcome.error else "",
        "can": item.can_be_accepted,
        "days": item.days_left if item.expires_soon else None,
        "raw": json.dumps(waiting.raw, ensure_ascii=False, indent=2),
    }


def _unreviewed(viewed: "Viewed", paths: list[str]) -> "list[dict[str, Any]]":
    found = {one.memory.path: one for one in review(viewed.store.project, [viewed.store.show(path) for path in paths])}
    return [
        {
            "one": found[path],
            "memory": found[path].memory,
            "fields": fields_of(found[path].memory.record),
            "more": members_of_memory(found[path].memory.record),
            "status": _status(found[path].memory.record),
            "source": source_of(found[path].memory),
            "signs": signs_of(found[path].memory),
        }
        for path in paths
        if path in found
    ]
