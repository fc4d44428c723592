"""The reference says what it implements: each of its files names chapters of the specification that exist."""

import ast
import re
from pathlib import Path

import pytest

import cuecard

PACKAGE = Path(cuecard.__path__[0]) / "_pure"
CHAPTERS = Path(__file__).resolve().parent.parent / "docs" / "spec"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_each_file_opens_with_the_chapter_that_it_implements(path: Path) -> None:
    first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n\n")[0]
    named = re.search(r"\(SPEC (\d[^)]*)\)\.?$", first)
    assert named, f"{path.name} names no chapter"
    for chapter, rule in re.findall(r"(\d+)(?:\.(\d+))?", named[1]):
        (file,) = CHAPTERS.glob(f"{int(chapter):02}-*.md")
        rules = re.findall(r"^(\d+)\. ", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert not rule or rule in rules, f"chapter {chapter} has no rule {rule}"
