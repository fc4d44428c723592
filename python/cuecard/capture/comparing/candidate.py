"""Finds the existing memory that new information may update.

The rules are those of the claude-memory plugin. The new information is matched against the titles and tags of the
memories of one category; the best match with at least `MIN_SCORE` points is the candidate.
"""

import os
from dataclasses import dataclass, field
from heapq import heappop, heappush

from ..._backend import TAGS_MARK, engine
from ...basics.chars import WHITESPACE
from ...errors import StoreError, UsageError
from ...files.folder import Unread
from ...files.locate import locate
from ...files.store_files import StoreFiles
from ...store.derived.current_index import read_current_index
from .excerpt import KEY_FIELDS, Excerpt, read_excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._backend import IndexMd
    from ...basics.options import Category, LifecycleEvent, Tokens

CATEGORIES = tuple(KEY_FIELDS)
LIFECYCLE_EVENTS = ("deprecated", "removed", "resolved", "reversed", "superseded")
# Memories of these categories may be updated by triage, but never deleted.
KEPT_CATEGORIES = ("decision", "preference", "session_summary")
TOKENS = ("current", "classic")

MIN_SCORE = 3
MAX_INFO_CHARS = 1 << 20


@dataclass(frozen=True)
class UpdateCandidate:
    """A memory that new information may change."""

    path: str
    """The memory's file, relative to the project."""
    title: str
    tags: tuple[str, ...]
    """The tags as written in the index: with their case, order and repetitions."""
    excerpt: Excerpt | None
    """None if the file cannot be read, or is not a JSON object."""

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {
            "path": self.path,
            "title": self.title,
            "tags": list(self.tags),
            "excerpt": self.excerpt.as_dict() if self.excerpt else None,
        }


