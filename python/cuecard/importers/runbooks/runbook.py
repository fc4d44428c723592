"""Reads runbooks in Markdown (docs/reference/import.md, "Other kinds")."""

import itertools
import re
from dataclasses import replace

from ...store.records.record_file import Fields
from ..adr import is_template
from ..draft import IS_TEMPLATE, NOT_STATED, ImportedDraft, Reading, account, shorten_all
from ..line_names import tells_to_do
from ..markup.markdown import MarkdownDocument, Section, code_lines, is_numbered, items
from ..titles import clean_heading, is_over, make_title
from .parts import is_branch, parts_of, prose_of
from .steps import fitting, is_followed, references_of, says_nothing, steps_of, tells_step, whole_lines

KIND = "runbook"
_STEPS = re.compile(
    r"\b(steps?|procedures?|resolution|resolve|remediation|mitigation|recovery|instructions|how to|actions?|fix|"
    r"solution|process)\b",
    re.IGNORECASE,
)
# Headings that only runbooks have.
# `Resolution of same-change conflicts` is about a subject of its own.
_SURELY_STEPS = re.compile(
    r"^(steps|procedure|resolution|remediation|mitigation|recovery( steps)?)\b(?! of\b)", re.IGNORECASE
)
_TRIGGER = re.compile(
    r"\b(when|trigger(?:ed)?|alerts?|meaning|overview|purpose|problem|description|summary|scenario)\b", re.IGNORECASE
)
_SYMPTOMS = re.compile(r"\b(symptoms?|signs|indicators?|impact)\b", re.IGNORECASE)
_WANTED = re.compile(f"{_TRIGGER.pattern}|{_SYMPTOMS.pattern}", re.IGNORECASE)
_VERIFICATION = re.compile(r"\b(verif\w+|validat\w+|confirm\w*|check that it worked|done when)\b", re.IGNORECASE)
_DIAGNOSIS = re.compile(r"\b(?:diagnos\w+|investigat\w+|triage|troubleshoot\w*|debug\w*)\b", re.IGNORECASE)
_ONLY_STEPS = re.compile(r"^\W*(?:steps|procedure)\b(?! of\b)", re.IGNORECASE)
_FINDS_OUT = re.compile(r"\b(?:diagnos\w+|investigat\w+|triage)\b", re.IGNORECASE)
_CAUSE = re.compile(r"\b(root cause|causes?)\b", re.IGNORECASE)
# The category, which is shown before the title anyway.
_LABEL = re.compile(r"^(?:runbook|playbook|sop)\s*[:\u2013\u2014-]\s*", re.IGNORECASE)
# Titles of documents that say how something is done in the project: `How to rotate the keys`, `Release process`.
_PROCEDURE = re.compile(
    r"^\W*(?:how to (?!contribute|use|be\b|work|write|read|install|get|help|report|ask|cite|learn)[a-z]"
    r"|how we (?:release|deploy)"
    r"|(?:(?:\w+ )?(?:release|deployment|deploy|publishing|rollback|on-?call|incident|hotfix|backport|upgrade|rotation"
    r"|restore|recovery|failover|cutover) (?:process|procedure|checklist|steps|instructions))\W*$"
    r"|(?:releasing|cutting an? (?:\w+ )?release|making an? (?:\w+ )?release|rolling back|restoring|rotating"
    r"|troubleshoot(?:ing)?)\b)",
    re.IGNORECASE,
)
# A description of what somebody else does, or of a product for its users.
_OTHER_PLACE = re.compile(
    r"(?:^|/)(?:blog|website|proposals?|rfcs?|tutorials?|examples?|skills|start|learn)(?:/|-)", re.IGNORECASE
)
MIN_STEPS, MAX_FRONT = 3, 20
_TO_TICK = re.compile(r"^\s*[-*+] \[[ x]\] ", re.MULTILINE)
_NAMED = re.compile(r"(^|[/_-])(runbooks?|playbooks?|sops?)([/_.-]|$)", re.IGNORECASE)
_TITLED = re.compile(r"(?<![\w-])(?:run|play)books?(?![\w-])", re.IGNORECASE)
# The page that lists the runbooks of a folder.
_INDEX = re.compile(r"(?:^|[/_-])(?:runbooks?|playbooks?|sops?)/(?:readme|_?index)\.\w+$", re.IGNORECASE)
# `Version 1.0.0` says what is new, and `Deployment reference` what there is.
_OF_A_VERSION = re.compile(r"^\W*(?:version |release )?v?\d+\.\d+", re.IGNORECASE)
_REFERENCE = re.compile(r"\b(?:reference|glossary|inventory|release notes)\W*$", re.IGNORECASE)
_FOLDER = re.compile(r"(?:^|[/_-])(?:runbooks?|playbooks?|sops?)/[^/]+$", re.IGNORECASE)


