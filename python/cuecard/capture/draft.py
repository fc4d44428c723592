"""Reads and checks the drafts of an agent one by one (docs/reference/capture-commit.md, "Drafts")."""

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..basics.options import Category, LifecycleEvent
from ..errors import InputError, Problem, ValidationError
from ..files.scopes import PROJECT, USER
from ..store.records.record_file import Fields, decode_any
from .comparing.candidate import CATEGORIES, LIFECYCLE_EVENTS
from .comparing.relations import read_relations

SCOPES = (PROJECT, USER)
ACTIONS = ("create", "update", "delete", "noop")
MAX_INPUT_BYTES = 1 << 20
MAX_DRAFTS = 50
HINT = "send a JSON array of drafts: [{category, action, new_info_summary, partial_content}, ...]"

_FENCE = re.compile(rb"\s*```[a-zA-Z]*[ \t]*\r?\n(.*?)\r?\n```\s*", re.DOTALL)
_MEMBERS = (
    "category",
    "action",
    "new_info_summary",
    "partial_content",
    "lifecycle_event",
    "source",
    "relations",
    "replaces",
    "scope",
)
# The fields that say from which section of a source a draft was written.
_SOURCE = ("kind", "path", "heading", "digest")
MAX_SOURCE_CHARS = 1000
# The fields of a draft that become fields of `cuecard`. They are checked with the memory, not with the draft.
_OWN = ("questions", "evidence", "valid_from", "valid_until", "applies_to", "subject", "forbids")
_PARTIAL = ("title", "tags", "confidence", "change_summary", "content", "related_files", *_OWN)


@dataclass(frozen=True)
class AgentDraft:
    """A draft from an agent that has passed the checks."""

    category: Category
    action: str
    new_info: str
    """What is new, in a sentence. The search for the memory that the draft may change uses it."""
    title: str
    tags: list[str]
    confidence: float | None
    change_summary: str
    content: Fields
    related_files: list[str]
    extension: Fields
    """The `cuecard` fields: questions, evidence, where and when the memory is valid, and what it forbids."""
    lifecycle_event: LifecycleEvent | None
    relations: list[tuple[str, str]]
    """How the new memory relates to existing memories: pairs of name and verdict."""
    replaces: str
    """The title, the id or the path of the memory that the draft amends; "" if the draft's title says which it is."""
    is_of_user: bool
    """Whether the draft is for the user's own store."""
    repaired: list[str]
    """What was repaired in the form of the draft."""
    ignored: list[str]
    """The names of unknown fields in the draft."""
    raw: Fields
    """The draft as it was sent."""
    id: str = ""
    """The id of the new memory, where a memory with another title has the one that is made of the title."""


def read_drafts(data: bytes, source: str) -> list[object]:
    """Parse the drafts in `data` without checking them. `source` names the data in messages. Raises `InputError`.

    A Markdown fence around the JSON is removed. A single draft may be sent without an array.
    """
    if len(data) > MAX_INPUT_BYTES:
        what = f"{source} is over 1 MiB"
        raise InputError(what, "hand in fewer drafts at once", expected="at most 1 MiB", found="more")
    fenced = _FENCE.fullmatch(data)
    value = decode_any(fenced[1] if fenced else data, source, HINT)
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list):
        raise InputError(
            f"{source} is not a JSON array", HINT, expected="an array of drafts", found=_kind(value), field="drafts"
        )
    if len(value) > MAX_DRAFTS:
        found = f"{len(value)}"
        what = f"{source} has {found} drafts, more than {MAX_DRAFTS}"
        raise InputError(
            what, "hand in fewer drafts at once", expected=f"at most {MAX_DRAFTS}", found=found, field="drafts"
        )
    return value


def in_asked_form(raw: Fields) -> Fields:
    """A draft in the form that is asked for: slips that have one obvious meaning are repaired."""
    from .draft_repair import repair_draft

    return repair_draft(raw, _MEMBERS, _PARTIAL)[0]


