"""Files of instructions for agents (CLAUDE.md, AGENTS.md, Cursor's rules), section by section (SPEC 45.3)."""

import re

from ..store.records.record_file import Fields
from .draft import NOT_STATED, ImportedDraft, Reading, shorten, shorten_all
from .markdown import MarkdownDocument, Section, code_lines, is_numbered, items

KIND = "instructions"
CURSOR_KIND = "cursor"
NAMES = frozenset(
    "claude.md claude.local.md agents.md agents.override.md gemini.md memory.md"
    " .cursorrules .windsurfrules .clinerules copilot-instructions.md".split()
)
# A rule of Cursor with no more text is one memory, whatever its headings.
MAX_WHOLE_CHARS = 1500
MIN_TEXT_CHARS = 20
_COMMANDS = re.compile(
    r"\b(build|test|tests|testing|run|running|commands?|deploy\w*|releas\w*|setup|set up|install\w*|how to|workflow|"
    r"debug\w*|migrat\w*|getting started|빌드|테스트|배포|실행)\b",
    re.IGNORECASE,
)
_DEBT = re.compile(r"\b(todo|to do|tech(nical)? debt|known issues|known bugs|fixme|cleanup|legacy)\b", re.IGNORECASE)
_DECIDED = re.compile(
    r"\b(decisions?|architecture|design|stack|technology|technologies|structure|layout|why)\b|아키텍처|결정",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"\b(constraints?|limitations?|restrictions?|security|forbidden|rules|policy|policies)\b|제약|금지", re.IGNORECASE
)
_STRICT = re.compile(
    r"\b(never|must not|must|do not|don't|always|required|forbidden|prohibited|critical|mandatory)\b|금지|반드시|절대",
    re.IGNORECASE,
)
_FORBIDS = re.compile(r"\b(never|must not|do not|don't|forbidden|prohibited)\b|금지|절대", re.IGNORECASE)
_INDEX_LINE = re.compile(r"^\s*[-*+]\s+\[[^\]]+\]\([^)\s]+\.md\)")


def read_instructions(document: MarkdownDocument, path: str, raw: str) -> Reading:
    """A memory for each section that says something by itself; an index of other files is left aside."""
    reading = Reading()
    if _is_index(raw):
        reading.skipped.append((path, "an index of other files"))
        return reading
    seen: dict[str, int] = {}
    for section in document.sections:
        place = " > ".join([*section.above[-2:], section.heading]) or "(beginning)"
        seen[place] = seen.get(place, 0) + 1
        if seen[place] > 1:
            place = f"{place} ({seen[place]})"
        if len(section.text) < MIN_TEXT_CHARS:
            if section.text:
                reading.skipped.append((f"{path}#{place}", "too short to say something by itself"))
            continue
        reading.drafts.append(_read_section(section, document, path, place))
    return reading


def read_cursor_rule(document: MarkdownDocument, path: str, raw: str) -> Reading:
    """The memories of a rule of Cursor: one where it is short, else one a section; its globs become anchors."""
    globs = tuple(document.values("globs"))
    name = path.rpartition("/")[2].removesuffix(".mdc").replace("-", " ").replace("_", " ")
    title = document.value("description") or document.title or name
    if len(document.text) <= MAX_WHOLE_CHARS:
        text = "\n".join([part for section in document.sections for part in (section.heading, section.text) if part])
        if len(text) < MIN_TEXT_CHARS:
            return Reading(skipped=[(path, "too short to say something by itself")])
        section = Section(1, title, text.splitlines())
        category = "constraint" if _is_strict(section.text) else "preference"
        strength = "strong" if document.value("alwaysApply").lower() == "true" else "default"
        content = _content(category, section, path, strength)
        return Reading([ImportedDraft(category, title, content, CURSOR_KIND, path, "", ("cursor",), globs)])
    reading = read_instructions(document, path, raw)
    reading.drafts = [
        ImportedDraft(each.category, each.title, each.content, CURSOR_KIND, path, each.heading, ("cursor",), globs)
        for each in reading.drafts
    ]
    return reading


def _is_index(raw: str) -> bool:
    """Whether a file is a list of links to others, as `MEMORY.md` of Claude Code."""
    lines = [line for line in raw.splitlines() if line.strip() and not line.startswith("#")]
    return bool(lines) and sum([bool(_INDEX_LINE.match(line)) for line in lines]) * 2 > len(lines)


def _read_section(section: Section, document: MarkdownDocument, path: str, place: str) -> ImportedDraft:
    name = path.rpartition("/")[2]
    heading = section.heading
    is_first = section.level == 1 and section is document.sections[0]
    title = f"{document.title or name}: introduction" if heading.lower() in {"", *NAMES} else heading
    if is_first or (section.level > 2 and len(section.above) > 1):
        title = title if is_first else f"{section.above[-1]}: {heading}"
    category = _category(section, heading)
    stem = name.lower().removesuffix(".md").strip(".")
    return ImportedDraft(category, title, _content(category, section, path), KIND, path, place, (stem,))


def _category(section: Section, heading: str) -> str:
    """The category that the heading and the form of the text tell; a preference where neither does."""
    text = section.text
    if _DEBT.search(heading):
        return "tech_debt"
    if _COMMANDS.search(heading) and (code_lines(text) or is_numbered(text) or _lists_commands(text)):
        return "runbook"
    if _LIMITS.search(heading) or _is_strict(text):
        return "constraint"
    if _DECIDED.search(heading):
        return "decision"
    return "preference"


def _lists_commands(text: str) -> bool:
    """Whether most items of a list have code in them."""
    found = items(text)
    return len(found) > 1 and 2 * sum(["`" in item for item in found]) > len(found)


def _is_strict(text: str) -> bool:
    """Whether most items of a text forbid or demand."""
    found = items(text)
    return bool(found) and 2 * sum([bool(_STRICT.search(item)) for item in found]) > len(found)


def _content(category: str, section: Section, path: str, strength: str = "") -> Fields:
    text, lines = shorten(section.text), shorten_all(items(section.text))
    heading = section.heading or path.rpartition("/")[2]
    told = f"as {path} says"
    if category == "runbook":
        return {"trigger": heading, "steps": shorten_all(code_lines(section.text)) or lines, "verification": NOT_STATED}
    if category == "constraint":
        severity = "high" if _FORBIDS.search(text) else "medium"
        return {"kind": "policy", "rule": text, "impact": [told], "severity": severity, "active": True}
    if category == "tech_debt":
        return {"status": "open", "priority": "medium", "description": text, "reason_deferred": told}
    if category == "decision":
        return {"status": "accepted", "context": heading, "decision": text, "rationale": [told]}
    strength = strength or ("strong" if _STRICT.search(text) else "default")
    return {"topic": heading, "value": text, "reason": told, "strength": strength}
