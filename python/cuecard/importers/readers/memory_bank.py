"""Reads a memory bank, as Cline, Roo Code and Kilo Code keep it: `memory-bank/systemPatterns.md` and its neighbours.

Rules: docs/reference/import.md, "Other kinds".
"""

import re
from dataclasses import replace

from ..draft import Reading
from ..instructions import read_instructions
from ..markup.markdown import MarkdownDocument, Section
from ..titles import clean_heading

KIND = "memory-bank"
STATE = "the state of the work at one time"
_FOLDER = re.compile(r"(?:^|/)\.?memory-bank/", re.IGNORECASE)
OTHER = "left to the agent: a document beside the files of a memory bank"
# The files that every memory bank has, and those whose name says that they have rules.
_OWN_FILES = re.compile(
    r"(?:^|/)(?:project[-_]?brief|product[-_]?context|system[-_]?patterns|tech[-_]?context|active[-_]?context|progress"
    r"|decision[-_]?log|brief|product|context|architecture|tech)\.md$"
    r"|(?:standards?|conventions?|rules?|guidelines?|patterns?|decisions?|style|constraints?|gotchas)[^/]*\.md$",
    re.IGNORECASE,
)
# Files about what is being done now.
_STATE_FILES = re.compile(r"(?:^|/)(?:active[-_]?context|progress|tasks?|current|session)[^/]*$", re.IGNORECASE)
_STATE = re.compile(
    r"\b(?:current|recent|latest|next steps?|in progress|progress|status|what works|what's (?:left|working)|remaining"
    r"|completed?|achievements?|done|session|changelog|update history|history|milestones?|roadmap|timeline|tasks?"
    r"|open questions|blockers?|focus|accomplishments?|summary of (?:major )?changes)\b|[\u2705\u2611]",
    re.IGNORECASE,
)
# What stays true after the work: sections that are read in any file.
_LASTING = re.compile(
    r"\b(?:decisions?|patterns?|preferences?|learnings?|lessons?|insights?|conventions?|rules?|known issues"
    r"|constraints?|gotchas?|considerations)\b",
    re.IGNORECASE,
)


def is_memory_bank(path: str) -> bool:
    """Whether a file lies in a memory bank."""
    return bool(_FOLDER.search(path))


def read_memory_bank(document: MarkdownDocument, path: str, raw: str) -> Reading:
    """The rules and facts of a file. What only says how far the work is gets a row of the report."""
    if not _OWN_FILES.search(path):
        return Reading(skipped=[(path, OTHER)], files=[path])
    is_state_file = bool(_STATE_FILES.search(path))
    lasting = [section for section in document.sections if not _is_state(section, is_state_file=is_state_file)]
    reading = read_instructions(replace(document, sections=lasting), path, raw, KIND, "")
    kept = {section.place for section in lasting}
    states = [section for section in document.sections if section.place not in kept and section.text]
    reading.skipped += [(f"{path}#{section.place}", STATE) for section in states]
    return reading


def _is_state(section: Section, *, is_state_file: bool) -> bool:
    headings = [clean_heading(name) for name in (*section.above, section.heading)]
    if any(_LASTING.search(heading) for heading in headings[-2:]):
        return False
    return is_state_file or any(_STATE.search(heading) for heading in (*headings[1:], section.heading))
