"""The chapters, rules and pages of the reference that the code names do exist."""

import ast
import re
from pathlib import Path

import pytest

import cuecard

PACKAGE = Path(cuecard.__path__[0]) / "_pure"
ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = ROOT / "docs" / "spec"
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


def references() -> list[tuple[str, str, str]]:
    """Every mention of a reference page in the code, as: path of the code, page, titles of the named sections."""
    files = [path for folder in ("python", "rust", "tools") for path in (ROOT / folder).rglob("*")]
    found = []
    for file in files:
        if file.suffix in (".py", ".pyi", ".rs", ".txt") and "docs/reference/" in (text := file.read_text("utf-8")):
            for page, titles in re.findall(r'docs/reference/(\w[\w-]*\.md)((?:,? (?:and )?"[^"\n]+")*)', text):
                found.append((file.relative_to(ROOT).as_posix(), page, titles))
    return found


def test_each_page_of_the_reference_that_the_code_names_has_that_section() -> None:
    found = references()
    assert len(found) > 80
    missing = []
    for file, page, titles in found:
        text = (ROOT / "docs" / "reference" / page).read_text("utf-8")
        missing += [(file, page, title) for title in re.findall(r'"(.+?)"', titles) if f"\n## {title}\n" not in text]
    assert missing == []


def test_each_chapter_and_rule_that_the_code_names_exists() -> None:
    chapters = {int(file.name[:2]): file.read_text("utf-8") for file in CHAPTERS.glob("[0-9]*.md")}
    missing = []
    for folder in ("python", "rust", "tests", "tools"):
        for file in [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".pyi", ".rs")]:
            for named in re.findall(r"\bSPEC (\d[\d., to]*\d|\d)", file.read_text("utf-8")):
                for chapter, rule in re.findall(r"(\d+)(?:\.(\d+))?", named):
                    text = chapters.get(int(chapter), "")
                    if not text or (rule and not re.search(rf"^{rule}\. ", text, re.MULTILINE)):
                        missing.append((file.relative_to(ROOT).as_posix(), named))
    assert missing == []


ITEM = re.compile(r"( *)(?:- |\d+\. )")


def test_each_item_of_a_list_in_a_chapter_is_an_item_on_the_site() -> None:
    """Markdown reads an item as a part of the text before it if no empty line ends a paragraph or a deeper list."""
    swallowed = []
    for file in sorted(CHAPTERS.glob("[0-9]*.md")):
        text = re.sub(r"^ *```.*?^ *```$", "", file.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for block in re.split(r"\n\s*\n", text):
            first, *others = block.strip("\n").split("\n")
            is_code = first.startswith("    <")
            begin = ITEM.match(first)
            for line in [] if is_code else others:
                item = ITEM.match(line)
                if item and (begin is None or len(item[1]) < len(begin[1])):
                    swallowed.append(f"{file.name}: {line.strip()[:40]}")
    assert swallowed == []
