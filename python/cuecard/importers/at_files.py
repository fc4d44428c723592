"""Finds the files that instructions include with `@file`: only files in the project, never through links.

Rules: docs/reference/import.md, "Instructions".
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from .markup.markdown import MarkdownDocument, without_code

# The same limit as in Claude Code.
MAX_DEPTH = 5
MAX_FILES = 50
MAX_BYTES = 1 << 20
_AT = re.compile(r"(?<![\w`@/.])@((?:~/|\.{1,2}/|/)?[\w.-]+(?:/[\w.@-]+)*)")
_CODE_SPAN = re.compile(r"`[^`]*`")
_READ = (".md", ".mdc", ".markdown", ".txt")


@dataclass
class Followed:
    """The files that a document includes."""

    files: list[Path] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """The names of files that must not be read, each with the reason."""


def find_at_files(document: MarkdownDocument, file: Path, root: Path) -> Followed:
    """The files that a document includes. They must be in the project at `root`, and no link may lead to them."""
    followed = Followed()
    for section in document.sections:
        for line in without_code(section.lines):
            for name in _AT.findall(_CODE_SPAN.sub("", line)):
                _follow(name.rstrip(".,;:"), file, root, followed)
    return followed


def _follow(name: str, file: Path, root: Path, followed: Followed) -> None:
    is_path = "/" in name or name.lower().endswith(_READ)
    if name.startswith(("~", "/")):
        followed.refused.append((f"@{name}", "outside of the project"))
        return
    target = _normal(file.parent / name)
    if not target.is_relative_to(root):
        followed.refused.append((f"@{name}", "outside of the project"))
    elif target.is_file():
        if target.resolve() != target:
            followed.refused.append((f"@{name}", "reached through a link"))
        elif target.suffix.lower() not in (*_READ, ""):
            followed.refused.append((f"@{name}", "not Markdown"))
        elif target not in followed.files:
            followed.files.append(target)
    elif is_path and name.lower().endswith(_READ):
        followed.refused.append((f"@{name}", "there is no such file"))


def _normal(path: Path) -> Path:
    """A path without `..` and `.`; links in it are not resolved."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and len(parts) > 1:
            parts.pop()
        elif part not in ("..", "."):
            parts.append(part)
    return Path(*parts)
