"""The list of memories: searched with the real engine, filtered, and paged."""

import time

from .filters import DAY
from .viewed import counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .rows import Row
    from .viewed import Viewed

PAGE = 50
MOST_FOUND = 200
AGES = {"7": "in 7 days", "30": "in 30 days", "365": "in a year", "old": "over a year ago"}
STATUSES = ("active", "retired", "archived")
LEVELS = ("own", "reviewed", "unreviewed")
NAMES = ("q", "category", "status", "trust", "age", "tag")


def memories(viewed: "Viewed", given: dict[str, str]) -> "tuple[str, dict[str, Any]]":
    """The page of memories."""
    chosen = {name: given.get(name, "").strip()[:200] for name in NAMES}
    rows = every = viewed.rows.load()
    scores: dict[str, int] = {}
    if chosen["q"]:
        by_path = {row.path: row for row in rows}
        hits = viewed.store.search(chosen["q"], k=MOST_FOUND, status="all")
        scores = {hit.path: hit.score for hit in hits}
        rows = [by_path[hit.path] for hit in hits if hit.path in by_path]
    rows = [row for row in rows if _fits(row, chosen)]
    page = int(given["page"]) if given.get("page", "").isdecimal() else 1
    pages = max(1, -(-len(rows) // PAGE))
    page = min(max(page, 1), pages)
    facets = {
        "category": counts([row.category for row in every]),
        "tag": counts([tag for row in every if row.status == "active" for tag in row.tags])[:40],
    }
    return "memories.html", {
        "rows": rows[(page - 1) * PAGE : page * PAGE],
        "total": len(rows),
        "every": len(every),
        "chosen": chosen,
        "facets": facets,
        "page_number": page,
        "pages": pages,
        "statuses": STATUSES,
        "levels": LEVELS,
        "ages": AGES,
        "scores": scores,
    }


def _fits(row: "Row", chosen: dict[str, str]) -> bool:
    status = chosen["status"] or "active"
    return (
        (status == "all" or row.status == status)
        and chosen["category"] in ("", row.category)
        and chosen["trust"] in ("", row.level)
        and (not chosen["tag"] or chosen["tag"] in row.tags)
        and _is_of_age(row, chosen["age"])
    )


def _is_of_age(row: "Row", age: str) -> bool:
    if age not in AGES:
        return True
    days = (time.time() - row.updated / 1_000_000) / DAY
    return days > 365 if age == "old" else days <= int(age)
