"""Writes into each chapter of the specification a table of the test vectors for its rules.

Usage: `python tools/gen_spec_vectors.py`. Every case names its rule (`spec = "7.1"`). A test fails if chapters and
vectors disagree.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = ROOT / "docs" / "spec"
VECTORS = ROOT / "tests" / "vectors"
HEAD = "\n## Vectors\n"


def cases_of_rules() -> dict[str, Counter[str]]:
    """For each rule, the vector files with cases for it, and the number of cases in each file."""
    rules: dict[str, Counter[str]] = defaultdict(Counter)
    for file in sorted(VECTORS.glob("*.toml")):
        text = file.read_text("utf-8")
        for named in re.findall(r'^spec = "([^"]+)"', text, re.MULTILINE):
            for rule in re.findall(r"\d+(?:\.\d+)?", named):
                rules[rule][file.name] += 1
    return rules


def render(chapter: str, number: int, rules: dict[str, Counter[str]]) -> str:
    """The chapter with its table of vectors; without the table if no vectors belong to the chapter."""
    text = chapter.partition(HEAD)[0].rstrip("\n") + "\n"
    mine = {rule: files for rule, files in rules.items() if rule.partition(".")[0] == str(number)}
    if not mine:
        return text
    rows = [f"| {rule} | {_files(mine[rule])} |" for rule in sorted(mine, key=_order)]
    return "\n".join([text, HEAD.strip("\n"), "", "| rule | cases in `tests/vectors` |", "| --- | --- |", *rows, ""])


def _files(files: Counter[str]) -> str:
    return ", ".join([f"`{name}` ({count})" for name, count in sorted(files.items())])


def _order(rule: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", rule)]


def pages() -> dict[Path, str]:
    """The path of each chapter, and the text that the file should have."""
    rules = cases_of_rules()
    return {
        page: render(page.read_text("utf-8"), int(page.name.partition("-")[0]), rules)
        for page in sorted(CHAPTERS.glob("[0-9]*.md"))
    }


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, "utf-8", newline="\n")