def may_be_runbook(text: str, path: str) -> bool:
    """Whether a Markdown file says by its path or a heading that steps follow: a quick look before it is parsed."""
    headings = [line for line in text.splitlines() if line.startswith("#")]
    # The title may stand in the front matter.
    titles = [
        line.partition(":")[2].strip(" \"'") for line in text.splitlines()[:MAX_FRONT] if line.startswith("title:")
    ]
    is_titled = bool(headings) and _is_titled(headings[0])
    return (
        is_titled
        or any(_PROCEDURE.match(title) for title in (*titles, *[line.lstrip("# ") for line in headings[:1]]))
        or bool(_NAMED.search(path))
        or any(_SURELY_STEPS.match(line.lstrip("# ")) for line in headings if line.startswith("##"))
    )


def is_in_folder(path: str) -> bool:
    """Whether a file lies directly in a folder for runbooks."""
    return bool(_FOLDER.search(path))


def is_runbook(document: MarkdownDocument, path: str) -> bool:
    """Whether a document says step by step what to do, judged by its path, its title and its content."""
    named = bool(_NAMED.search(path)) or _is_titled(document.title)
    if _INDEX.search(path) or _OF_A_VERSION.match(document.title) or _REFERENCE.search(document.title):
        return False
    below = [section for section in document.sections if section.level > 1]
    headings = [section.heading for section in below]
    has_steps = any(_STEPS.search(heading) for heading in headings)
    has_signs = any(_SYMPTOMS.search(heading) or _VERIFICATION.search(heading) for heading in headings)
    if any(_SURELY_STEPS.match(section.heading) and not _only_shows(section) for section in below) and has_signs:
        return True
    if _PROCEDURE.match(document.title) and not _OTHER_PLACE.search(path) and _tells_steps(document):
        return True
    has_actions = is_numbered(document.text) or bool(code_lines(document.text)) or bool(_TO_TICK.search(document.text))
    return named and (has_steps or has_actions)


def _tells_steps(document: MarkdownDocument) -> bool:
    """Whether a document has a numbered list of several things to do."""
    listed = [block for section in document.sections for block in section.blocks if block.is_ordered]
    return any(
        len(block.items) >= MIN_STEPS and 2 * sum(map(tells_to_do, block.items)) >= len(block.items) for block in listed
    )


def _only_shows(section: Section) -> bool:
    """Whether a section explains steps by an example in code that nobody types, such as YAML, and lists none."""
    code = [block for block in section.blocks if block.kind == "code"]
    has_list = any(block.kind == "list" for block in section.blocks)
    return bool(code) and not has_list and not any(block.is_shell for block in code)


def _is_titled(title: str) -> bool:
    """Whether a title says that the document is a runbook."""
    return bool(_TITLED.search(title))


def read_runbook(document: MarkdownDocument, path: str) -> Reading:
    """The runbook in a document, and a report row for each section, which says what became of the section.

    All sections are kept word for word. A document that is too long for a memory gives a pointer.
    """
    if is_template(document, path):
        return Reading(skipped=[(path, IS_TEMPLATE)], files=[path])
    if is_over(document.title):
        return Reading(skipped=[(path, "deprecated at its source")], files=[path])
    taken: set[int] = set()
    # A section about verification is not a step, even if its heading also matches one.
    verification = _take(document, _VERIFICATION, taken)
    symptoms = _take(document, _SYMPTOMS, taken)
    cause = _take(document, _CAUSE, taken)
    # A condition such as `When the queue is full` leads to steps, and does not say when the whole runbook applies.
    told = [section for section in document.sections if is_branch(section)]
    _take(document, _STEPS, taken)
    found = _take(document, _TRIGGER, taken)
    trigger = [section for section in found if section.level < 3 and section not in told]
    rest = [*verification, *symptoms, *cause, *trigger]
    lines = fitting(_steps_in(document, {id(section) for section in rest}))
    is_told = _FOLDER.search(path) or _is_titled(document.title) or _PROCEDURE.match(document.title)
    if not lines or not (is_told or any(map(tells_step, lines))):
        # A reference may have the word in its name, such as `runbook_worker.md`.
        return Reading(skipped=[(path, "without steps")], files=[path])
    title = _LABEL.sub("", document.title) or path.rpartition("/")[2].removesuffix(".md").replace("-", " ")
    content: Fields = {
        "trigger": _trigger_of(document, trigger) or title,
        "steps": lines,
        "verification": whole_lines([line for section in verification for line in section.lines]) or NOT_STATED,
    }
    signs = shorten_all([item for section in symptoms for item in _signs_of(section)])
    if signs:
        content["symptoms"] = signs
    if any(section.text for section in cause):
        content["root_cause"] = whole_lines([line for section in cause for line in section.lines])
    tags = tuple(dict.fromkeys(["runbook", *document.values("tags")]))
    sections = parts_of(document)
    if not sections:
        # Headings are no steps.
        headings = [clean_heading(section.heading) for section in document.sections if section.level > 1]
        where = f"The steps are in `{path}`" + (f": {'; '.join(dict.fromkeys(headings))}" if headings else "")
        content = {"trigger": content["trigger"], "steps": shorten_all([where]), "verification": NOT_STATED}
    date = document.value("date", "updated")
    draft = ImportedDraft("runbook", make_title(title), content, KIND, path, "", tags, (), date, sections=sections)
    if not sections:
        draft = replace(draft, points_at="")
    return account(Reading([draft]), document, path, "the runbook" if sections else "a pointer to the runbook")


