"""Ordinary documents of a project, each as a pointer: a memory that names the document instead of copying it.

Rules: docs/reference/import.md, "Documents".
"""

import re
from collections.abc import Callable

from ..store.records.record_file import Fields
from . import rule_words, section_words
from .adr import is_template
from .draft import IS_TEMPLATE, NOT_STATED, ImportedDraft, Reading, account, first_sentence, shorten
from .markup.markdown import Block, MarkdownDocument, Section, plain
from .runbooks.parts import prose_of
from .titles import clean_heading, make_title, sentences_of

KIND = "document"
# Fewer words are an index of other documents, or not written yet.
MIN_WORDS = 60
MAX_HEADINGS = 20
MAX_HEADING_CHARS = 80
_FOLDERS = frozenset(("docs", "doc", "documentation"))
# A folder with one of these files is a package.
_MANIFESTS = (
    "package.json",
    "pyproject.toml",
    "setup.py",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "Gemfile",
    "mix.exs",
    "pubspec.yaml",
)
# Headings that do not say what a document is about.
_GENERIC = re.compile(
    r"^(?:readme|index|overview|introduction|intro|about|summary|guide|docs?|documentation|getting started|quick ?start"
    r"|usage|notes?|faq|reference|api|home|synopsis|description|background|purpose)$",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(r"(?!)")
# Such files list what has happened, what is planned or what there is, and say nothing that holds.
_LISTS = re.compile(
    r"^(?:(?:changelog|changes|history|news|release[-_ ]?notes?|roadmap|todo|license|authors)\b"
    r"|(?:summary|table[-_ ]of[-_ ]contents|toc|contents|_?sidebar|_?navigation)(?:\.\w+)?$)",
    re.IGNORECASE,
)
_LINK_LINE = re.compile(r"^\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?\[[^\[\]]{1,200}\]\([^()\s]*\)\s*$")
# Such a sentence says that there is a document, which its title says as well.
_OF_ITSELF = re.compile(
    r"^\W*(?:(?:welcome to|we(?: are|['\u2019]re) (?:glad|happy|excited|pleased))\b"
    r"|in this (?:document|guide|page|section|article|tutorial)\b"
    r"|(?:it|(?:this|the|these|the following)(?: [\w-]+){0,3}? (?:document|guide|page|section|file|readme"
    r"|checklist|template"
    r"|documentation|article|tutorial|folder|directory|runbook|reference)s?)(?: here)?"
    r" (?:\w+ )??(?:outlines?|describes?"
    r"|explains?|provides?|covers?|contains?|summari[sz]es?|defines?|gives?|walks?|helps?|lists?|shows?|documents?"
    r"|details?|discusses|presents?|introduces?|specifies|serves?|includes?|is (?:for|about|not|an?|intended|meant)"
    r"|(?:that )?will|aims?|analy[sz]es)\b)",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:see|refer to)\b[^.]{1,80}\.?$", re.IGNORECASE)
_WARNS = re.compile(
    r"\b(?:instead|deprecated|outdated|obsolete|historical|superseded|no longer|warning|do not|must not)\b",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,500}>")
_ALERT = re.compile(r"^\W*\[!\w+\]\s*")
MIN_STATEMENT_WORDS = 5
MAX_SAID_CHARS = 300
# What so many sections say is told where the document does not say at its beginning what holds.
MAX_TOLD_SECTIONS = 6


def place_of(name: str, has_file: Callable[[str], bool]) -> str:
    """The folder `docs` above a Markdown file, or the file itself if it is the `README.md` of a package in a subfolder.

    "" for any other file. `name` is the path in the project, and `has_file` says whether a path in it is a file.
    """
    *folders, base = name.split("/")
    for depth, folder in enumerate(folders):
        if folder.lower() in _FOLDERS:
            return "/".join(folders[: depth + 1])
    is_readme = bool(folders) and base.lower() == "readme.md"
    return name if is_readme and any(has_file("/".join([*folders, each])) for each in _MANIFESTS) else ""


def read_document(document: MarkdownDocument, path: str) -> Reading:
    """A pointer to the document: its title, what it says first and its headings."""
    if is_template(document, path):
        return Reading(skipped=[(path, IS_TEMPLATE)], files=[path])
    is_list = _LISTS.match(path.rpartition("/")[2]) or _LISTS.fullmatch(clean_heading(document.title))
    if len(document.text.split()) < MIN_WORDS or is_list or _is_contents(document):
        return Reading(skipped=[(path, "nothing in it to point at")], files=[path])
    folder, _slash, name = path.rpartition("/")
    stem = name.rpartition(".")[0].replace("-", " ").replace("_", " ")
    title = clean_heading(document.title) or stem
    above = folder.rpartition("/")[2]
    title = make_title(title, above if _GENERIC.match(title) and above.lower() not in _FOLDERS else "")
    names = [clean_heading(section.heading) for section in document.sections if section.level in (2, 3)]
    listed = "; ".join([name[:MAX_HEADING_CHARS] for name in dict.fromkeys(names) if name][:MAX_HEADINGS])
    said = _said_in(document) or next(filter(None, map(_sentence_of, document.sections)), title)
    content: Fields = {
        "kind": "technical",
        "rule": shorten(f"{said}\nSections: {listed}" if listed else said),
        "impact": [NOT_STATED],
        "severity": "low",
        "active": True,
    }
    tag = re.sub(r"[^\w]+", "-", (above if _GENERIC.match(stem) else stem).lower()).strip("-") or KIND
    draft = ImportedDraft("constraint", title, content, KIND, path, "", (tag,), points_at="")
    return account(Reading([draft]), document, path, "a pointer to the document")


def _sentence_of(section: Section) -> str:
    """The first sentence of a section's prose; "" if it has none."""
    return first_sentence(prose_of(section, _NO_LABEL)) if section.text else ""


def _is_contents(document: MarkdownDocument) -> bool:
    """Whether a document is mainly a list of links to others."""
    lines = [line for section in document.sections for line in section.lines if line.strip()]
    return 2 * sum([bool(_LINK_LINE.match(line)) for line in lines]) > len(lines)


def _said_in(document: MarkdownDocument) -> str:
    """What a document says before its first section, or else what its sections say; "" if they state nothing."""
    top = [section for section in document.sections if section.level < 2] or document.sections[:1]
    warning = next(filter(None, map(_warning_of, top)), "")
    first = next(filter(None, map(_statement_of, top)), "")
    if warning or first:
        return "\n".join(dict.fromkeys([part for part in (warning, first) if part]))
    told = []
    for section in document.sections:
        heading = clean_heading(section.heading)
        statement = (
            _statement_of(section, "" if _GENERIC.match(heading) else f"{heading}:") if section.level > 1 else ""
        )
        told += [statement if _GENERIC.match(heading) else f"{heading}: {statement}"] if statement else []
    return "\n".join(dict.fromkeys(told[:MAX_TOLD_SECTIONS]))


def _warning_of(section: Section) -> str:
    """A box that says that the document does not hold, or what to do instead; "" if there is none."""
    for block in section.blocks:
        text = _text_of(block) if block.kind in ("html", "quote") else ""
        if _WARNS.search(text) and len(text.split()) >= MIN_STATEMENT_WORDS:
            return shorten(text, MAX_SAID_CHARS)
    return ""


def _statement_of(section: Section, heading: str = "") -> str:
    """The first sentence of a section that states something, or a line with the list that it leads to; "" for none.

    A `heading` leads to a list without such a line, and is not repeated.
    """
    lead = heading
    for block in section.blocks:
        if block.kind == "list" and lead:
            pairs = zip(block.raw_items, block.items, strict=True)
            said = [item for raw, item in pairs if not (_LINK_LINE.match(raw) or rule_words.is_pointer(raw))]
            listed = "; ".join([first_sentence(item).rstrip(".;") for item in said])
            if listed:
                return shorten(listed if lead == heading else f"{lead} {listed}", MAX_SAID_CHARS)
        lead = ""
        text = _text_of(block) if block.kind in ("paragraph", "quote") else ""
        # A box that warns is told by itself.
        for sentence in sentences_of("" if block.kind == "quote" and _WARNS.search(text) else text):
            if sentence.endswith(":"):
                lead = sentence
            elif _states(sentence):
                return shorten(sentence, MAX_SAID_CHARS)
    return ""


def _text_of(block: Block) -> str:
    return " ".join(_ALERT.sub("", _TAG.sub(" ", plain(block.text))).split())


def _states(sentence: str) -> bool:
    is_pointing = rule_words.is_pointer(sentence) or _POINTS.search(sentence) or _OF_ITSELF.match(sentence)
    return len(sentence.split()) >= MIN_STATEMENT_WORDS and section_words.is_sentence(sentence) and not is_pointing
