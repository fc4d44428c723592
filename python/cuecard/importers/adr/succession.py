"""Finds which records a record supersedes, amends or names otherwise.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ...basics.time_limit import check_time
from ..draft import ImportedDraft, Reading
from ..markup.markdown import MarkdownDocument, plain
from .parts import named_parts
from .statements import replaces_another, units_of
from .status import status_sections
from .words import ACCEPTED, LINKS, REPLACES, SUPERSEDED, fold, pattern_of, phrases

_SUFFIXES = r"mdx?|markdown|rst|adoc|asciidoc"
_LINK_TARGET = re.compile(rf"\]\([^()\s]*?([^/()\s#]+\.(?:{_SUFFIXES}))(?:#[^()\s]*)?\)", re.IGNORECASE)
_FILE = re.compile(rf"(?<![\w/.-])((?:\d|adr)[\w-]*\.(?:{_SUFFIXES}))\b", re.IGNORECASE)
_NUMBER = re.compile(r"\b(?:adr|rfc)s?[-_ #]*0*(\d{1,5})\b|\[0*(\d{1,5})[.\]]", re.IGNORECASE)
# Only without the numbers above these are records: decisions inside of a record have numbers, too.
_BARE_NUMBER = re.compile(r"\b(?:decision|record)s?[-_ #]*0*(\d{1,5})\b|^[^\w#]*0*(\d{1,5})\b", re.IGNORECASE)
_SUBJECT = re.compile(r"^\W*$")
_PATH_NUMBER = re.compile(r"^(?:adr[-_ ]*)?0*(\d{1,5})(?=[-_. ]|$)", re.IGNORECASE)
# The relations of a record to another one, by the words that reports and memories use.
RELATES_TO = "relates to"
RELATIONS = ("supersedes", "amends", "amended by", "depends on", RELATES_TO)
SUPERSEDED_BY = "superseded by"
# What supersedes a record in part leaves the rest of it in force.
IN_PART = {"supersedes": "amends", SUPERSEDED_BY: "amended by"}
# A record in a list of records, with its title in a link or in brackets.
_LISTED = re.compile(
    rf"[\s:,;*_(]*(?:\b(?:and|und|et|y|e|en|i|\u0438|the|by)\b[\s*_:]*)?(?:(?:adr|rfc)s?\s+(?=\[))?"
    rf"(!?\[[^\[\]]*\]\([^()]*\)|\[[^\[\]]*\]|[\w-]+\.(?:{_SUFFIXES})\b|`[^`]+`"
    rf"|(?:adr|rfc|decision|record)s?[-_ #]*\d{{1,5}}(?:-[\w-]+)?|\d{{1,5}}(?:-[\w-]+)?)"
    rf"[*_\])]*(?:\s*\([^()]*\))?",
    re.IGNORECASE,
)
_PART_OF = re.compile(r"['\u2019]s\b|\s*(?:decision|section|context|\u00a7|part|point|item|chapter)\b", re.IGNORECASE)
MAX_LINKS = 20
MAX_BETWEEN_CHARS = 300


@dataclass(frozen=True)
class RecordLink:
    """A relation to another record, which is named by its file or its number."""

    relation: str
    name: str


def find_superseded(document: MarkdownDocument) -> tuple[str, ...]:
    """The records that a record supersedes completely, as file names or numbers."""
    found: list[str] = []
    sources = [document.value("supersedes", "replaces"), *document.values("supersedes", "replaces")]
    found += [name for text in sources for name in names_in(text)]
    heads = _sections_with_links(document)
    for number, section in enumerate(document.sections):
        for unit in units_of(section.lines):
            told = pattern_of(REPLACES).search(unit.casefold())
            if not told or pattern_of("partly", "relation amends").search(unit.casefold()):
                continue
            before = fold(plain(unit[: told.start()]))
            is_own = number in heads or any(before.endswith(name) for name in phrases("self"))
            if is_own or (section.level < 2 and _SUBJECT.match(before)):
                found += names_listed(unit[told.end() : told.end() + MAX_BETWEEN_CHARS])
    return tuple(dict.fromkeys(found))


def find_links(document: MarkdownDocument) -> list[RecordLink]:
    """The relations to other records that the front matter, the status and the links of a record state."""
    found: list[RecordLink] = []
    for name, value in document.front.items():
        label = fold(name.replace("_", " ").replace("-", " "))
        relation = next((each for each in RELATIONS if label in phrases(f"relation {each}")), "")
        relation = SUPERSEDED_BY if label == SUPERSEDED_BY else relation
        if relation:
            texts = value if isinstance(value, list) else [value]
            found += [RecordLink(relation, each) for text in texts for each in names_in(text)]
    heads = _sections_with_links(document)
    for number, section in enumerate(document.sections):
        for unit in units_of(section.lines) if number in heads else []:
            check_time()
            found += _links_in(unit)
    return list(dict.fromkeys(found))[:MAX_LINKS]


def _sections_with_links(document: MarkdownDocument) -> set[int]:
    """The places of the sections that say how the record relates to others: its beginning, its status and its links."""
    of_status = {id(section) for section in status_sections(document)}
    named = named_parts(document)
    first = next((number for number, part in enumerate(named) if part), len(named))
    return {
        number
        for number, (section, part) in enumerate(zip(document.sections, named, strict=True))
        if number < first or part == LINKS or id(section) in of_status
    }


def _links_in(unit: str) -> Iterator[RecordLink]:
    """The relations in a unit. Each name has the relation that stands last before it."""
    words = unit.casefold()
    is_partly = bool(pattern_of("partly").search(words))
    marks = [
        (_rank(relation), found.start(), found.end(), relation)
        for relation in RELATIONS
        for found in pattern_of(f"relation {relation}").finditer(words)
    ]
    marks += [
        (_rank(SUPERSEDED_BY), found.start(), found.end(), SUPERSEDED_BY)
        for found in pattern_of(f"state {SUPERSEDED}").finditer(words)
        if not replaces_another(found[0], words)
    ]
    # The longer of two phrases at one place counts: `amended by`, not `amends`.
    places = sorted({start: (start, end, relation) for _order, start, end, relation in sorted(marks)}.values())
    stops = [*[start for start, _end, _relation in places], len(unit)][1:]
    for (_start, end, relation), stop in zip(places, stops, strict=True):
        named = unit[end:stop]
        if is_partly and relation in IN_PART:
            names, relation = names_in(named), IN_PART[relation]
        else:
            names = names_in(named) if relation == RELATES_TO else names_listed(named)
        yield from [RecordLink(relation, name) for name in names]


def _rank(relation: str) -> int:
    return [*RELATIONS, SUPERSEDED_BY].index(relation)


def names_listed(text: str) -> list[str]:
    """The records that a text lists at its beginning, as a whole: `ADR-1 and ADR-2`, but not `the roles of ADR-3`."""
    found: list[str] = []
    rest = text
    while named := _LISTED.match(rest):
        rest = rest[named.end() :]
        if _PART_OF.match(rest):
            break
        found += names_in(named[1])
    return found


def names_in(text: str) -> list[str]:
    """The records that a text names: the file names in its links, or else its numbers."""
    files = _LINK_TARGET.findall(text) or _FILE.findall(text)
    numbers = _NUMBER.findall(text) or _BARE_NUMBER.findall(text)
    return files or [next(group for group in match if group) for match in numbers]


def apply_succession(readings: Sequence[Reading], kind: str) -> None:
    """Set `is_over` of each record that an accepted record supersedes, and the paths that links between records name.

    A superseded record may not say so itself.
    """
    drafts = [draft for reading in readings for draft in reading.drafts if draft.kind == kind]
    places = _places_of(drafts)
    over: dict[str, str] = {}
    for draft in drafts:
        # Only an accepted record can supersede another one.
        if draft.is_over or draft.content.get("status") != ACCEPTED:
            continue
        for name in draft.replaces:
            target = _find(places, draft, name)
            if target and target != draft.path:
                over[target] = f"superseded at its source, by `{draft.path}`"
    for reading in readings:
        reading.drafts = [_resolved(draft, places, over) if draft.kind == kind else draft for draft in reading.drafts]


def _resolved(draft: ImportedDraft, places: dict[tuple[str, str], str], over: dict[str, str]) -> ImportedDraft:
    links = draft.facts.get("links", [])
    if links:
        paths = [f"{relation} {_find(places, draft, name) or name}" for relation, name in links]
        draft = replace(draft, facts={**draft.facts, "links": list(dict.fromkeys(paths))})
    is_over = over.get(draft.path, "")
    return replace(draft, is_over=is_over) if is_over and not draft.is_over else draft


def _places_of(drafts: Sequence[ImportedDraft]) -> dict[tuple[str, str], str]:
    """The path of each record by its folder and its file name, and by its folder and its number."""
    places: dict[tuple[str, str], str] = {}
    for draft in drafts:
        path = PurePosixPath(draft.path)
        number = _PATH_NUMBER.match(path.name)
        places[(str(path.parent), path.name)] = draft.path
        if number:
            places.setdefault((str(path.parent), number.group(1)), draft.path)
    return places


def _find(places: dict[tuple[str, str], str], draft: ImportedDraft, name: str) -> str:
    return places.get((str(PurePosixPath(draft.path).parent), name), "")