def _signs_of(section: Section) -> list[str]:
    """The items of a section's lists, or its paragraphs. With several lists, each item has the line before its list."""
    blocks = [block for block in section.blocks if block.text]
    if sum([block.kind == "list" for block in blocks]) < 2:
        return items(section.text)
    found: list[str] = []
    lead = ""
    for block, following in itertools.zip_longest(blocks, blocks[1:]):
        if block.kind == "list":
            found += [f"{lead}{item}" for item in block.items]
            lead = ""
        elif following is not None and following.kind == "list":
            lead = f"{' '.join(block.text.split()).rstrip(':')}: "
        else:
            found.append(block.text)
    return found


def _steps_in(document: MarkdownDocument, taken: set[int]) -> list[str]:
    """The steps of the sections that say what to do, those of the diagnosis first."""
    free = [section for section in document.sections if section.level > 1 and section.text and id(section) not in taken]
    written = [section for section in free if not says_nothing(section)]
    found = _with_steps(document, written or free)
    # `Troubleshooting` behind the steps is for what goes wrong with them.
    found.sort(key=lambda section: not _FINDS_OUT.search([*section.above[1:], section.heading][0]))
    return steps_of(found) or references_of(found)


def _with_steps(document: MarkdownDocument, rest: list[Section]) -> list[Section]:
    """The sections of `rest` that say what to do, in their order."""
    branches = [place for place, section in enumerate(rest) if is_branch(section)]
    if len(branches) > 1:
        # What stands before the branches says how to find the one that holds, such as a list of what may be wrong.
        before = [section for section in rest[: branches[0]] if _says_steps(section) or _is_check(section)]
        rest = before + rest[branches[0] :]
    # What shows code before a section called `Steps` explains what they are about.
    begin = next((at for at, section in enumerate(rest) if _ONLY_STEPS.match(section.heading)), 0)
    sure = [
        section
        for at, section in enumerate(rest)
        if _says_steps(section) or (_has_actions(section) and at >= begin) or is_branch(section) or _is_check(section)
    ]
    # A section of a procedure belongs to it, whether it has a list or not.
    parents = {section.above for section in sure if section.level > 2}
    found = [section for section in rest if section in sure or (section.level > 2 and section.above in parents)]
    own = [section for section in document.sections if section.level < 2 and is_numbered(section.text)]
    return found or own or rest


def _says_steps(section: Section) -> bool:
    # A question, such as `How do I renew it?`, is none of the steps.
    names = [name for name in (*section.above[1:], section.heading) if name and not name.rstrip().endswith("?")]
    return any(map(_STEPS.search, names))


def _is_diagnosis(section: Section) -> bool:
    return any(_DIAGNOSIS.search(name) for name in (*section.above[1:], section.heading) if name)


def _is_check(section: Section) -> bool:
    """Whether a section of the diagnosis says what to look at."""
    return _is_diagnosis(section) and is_followed(section)


def _has_actions(section: Section) -> bool:
    return is_numbered(section.text) or any(block.kind == "code" for block in section.blocks)


def _trigger_of(document: MarkdownDocument, trigger: list[Section]) -> str:
    """When the runbook applies: sections about that, else what stands before the first section, without metadata."""
    told = whole_lines([line for section in trigger for line in prose_of(section).split("\n")])
    if told:
        return told
    first = next((section for section in document.sections if section.level < 2 and section.text), None)
    return whole_lines(prose_of(first, _WANTED).split("\n")) if first else ""


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
