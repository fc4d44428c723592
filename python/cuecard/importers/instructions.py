"""Reads instructions for agents, such as CLAUDE.md, AGENTS.md and rules of Cursor, and notes that are written alike.

Rules: docs/reference/import.md, "Instructions". Their places: `import_places.txt`.
"""

import re
from pathlib import PurePosixPath

from .draft import Reading, account
from .instruction_source import InstructionSource
from .markup.markdown import MarkdownDocument
from .places import NAMES, home_of, note_folder_of, rule_folder_of
from .section_memories import UnitReader
from .section_units import names_its_parts, units_of
from .selection import reason_to_leave
from .subjects import names_topic, topics_of
from .titles import clean_heading, is_over

KIND = "instructions"
CURSOR_KIND = "cursor"
# Claude Code lists its notes in this file, each with a line about it.
_INDEX_NAME = "memory.md"
_SKILL_NAME = "skill.md"
_INDEX_LINE = re.compile(r"^\s*[-*+]\s+\[[^\]]+\]\([^)\s]+\.md\)")
_NO_NAME = re.compile(
    r"(?:claude|agents?|gemini|copilot|cursor|windsurf|cline|instructions?|guidelines|memory|project context|context)"
    r"(?:\.md)?$|^(?:repository|development|project) \w+$|\bfor (?:ai|coding|agents|claude)\b|\bclaude code\b"
    r"|^(?:github )?copilot instructions\b|^instructions for\b",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s[-\u2013\u2014]\s|:\s")
MAX_NAME_CHARS = 60
# A longer name of what a file is about gives way to the name of the file.
MAX_PART_CHARS = 40
_OWN_NAMES = (".instructions.md", ".mdc")
_OWN_NAMES_END = r"(?:\.instructions)?\.(?:mdc?|markdown|mdx)$"
EVERYWHERE = frozenset(("**", "**/*", "*", "**/*.*"))


def read_instructions(
    document: MarkdownDocument, path: str, raw: str, kind: str = KIND, folder: str | None = None
) -> Reading:
    """A memory for each section, with the folder to which it applies as its anchor. Boilerplate is skipped.

    Each skipped section gets a report row. `folder` is the folder to which the file applies: for a file that was
    included with `@`, the folder of the including file. By default it is the file's own folder.
    """
    if _is_index(raw):
        return Reading(skipped=[(path, "an index of other files")], files=[path])
    if path.rpartition("/")[2].lower() == _SKILL_NAME:
        return Reading(skipped=[(path, "a skill, which agents load for its task")], files=[path])
    if is_over(f"{document.title}\n{document.value('description')}"):
        return Reading(skipped=[(path, "deprecated at its source")], files=[path])
    stem = _stem_of(path)
    title = clean_heading(document.value("description") or document.title) or stem
    # If there are several headings of the first level, none of them is a title.
    levels = [section.level for section in document.sections if section.level]
    is_titled = bool(document.value("description", "title")) or levels.count(min(levels, default=0)) < 2
    name = name_of(title) if is_titled else ""
    home = folder_of(path) if folder is None else folder
    anchors = anchors_of(document, home)
    source = InstructionSource(
        path,
        kind,
        name,
        topics_of(stem, PurePosixPath(home).name),
        anchors,
        _titles_of(document, title if is_titled else ""),
        document.value("alwaysApply").lower() == "true",
        (name.rstrip(" .") if len(name) <= MAX_PART_CHARS else "") or stem if stem else "",
        path.rpartition("/")[2].lower() == _INDEX_NAME,
    )
    reading = Reading()
    over = [section for section in document.sections if is_over(clean_heading(section.heading))]
    reading.skipped += [(f"{path}#{section.place}", "deprecated at its source") for section in over]
    held = [section for section in document.sections if section not in over]
    for unit in units_of(held, lambda section: names_its_parts(section, source.titles, source.part)):
        reading.add(_without_weak(UnitReader(unit, source).read()))
    return account(reading, document, path, "the memories of its section")


def _without_weak(reading: Reading) -> Reading:
    """Replace each draft that is left to the agent by a report row with the reason."""
    kept = []
    for draft in reading.drafts:
        why = reason_to_leave(draft)
        if why:
            reading.skipped.append((f"{draft.path}#{draft.heading}", f"left to the agent: {why}"))
        else:
            kept.append(draft)
    reading.drafts[:] = kept
    return reading


def _stem_of(path: str) -> str:
    """The words in the name of a file of rules or notes; "" for a file that its tool has named."""
    name = PurePosixPath(path).name
    is_named = name.lower() not in NAMES and (rule_folder_of(path) or note_folder_of(path) or name.endswith(_OWN_NAMES))
    if not is_named:
        return ""
    # A number only says in which order the files are read.
    stem = re.sub(r"^\d+\s+", "", re.sub(r"[-_.]+", " ", re.sub(_OWN_NAMES_END, "", name)).strip())
    folder = rule_folder_of(path)
    if names_topic(stem) or not folder:
        return stem
    # The folder is for a mode of the tool, such as `.roo/rules-code`, or is one below the rules.
    below = path[len(folder) :].strip("/").split("/")[:-1]
    mode = below[-1] if below else folder.rpartition("/")[2].partition("-")[2]
    return re.sub(r"[-_.]+", " ", mode).strip() or stem


def name_of(title: str) -> str:
    """The part of a title that names a subject; "" if the title only says that the file has instructions."""
    told = " - ".join(_told_in(title))
    return told if len(told) <= MAX_NAME_CHARS else ""


def _told_in(title: str) -> list[str]:
    """The parts of a title that name a subject."""
    return [own for part in _PARTS.split(title) if (own := _own_name(part.strip()))]


def _own_name(part: str) -> str:
    """A part of a title without words at its end that every such title has; "" if it names nothing else."""
    while found := _NO_NAME.search(part):
        part = part[: found.start()].rstrip(" -:") if found.end() == len(part) else ""
        if not names_topic(part):
            return ""
    return part


def _titles_of(document: MarkdownDocument, title: str) -> tuple[str, ...]:
    """The headings that are titles of the whole file, or only say that the file contains instructions."""
    tops = [clean_heading(section.heading) for section in document.sections if section.level == 1]
    return tuple([each for each in (title, *tops) if each and (each == title or _told_in(each) != _PARTS.split(each))])


def folder_of(path: str) -> str:
    """The folder to which a file of instructions applies; "" for the whole project."""
    parent = str(PurePosixPath(path).parent)
    return home_of("" if parent == "." else parent)


def anchors_of(document: MarkdownDocument, folder: str) -> tuple[str, ...]:
    """Patterns of the files to which instructions apply: from front matter, or else all files in `folder`.

    Empty if they apply to the whole project.
    """
    globs = document.values("globs", "applyTo", "paths", "glob", "fileMatchPattern")
    named = [glob.removeprefix("./").lstrip("/") for glob in globs]
    if any(glob in EVERYWHERE for glob in named):
        named = []
    if not folder:
        return tuple(named)
    # Some tools resolve patterns from the repository, others from the folder.
    inside = [glob if glob.startswith(f"{folder}/") else f"{folder}/{glob}" for glob in named]
    return tuple(inside) or (f"{folder}/**",)


def _is_index(raw: str) -> bool:
    """Whether a file is mainly a list of links to other files, such as Claude Code's `MEMORY.md`."""
    lines = [line for line in raw.splitlines() if line.strip() and not line.startswith("#")]
    return bool(lines) and sum([bool(_INDEX_LINE.match(line)) for line in lines]) * 2 > len(lines)
