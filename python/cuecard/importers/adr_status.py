"""Finds the status of a decision record, and the records that it supersedes, in all places where records say this.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re
from dataclasses import replace
from pathlib import PurePosixPath

from ..basics.time_limit import check_time
from .adr_parts import STATUS, part_of
from .draft import Reading
from .markdown import MarkdownDocument
from .titles import clean_heading

# The statuses of a record that has ended.
OVER = ("superseded", "rejected", "deprecated")
_STATUSES = (
    ("superseded", re.compile(r"\b(super[sc]e+[d]ed|replaced by|obsoleted by)\b", re.IGNORECASE)),
    (
        "rejected",
        re.compile(r"\b(rejected|declined|withdrawn|abandoned|not accepted|cancelled|canceled)\b", re.IGNORECASE),
    ),
    ("deprecated", re.compile(r"\b(deprecated|obsolete|retired|no longer (?:valid|relevant|in use))\b", re.IGNORECASE)),
    (
        "accepted",
        re.compile(
            r"\b(accepted|approved|adopted|agreed|decided|done|implemented|final|active|complete[d]?)\b", re.IGNORECASE
        ),
    ),
    (
        "proposed",
        re.compile(
            r"\b(proposed|proposal|draft|pending|review|wip|incomplete|in progress|discussion|open|rfc|last call)\b",
            re.IGNORECASE,
        ),
    ),
)
_STATUS_LINE = re.compile(
    r"^[^\w\n]*status[^\w\n]*[:|][^\w\n]*(.+)$"
    r"|^[^\w\n]*(?:this (?:adr|decision|record) (?:has been|is|was) )?(superseded\b.*)$",
    re.IGNORECASE | re.MULTILINE,
)
# A status is at the beginning of its line, or in a sentence about the record.
_AT_ONCE = re.compile(
    rf"^\W*(?:[\w-]+\W+){{0,2}}?(?:{'|'.join([pattern.pattern for _name, pattern in _STATUSES])})", re.IGNORECASE
)
_SAID = re.compile(r"\b(?:super[sc]eded|replaced|obsoleted) by\b|\b(?:is|was|been|now)\s+\w+", re.IGNORECASE)
_STRUCK = re.compile(r"~~.*?~~")
_UNTICKED = re.compile(r"^\s*[-*+]\s+\[ \].*$", re.MULTILINE)
_LINK_TARGET = re.compile(r"\]\([^()\s]*?([^/()\s#]+\.mdx?)(?:#[^()\s]*)?\)")
_NUMBER = re.compile(
    r"\b(?:adr|decision|record)s?[-_ #]*0*(\d{1,5})\b|\[0*(\d{1,5})[.\]]|^\s*#?0*(\d{1,5})\b", re.IGNORECASE
)
_SUPERSEDES = re.compile(r"\b(?:super[sc]edes|superseding|replaces|obsoletes)\b:?\s*(.{3,300})", re.IGNORECASE)
_PARTLY = re.compile(r"\b(partly|partially|parts? of|in part|some of|section|updates?|amends?)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"\b(?:this|the present) (?:adr|decision|record|document|proposal|one)\s*$|^\W*$", re.IGNORECASE)
_PATH_NUMBER = re.compile(r"^(?:adr[-_ ]*)?0*(\d{1,5})(?=[-_. ]|$)", re.IGNORECASE)


def status_text(document: MarkdownDocument) -> str:
    """The text that states a record's status, from front matter, a section, or a line or table row near the top."""
    found = document.value("status", "state")
    if found:
        return found
    for section in document.sections:
        if part_of(section.heading) == STATUS and section.level:
            check_time()
            words = clean_heading(section.heading).partition(":")[2]
            below = [each.heading for each in document.sections if section.heading in each.above]
            told = "\n".join([words, "\n".join(section.lines), *below]).strip()
            if told:
                return told
    lead = "\n".join(["\n".join(section.lines) for section in document.sections if section.level < 2])
    line = _STATUS_LINE.search(lead)
    return (line.group(1) or line.group(2)) if line else ""


def read_status(document: MarkdownDocument) -> str:
    """The status of a record; `accepted` if the record states no status.

    The last line with a status counts, because tools append lines. A status in the title overrides it.
    """
    status = ""
    text = _UNTICKED.sub("", _STRUCK.sub("", status_text(document)))
    for line in text.splitlines():
        bare = _SUPERSEDES.sub("", line)
        if _PARTLY.search(bare) or not (_AT_ONCE.match(bare) or _SAID.search(bare)):
            continue
        told = [name for name, pattern in _STATUSES if pattern.search(bare)]
        # A line with all statuses is left over from a template.
        if told and len(told) < len(_STATUSES) - 1:
            status = told[0]
    marked = re.search(r"[\[(](superseded|deprecated|rejected|obsolete|withdrawn)\b", document.title, re.IGNORECASE)
    struck = document.title.strip().startswith("~~")
    if marked or struck:
        word = marked.group(1) if marked else "deprecated"
        status = next((name for name, pattern in _STATUSES if pattern.search(word)), status)
    return status or "accepted"


def find_superseded(document: MarkdownDocument) -> tuple[str, ...]:
    """The records that a record supersedes completely, as file names or numbers."""
    found: list[str] = []
    sources = [document.value("supersedes", "replaces"), *document.values("supersedes")]
    found += [name for text in sources for name in _names_in(text)]
    for section in document.sections:
        is_status = section.level < 2 or part_of(section.heading) == STATUS
        for line in section.lines:
            told = _SUPERSEDES.search(line)
            if not told or _PARTLY.search(line) or not (is_status or _SUBJECT.search(line[: told.start()])):
                continue
            found += _names_in(told.group(1))
    return tuple(dict.fromkeys(found))


def _names_in(text: str) -> list[str]:
    """The records that a text names: the file names in its links, or else its numbers."""
    files = _LINK_TARGET.findall(text)
    return files or [next(group for group in match if group) for match in _NUMBER.findall(text)]


def apply_succession(readings: list[Reading], kind: str) -> None:
    """Set `is_over` of each record that an accepted record supersedes; the superseded record may not say so itself."""
    places = {}
    for reading in readings:
        for draft in reading.drafts:
            if draft.kind == kind:
                path = PurePosixPath(draft.path)
                number = _PATH_NUMBER.match(path.name)
                places[(str(path.parent), path.name)] = draft.path
                if number:
                    places.setdefault((str(path.parent), number.group(1)), draft.path)
    over: dict[str, str] = {}
    for reading in readings:
        for draft in reading.drafts:
            # Only an accepted record can supersede another one.
            if draft.kind != kind or draft.is_over or draft.content.get("status") != "accepted":
                continue
            folder = str(PurePosixPath(draft.path).parent)
            for name in draft.replaces:
                target = places.get((folder, name))
                if target and target != draft.path:
                    over[target] = f"superseded at its source, by `{draft.path}`"
    for reading in readings:
        reading.drafts = [
            replace(draft, is_over=over[draft.path])
            if draft.kind == kind and draft.path in over and not draft.is_over
            else draft
            for draft in reading.drafts
        ]