@dataclass(frozen=True)
class Selection:
    """The memory that new information may change (None if no memory fits), and the operations that are allowed."""

    candidate: UpdateCandidate | None
    lifecycle_event: str | None
    delete_allowed: bool
    pre_action: str | None
    """`CREATE` or `NOOP` if there is no candidate; None if there is one."""
    structural_cud: str
    """`CREATE`, `NOOP`, `UPDATE` or `UPDATE_OR_DELETE`."""
    vetoes: list[str]
    hints: list[str]
    notes: list[str] = field(default_factory=list)
    """Problems with the index and the files, one sentence each; `as_dict` leaves them out."""

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON, in the order of the claude-memory plugin."""
        return {
            "candidate": self.candidate.as_dict() if self.candidate else None,
            "lifecycle_event": self.lifecycle_event,
            "delete_allowed": self.delete_allowed,
            "pre_action": self.pre_action,
            "structural_cud": self.structural_cud,
            "vetoes": self.vetoes,
            "hints": self.hints,
        }


@dataclass(frozen=True)
class _Match:
    path: str
    title: str
    tags: tuple[str, ...]
    score: int


def find_candidate(
    category: "Category",
    new_info: str,
    *,
    lifecycle_event: "LifecycleEvent | None" = None,
    root: str | os.PathLike[str] | None = None,
    tokens: "Tokens" = "current",
) -> Selection:
    """The memory of `category` that fits `new_info` best, and which operations are allowed.

    Only the first `MAX_INFO_CHARS` characters of `new_info` count. `root` is a project or its `.claude/memory`; without
    it the working directory and its parents are searched. `tokens` names the tokenizer: `current` is the tokenizer of
    recall. `classic` takes words of three or more characters, and then inactive memories in the index count too. A
    memory with an unusable path is skipped, and the next best memory is taken.

    Raises `UsageError` for an unknown category, event or tokenizer. Raises `StoreError` if there is no store, or if the
    store has neither an index nor memories. Writes nothing.
    """
    _require("category", category, CATEGORIES)
    _require("tokenizer", tokens, TOKENS)
    if lifecycle_event is not None:
        _require("lifecycle event", lifecycle_event, LIFECYCLE_EVENTS)
    project = locate(root)
    data, notes = read_current_index(*project)
    if data is None:
        what = "index.md is missing and the project has no memories to make it from"
        raise StoreError(what, "create a memory first")
    matches = _find_matches(data, category, new_info[:MAX_INFO_CHARS], tokens)
    chosen, excerpt, has_bad_path = _choose(matches, category, project, tokens, notes)

    delete_allowed = category not in KEPT_CATEGORIES
    if chosen is None:
        action = "NOOP" if lifecycle_event else "CREATE"
        hints = []
        if has_bad_path:
            hints = [f"Candidate path invalid; falling back to {action}"]
        elif lifecycle_event:
            hints = [f"lifecycle_event={lifecycle_event} with no matching candidate; NOOP"]
        return Selection(None, lifecycle_event, delete_allowed, action, action, [], hints, notes)
    hints = [f"1 candidate found (score={chosen.score})"]
    if lifecycle_event and delete_allowed:
        hints.append(f"lifecycle_event={lifecycle_event} suggests DELETE if eligible")
    elif lifecycle_event:
        hints.append(f"lifecycle_event={lifecycle_event} present but DELETE disallowed for {category}; consider UPDATE")
    return Selection(
        UpdateCandidate(chosen.path, chosen.title, chosen.tags, excerpt),
        lifecycle_event,
        delete_allowed,
        None,
        "UPDATE_OR_DELETE" if delete_allowed else "UPDATE",
        [] if delete_allowed else [f"Cannot DELETE {category} (triage-initiated)"],
        hints,
        notes,
    )


def best_match(data: bytes, category: str, new_info: str) -> tuple[str, int] | None:
    """The path and the score of the best match for `new_info` among the memories of `category`; None if none fits.

    `data` is the content of `index.md`.
    """
    for match in _find_matches(data, category, new_info[:MAX_INFO_CHARS], "current"):
        return match.path, match.score
    return None


def _require(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        listed = ", ".join([f"`{choice}`" for choice in choices])
        raise UsageError(f"unknown {what} `{value[:100]}`", f"use one of {listed}", expected=listed, found=value[:100])


def _find_matches(data: bytes, category: str, new_info: str, tokens: str) -> "Iterator[_Match]":
    """The memories of a category with at least `MIN_SCORE` points, the best first; equal scores are ordered by path.

    The shortlist gives an upper bound of each score. A match is yielded once no later match can have a higher score.
    """
    index = engine.IndexMd(data)
    entries = index.entries
    # Tokenize once and join the tokens: each match tokenizes this text again, and it is shorter than the original.
    new_info = " ".join(engine.tokenize(new_info, tokens))
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    waiting: list[tuple[int, str, int, _Match]] = []
    for position, bound in index.shortlist(new_info, tokens, []):
        if bound < MIN_SCORE:
            break
        display_name, title, path, tags, line = entries[position]
        if display_name != category.upper():
            continue
        while waiting and -waiting[0][0] > bound:
            yield heappop(waiting)[-1]
        score = _forward_points(index, position, new_info, tokens)
        if score >= MIN_SCORE:
            written = _tags_as_written(lines[line - 1].decode(), title, path) if tags else ()
            heappush(waiting, (-score, path, position, _Match(path, title, written, score)))
    while waiting:
        yield heappop(waiting)[-1]


def _forward_points(index: "IndexMd", position: int, new_info: str, tokens: str) -> int:
    """The score of a memory. A word of `new_info` does not count if the memory has only a prefix of the word."""
    return sum(
        points
        for kind, token, matched, points in index.explain(position, new_info, tokens, [])
        if kind != "prefix" or matched.startswith(token)
    )


def _tags_as_written(line: str, title: str, path: str) -> tuple[str, ...]:
    """The tags of an index line, as written. The line must have the given title and path, and at least one tag."""
    behind_category = line[line.index("]") + 1 :].lstrip(WHITESPACE)
    behind_arrow = behind_category[len(title) :].lstrip(WHITESPACE).removeprefix("->").lstrip(WHITESPACE)
    listed = behind_arrow[len(path) :].lstrip(WHITESPACE).removeprefix(TAGS_MARK)
    return tuple([stripped for tag in listed.split(",") if (stripped := tag.strip(WHITESPACE))])


def _choose(
    matches: "Iterator[_Match]", category: str, project: tuple[str, str], tokens: str, notes: list[str]
) -> tuple[_Match | None, Excerpt | None, bool]:
    """The first match that can be a candidate, its excerpt, and whether a match before it had an unusable path."""
    files = StoreFiles(project[1])
    has_bad_path = False
    for match in matches:
        is_outside = files.is_outside(match.path)
        if is_outside or not match.path.endswith(".json"):
            reason = "is outside the store" if is_outside else "is no `.json` file"
            notes.append(f"candidate `{match.path}` {reason}; skipping it")
            has_bad_path = True
            continue
        excerpt = None
        try:
            excerpt = read_excerpt(files.read(match.path)[0], category)
        except Unread as unread:
            notes.append(f"candidate `{match.path}` {unread.words}")
        else:
            if excerpt is None:
                notes.append(f"candidate `{match.path}` is not a JSON object")
        if tokens != "classic" and excerpt and excerpt.record_status != "active":
            notes.append(f"candidate `{match.path}` is {excerpt.record_status}; skipping it")
            continue
        return match, excerpt, has_bad_path
    return None, None, has_bad_path
