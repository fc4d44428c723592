"""Corrects values of a record that have one obvious meaning, and reports each correction (SPEC 18.2).

Title and tags are made fit for an index line. There are at most 12 tags: those that the memory has already, then the
first ones. The gist is put on one line, and so is each question, which is kept once. A question is left out if four
fifths and more of its words and the title's are the same. `repair` corrects values in the wrong form.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..._backend import normalize_forbid
from .history import MAX_CHANGES
from .record import SCHEMA_VERSION
from .record_file import Fields, extension_of
from .repair import repair_confidence, repair_content, repair_extension, shorten_title
from .slug import id_of_title, slugify

MAX_TAGS = 12
UNTAGGED = "untagged"
_CONFIDENCE_LABEL = re.compile(r"\[\s*confidence\s*:[^\]]*\]", re.IGNORECASE)
_WORDS = re.compile(r"\w+")
# A question that shares this part of its words with the title adds nothing to it.
NEAR_COPY = 0.8
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True)
class Fix:
    """A correction: the field, and what was done to its value."""

    field: str
    what: str

    def as_dict(self) -> dict[str, str]:
        """Return what `--json` prints."""
        return {"field": self.field, "what": self.what}


def fix_new(record: Fields, category: str, now: str) -> tuple[Fields, list[Fix]]:
    """Correct a record that is to be created in `category` at the time `now`, and fill in the fields of the store."""
    fixed, fixes = _fix_values(_repaired(record, category, is_new=True), record.get("title"))
    given = fixed.get("category")
    if given is not None and given != category:
        fixes.append(Fix("category", f"changed from `{given}` to `{category}`"))
    for name in ("retired_at", "retired_reason", "archived_at", "archived_reason"):
        if fixed.pop(name, None) is not None:
            fixes.append(Fix(name, "left out, because a new memory is active"))
    if fixed.get("record_status", "active") != "active":
        fixes.append(Fix("record_status", "made `active`, as every new memory is"))
    title = fixed.get("title")
    if not fixed.get("id"):
        fixed["id"] = id_of_title(category, title if isinstance(title, str) else "")
    if fixed.get("schema_version") is None:
        fixed["schema_version"] = SCHEMA_VERSION
    if fixed.get("tags") is None:
        fixed["tags"] = [UNTAGGED]
        fixes.append(Fix("tags", f"made `{UNTAGGED}`: there were none"))
    for name in ("created_at", "updated_at"):
        if fixed.get(name) not in (None, now):
            fixes.append(Fix(name, "made the time of this write"))
    # The dates in the record are not used, because agents invent dates.
    fixed.update(category=category, record_status="active", created_at=now, updated_at=now)
    fixed.setdefault("times_updated", 0)
    if isinstance(fixed.get("changes"), list) and len(fixed["changes"]) > MAX_CHANGES:
        fixed["changes"] = fixed["changes"][-MAX_CHANGES:]
        fixes.append(Fix("changes", f"the last {MAX_CHANGES} kept"))
    return fixed, fixes


def fix_patch(patch: Fields, old: Fields) -> tuple[Fields, list[Fix]]:
    """Correct the values of a patch that updates the record `old`."""
    tags = old.get("tags")
    repaired = _repaired(patch, str(old.get("category")), is_new=False)
    return _fix_values(repaired, patch.get("title", old.get("title")), tags if isinstance(tags, list) else [])


def _repaired(record: Fields, category: str, *, is_new: bool) -> tuple[Fields, list[Fix]]:
    """Repair the form of the content, of cuecard's own fields, and of a title that is somewhat too long."""
    fixed, repairs = dict(record), list[tuple[str, str]]()
    if isinstance(record.get("content"), dict):
        fixed["content"], repairs = repair_content(category, record["content"], is_new=is_new)
    if isinstance(record.get("cuecard"), dict):
        fixed["cuecard"], more = repair_extension(record["cuecard"])
        repairs += more
    if repair_confidence(record.get("confidence")) != record.get("confidence"):
        fixed["confidence"] = repair_confidence(record["confidence"])
        repairs.append(("confidence", "made a number from 0 to 1"))
    title = record.get("title")
    tidy = tidy_title(title) if isinstance(title, str) else ""
    if shorten_title(tidy) != tidy:
        fixed["title"] = shorten_title(tidy)
        repairs.append(("title", f"shortened from {len(tidy)} characters; the whole title is the gist"))
        own = record.get("cuecard")
        if own is None or isinstance(own, dict):
            extension = extension_of(fixed)
            fixed["cuecard"] = extension | {"gist": extension.get("gist") or tidy}
    return fixed, [Fix(field, what) for field, what in repairs]


