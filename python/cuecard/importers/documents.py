"""Ordinary documents of a project, each as a pointer: a memory that names the document instead of copying it.

Rules: docs/reference/import.md, "Documents".
"""

import re
from collections.abc import Callable

from ..store.records.record_file import Fields
from .adr import is_template
from .draft import NOT_STATED, ImportedDraft, Reading, account, first_sentence, shorten
from .markup.markdown import MarkdownDocument, Section
from .runbooks.parts import prose_of
from .titles import clean_heading, make_title

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
    r"|usage|notes?|faq|reference|api|home)$",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(r"(?!)")
# Such files list what has happened or what is planned, and say nothing that holds.
_LISTS = re.compile(
    r"^(?:changelog|changes|history|news|release[-_ ]?notes?|roadmap|todo|license|authors)\b", re.IGNORECASE
)


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
    """A pointer to the document: its title, its first sentence and its headings."""
    if is_template(document, path):
        return Reading(skipped=[(path, "a template")], files=[path])
    if len(document.text.split()) < MIN_WORDS or _LISTS.match(path.rpartition("/")[2]):
        return Reading(skipped=[(path, "nothing in it to point at")], files=[path])
    folder, _slash, name = path.rpartition("/")
    stem = name.rpartition(".")[0].replace("-", " ").replace("_", " ")
    title = clean_heading(document.title) or stem
    above = folder.rpartition("/")[2]
    title = make_title(title, above if _GENERIC.match(title) and above.lower() not in _FOLDERS else "")
    sentence = next(filter(None, map(_sentence_of, document.sections)), title)
    names = [clean_heading(section.heading) for section in document.sections if section.level in (2, 3)]
    listed = "; ".join([name[:MAX_HEADING_CHARS] for name in dict.fromkeys(names) if name][:MAX_HEADINGS])
    content: Fields = {
        "kind": "technical",
        "rule": shorten(f"{sentence}\nSections: {listed}" if listed else sentence),
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