def check_draft(raw: object, number: int) -> AgentDraft:
    """Check the draft at position `number` of an input. Raises `ValidationError` with every problem."""
    # The hook that approves drafts uses this module in a Python without packages, which these two need.
    from ..store.records.repair import repair_confidence
    from .draft_repair import repair_draft

    checking = _Checking(f"drafts[{number}]")
    if not isinstance(raw, dict):
        raise checking.failure("", "an object", raw, "write a draft as an object with `category` and `action`")
    sent = raw
    raw, repaired = repair_draft(sent, _MEMBERS, _PARTIAL)
    category = checking.choice(raw, "category", CATEGORIES)
    action = checking.choice(raw, "action", ACTIONS)
    event = checking.choice(raw, "lifecycle_event", LIFECYCLE_EVENTS) if raw.get("lifecycle_event") else None
    scope = checking.choice(raw, "scope", SCOPES) if raw.get("scope") else PROJECT
    is_written = action in ("create", "update")
    new_info = checking.text(raw, "new_info_summary", is_needed=action != "noop")
    partial = raw.get("partial_content")
    if partial is None and not is_written:
        partial = {}
    if not isinstance(partial, dict):
        checking.add("partial_content", "an object", partial, "put title, tags, confidence and content into it")
        partial = {}
        is_written = False
    title = checking.text(partial, "title", "partial_content.", is_needed=is_written)
    tags = checking.texts(partial, "tags", "partial_content.")
    files = checking.texts(partial, "related_files", "partial_content.")
    confidence = repair_confidence(partial.get("confidence"))
    if confidence is not None and (isinstance(confidence, bool) or not isinstance(confidence, (int, float))):
        checking.add("partial_content.confidence", "a number from 0 to 1", confidence, "say how sure you are")
        confidence = None
    summary = checking.text(partial, "change_summary", "partial_content.", is_needed=False)
    content = partial.get("content")
    if content is None and not is_written:
        content = {}
    if not isinstance(content, dict) or (is_written and not content):
        checking.add("partial_content.content", "an object", content, "give the members of the category's content")
        content = {}
    if raw.get("source") is not None and not read_source(raw):
        checking.add("source", "an object of texts", raw["source"], "copy the `source` of the text, or omit it")
    replaces = checking.text(raw, "replaces", is_needed=False)
    relations: list[tuple[str, str]] = []
    try:
        relations = read_relations(raw.get("relations"), f"drafts[{number}].relations")
    except ValidationError as error:
        checking.problems.extend(error.problems)
    if checking.problems:
        raise checking.error()
    ignored = [name for name in raw if name not in _MEMBERS]
    ignored += [f"partial_content.{name}" for name in partial if name not in _PARTIAL]
    return AgentDraft(
        category=category,
        action=action,
        new_info=new_info,
        title=title,
        tags=tags,
        confidence=None if confidence is None else float(min(1, max(0, confidence))),
        change_summary=summary,
        content=content,
        related_files=files,
        extension={name: partial[name] for name in _OWN if partial.get(name) is not None},
        lifecycle_event=event,
        relations=relations,
        replaces=replaces,
        is_of_user=scope == USER,
        repaired=repaired,
        ignored=ignored,
        raw=sent,
    )


def read_source(raw: Fields) -> Fields:
    """The section of a source that a draft names as its origin; {} if the draft names no valid section."""
    source = raw.get("source")
    if not isinstance(source, dict) or not isinstance(source.get("path"), str):
        return {}
    known = {name: source[name] for name in _SOURCE if name in source}
    is_text = all(isinstance(value, str) and len(value) <= MAX_SOURCE_CHARS for value in known.values())
    return known if is_text else {}


def digest(raw: object) -> str:
    """A short hash of a draft. The order of its fields and its `relations` do not change the hash."""
    said = {name: value for name, value in raw.items() if name != "relations"} if isinstance(raw, dict) else raw
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]


class _Checking:
    """Collects the problems of a draft."""

    def __init__(self, place: str) -> None:
        self.problems: list[Problem] = []
        self._place = place

    def add(self, field: str, expected: str, found: object, fix: str) -> None:
        shown = f"`{found[:60]}`" if isinstance(found, str) and found else _kind(found)
        name = f"{self._place}.{field}" if field else self._place
        self.problems.append(Problem(name, expected, shown, fix))

    def failure(self, field: str, expected: str, found: object, fix: str) -> ValidationError:
        self.add(field, expected, found, fix)
        return self.error()

    def error(self) -> ValidationError:
        first = self.problems[0]
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        what = f"`{first.field}` is {first.found}, not {first.expected}{more}"
        return ValidationError(what, self.problems)

    def choice(self, holder: Fields, name: str, choices: tuple[str, ...]) -> Any:  # noqa: ANN401 - one of the choices
        value = holder.get(name)
        folded = value.strip().lower() if isinstance(value, str) else ""
        if folded not in choices:
            listed = ", ".join([f"`{choice}`" for choice in choices])
            self.add(name, f"one of {listed}", value, f"use {listed}")
        return folded

    def text(self, holder: Fields, name: str, place: str = "", *, is_needed: bool) -> str:
        value: Any = holder.get(name)
        if value is None and not is_needed:
            return ""
        if not isinstance(value, str) or (is_needed and not value.strip()):
            self.add(f"{place}{name}", "a text", value, f"give `{name}` as a text that is not empty")
            return ""
        return value.strip()

    def texts(self, holder: Fields, name: str, place: str) -> list[str]:
        value: Any = holder.get(name)
        if value is None:
            return []
        if isinstance(value, str):
            value = value.split(",")
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.add(f"{place}{name}", "a list of texts", value, f"give `{name}` as a list of texts")
            return []
        return [item for item in value if item.strip()]


def _kind(value: object) -> str:
    if value is None:
        return "missing"
    if isinstance(value, str):
        return "an empty text"
    if isinstance(value, bool):
        return "true" if value else "false"
    return {int: "a number", float: "a number", list: "a list", dict: "an object"}.get(type(value), "something else")