def _fix_values(
    repaired: tuple[Fields, list[Fix]], record_title: object, old_tags: Sequence[object] = ()
) -> tuple[Fields, list[Fix]]:
    fixed, fixes = dict(repaired[0]), list(repaired[1])

    def put(field: str, value: object, what: str) -> None:
        if value != fixed[field]:
            fixed[field] = value
            fixes.append(Fix(field, what))

    if "schema_version" in fixed:
        put("schema_version", SCHEMA_VERSION, f"made `{SCHEMA_VERSION}`")
    if isinstance(fixed.get("title"), str):
        put("title", tidy_title(fixed["title"]), "blanks, control characters and marks of the index tidied")
    if isinstance(fixed.get("id"), str):
        put("id", slugify(fixed["id"]), "made lower-case letters, digits and hyphens")
    if isinstance(fixed.get("tags"), str):
        put("tags", fixed["tags"].split(","), "made a list")
    if isinstance(fixed.get("tags"), list):
        tidy = tidy_tags(fixed["tags"], old_tags)
        if sorted(fixed["tags"], key=str) == tidy:
            fixed["tags"] = tidy
        left_out = [tag for tag in _tidy_each(fixed["tags"]) if tag not in tidy]
        more = f"; left out: {', '.join([f'`{tag}`' for tag in left_out])}" if left_out else ""
        put("tags", tidy, f"lower-cased, distinct, sorted, at most {MAX_TAGS}{more}")
    confidence = fixed.get("confidence")
    if isinstance(confidence, (int, float)) and not isinstance(confidence, bool) and confidence == confidence:
        put("confidence", min(1.0, max(0.0, confidence)), "limited to 0 to 1")
    if isinstance(fixed.get("cuecard"), dict):
        fixed["cuecard"] = _fix_extension(fixed["cuecard"], record_title, fixes)
    return fixed, fixes


def _fix_extension(extension: Fields, title: object, fixes: list[Fix]) -> Fields:
    """Return cuecard's own fields with the gist and each question on one line, and without repeated questions."""
    fixed = dict(extension)
    if isinstance(fixed.get("gist"), str):
        fixed["gist"] = _one_line(fixed["gist"])
        if fixed["gist"] != extension["gist"]:
            fixes.append(Fix("cuecard.gist", "put on one line"))
    questions = fixed.get("questions")
    if isinstance(questions, list) and all(isinstance(question, str) for question in questions):
        fixed["questions"] = _tidy_questions(questions, title if isinstance(title, str) else "", fixes)
    forbids = fixed.get("forbids")
    if isinstance(forbids, list) and all(isinstance(entry, str) for entry in forbids):
        fixed["forbids"] = list(dict.fromkeys([normalize_forbid(entry) or entry for entry in forbids]))
        if fixed["forbids"] != forbids:
            fixes.append(Fix("cuecard.forbids", "each put into the form `KIND: TEXT`, repeated ones left out"))
    return fixed


def _tidy_questions(questions: list[str], title: str, fixes: list[Fix]) -> list[str]:
    lines = [_one_line(question) for question in questions]
    if lines != questions:
        fixes.append(Fix("cuecard.questions", "each put on one line"))
    distinct = list({line.casefold(): line for line in reversed(lines) if line}.values())[::-1]
    if len(distinct) < len(lines):
        fixes.append(Fix("cuecard.questions", "empty and repeated questions left out"))
    kept = [question for question in distinct if not _repeats(question, title)]
    if len(kept) < len(distinct):
        fixes.append(Fix("cuecard.questions", "questions that repeat the title left out"))
    return kept


def _repeats(question: str, title: str) -> bool:
    """Whether a question and the title share at least `NEAR_COPY` of their words."""
    of_question, of_title = (set(_WORDS.findall(text.casefold())) for text in (question, title))
    return len(of_question & of_title) >= NEAR_COPY * max(1, len(of_question | of_title))


def _one_line(text: str) -> str:
    return " ".join(_CONTROLS.sub(" ", text).split())


def tidy_title(title: str) -> str:
    """Return a title without characters that could break its line in the index."""
    return _tidy(title, " - ")


def tidy_tags(tags: Sequence[object], old_tags: Sequence[object] = ()) -> list[str]:
    """Return tags in the form of an index line: at most 12, sorted, without duplicates; `untagged` if none is left.

    If there are more than 12, tags that the memory already has (`old_tags`) are kept first, then the first new tags.
    """
    tidy = _tidy_each(tags)
    known = {*_tidy_each(old_tags)} - {UNTAGGED}
    kept = sorted(tidy, key=lambda tag: tag not in known)[:MAX_TAGS]
    return sorted(kept) or [UNTAGGED]


def _tidy_each(tags: Sequence[object]) -> list[str]:
    """Return the tags in the form of the index, in the given order, without duplicates and empty tags."""
    return [tag for tag in dict.fromkeys(tidy_tag(tag) for tag in tags if isinstance(tag, str)) if tag]


def tidy_tag(tag: str) -> str:
    """Return a tag in the form of the index; "" if nothing of it is left."""
    return _tidy(tag.lower().replace(",", " "), " ")


def _tidy(text: str, arrow: str) -> str:
    """Return a text without control characters, labels and the separators of index lines, and with single blanks.

    `arrow` replaces the separator ` -> `.
    """
    text, before = _CONTROLS.sub(" ", text), ""
    # Removing a separator can join the parts of another one.
    while text != before:
        before = text
        text = " ".join(_without_labels(text).split()).replace(" -> ", arrow).replace("#tags:", "")
    return text


def _without_labels(text: str) -> str:
    """Return a text without labels such as `[confidence: high]`, which only the output adds to titles."""
    while (shorter := _CONFIDENCE_LABEL.sub("", text)) != text:
        text = shorter
    return text
