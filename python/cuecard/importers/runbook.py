"""Reads runbooks in Markdown (docs/reference/import.md, "Other kinds")."""

import re

from ..store.records.record_file import Fields
from .adr import is_template
from .draft import NOT_STATED, ImportedDraft, Reading, account, shorten, shorten_all
from .markdown import MarkdownDocument, Section, code_lines, is_numbered, items
from .titles import make_title

KIND = "runbook"
_STEPS = re.compile(
    r"\b(steps?|procedures?|resolution|resolve|remediation|mitigation|recovery|instructions|how to|actions?|fix|"
    r"solution|process)\b",
    re.IGNORECASE,
)
# Headings that only runbooks have.
_SURELY_STEPS = re.compile(r"^(steps|procedure|resolution|remediation|mitigation|recovery( steps)?)\b", re.IGNORECASE)
_TRIGGER = re.compile(
    r"\b(when|trigger|alerts?|overview|purpose|problem|description|summary|scenario)\b", re.IGNORECASE
)
_SYMPTOMS = re.compile(r"\b(symptoms?|signs|indicators?|impact)\b", re.IGNORECASE)
_VERIFICATION = re.compile(r"\b(verif\w+|validat\w+|confirm\w*|check that it worked|done when)\b", re.IGNORECASE)
_CAUSE = re.compile(r"\b(root cause|causes?)\b", re.IGNORECASE)
_NAMED = re.compile(r"(^|[/_-])(runbooks?|playbooks?|sops?)([/_.-]|$)", re.IGNORECASE)


def is_runbook(document: MarkdownDocument, path: str) -> bool:
    """Whether a document says step by step what to do, judged by its path, its title and its content."""
    named = bool(_NAMED.search(path)) or "runbook" in document.title.lower() or "playbook" in document.title.lower()
    headings = [section.heading for section in document.sections if section.level > 1]
    has_steps = any(_STEPS.search(heading) for heading in headings)
    has_signs = any(_SYMPTOMS.search(heading) or _VERIFICATION.search(heading) for heading in headings)
    if any(_SURELY_STEPS.match(heading) for heading in headings) and has_signs:
        return True
    return named and (has_steps or is_numbered(document.text) or bool(code_lines(document.text)))


def read_runbook(document: MarkdownDocument, path: str) -> Reading:
    """The runbook in a document, and a report row for each section, which says what became of the section."""
    if is_template(document, path):
        return Reading(skipped=[(path, "a template")], files=[path])
    taken: set[int] = set()
    # A section about verification is not a step, even if its heading also matches one.
    verification = _take(document, _VERIFICATION, taken)
    symptoms = _take(document, _SYMPTOMS, taken)
    cause = _take(document, _CAUSE, taken)
    steps = _take(document, _STEPS, taken)
    trigger = _take(document, _TRIGGER, taken)
    if not steps:
        rest = [section for section in document.sections if id(section) not in taken]
        numbered = [section for section in rest if is_numbered(section.text)]
        steps = numbered or [section for section in rest if section.level > 1 and section.text]
    lines = [line for section in steps for line in _steps_of(section)]
    if not lines:
        return Reading(skipped=[(path, "without steps")], files=[path])
    title = document.title or path.rpartition("/")[2].removesuffix(".md").replace("-", " ")
    first = next((section for section in document.sections if section.level < 2 and section.text), None)
    lead = first.text if first and not trigger else ""
    content: Fields = {
        "trigger": shorten("\n".join([section.text for section in trigger]) or lead or title, 1000),
        "steps": shorten_all(lines),
        "verification": shorten("\n".join([section.text for section in verification]), 1000) or NOT_STATED,
    }
    found = shorten_all([item for section in symptoms for item in items(section.text)])
    if found:
        content["symptoms"] = found
    if any(section.text for section in cause):
        content["root_cause"] = shorten("\n".join([section.text for section in cause]), 1000)
    tags = tuple(dict.fromkeys(["runbook", *document.values("tags")]))
    draft = ImportedDraft(
        "runbook", make_title(title), content, KIND, path, "", tags, (), document.value("date", "updated")
    )
    reading = Reading([draft])
    used = {*taken, *[id(section) for section in steps], *([id(first)] if lead else [])}
    reading.skipped += [
        (f"{path}#{section.place}", "a runbook has no field for it")
        for section in document.sections
        if section.text and id(section) not in used
    ]
    return account(reading, document, path, "the runbook")


def _take(document: MarkdownDocument, pattern: re.Pattern[str], taken: set[int]) -> list[Section]:
    """The sections with a heading that matches a pattern, and the sections below them, except sections in `taken`.

    They are added to `taken`.
    """
    found = []
    for section in document.sections:
        names = [name for name in (*section.above[1:], section.heading) if name]
        if section.level > 1 and id(section) not in taken and any(pattern.search(name) for name in names):
            taken.add(id(section))
            found.append(section)
    return found


def _steps_of(section: Section) -> list[str]:
    lines = items(section.text)
    code = code_lines(section.text)
    if section.level > 2 and lines:
        return [f"{section.heading}: {lines[0]}", *lines[1:]] if len(lines) > 1 else [f"{section.heading}: {lines[0]}"]
    return lines or code
