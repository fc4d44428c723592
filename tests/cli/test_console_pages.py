"""Every command in the guides runs, and prints what the page shows."""

import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [DOCS / "quick-start.md", *sorted([*(DOCS / "guides").glob("*.md"), *(DOCS / "concepts").glob("*.md")])]
CHAPTERS = sorted((DOCS / "spec").glob("[0-9]*.md"))
WITH_COMMANDS = [page for page in [*PAGES, *CHAPTERS] if "```console" in page.read_text("utf-8")]
# Commands that need an agent program and its session, a folder of the reader, a browser, or a model. `test_readme.py`
# checks only their options.
NOT_RUN = (
    "cuecard allow http://localhost",
    "cuecard capture preview ~/",
    "cuecard config capture.background.provider",
    "cuecard config embedding.provider",
    "cuecard config sync.",
    "cuecard embed",
    "cuecard search --remote",
    "cuecard share --",
    "cuecard sync",
    "cuecard enrich --model",
    "cuecard hosts",
    "cuecard import .claude/memory",
    "cuecard import .cursor/rules",
    "cuecard import .serena/memories",
    "cuecard import CLAUDE.md",
    "cuecard import mem",
    "cuecard import ~/",
    "cuecard install codex",
    "cuecard uninstall codex",
    "cuecard good",
    "cuecard view",
    "cuecard wrong",
)


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    if sys.platform == "win32":
        pytest.skip("the pages run on a Unix terminal")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return import_module("console_pages")
    finally:
        sys.path.remove(str(ROOT / "tools"))


@pytest.mark.process
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_the_commands_of_a_page_print_what_it_says(runner: ModuleType, page: Path) -> None:
    for step, printed, status in runner.run_page(page.read_text("utf-8")):
        refused = any(line.startswith("error: ") for line in step.expected)
        assert (status != 0) == refused, (step.command, printed)
        if not step.hidden:
            hint = f"`{step.command}`: run `python tools/console_pages.py {page.relative_to(ROOT)}`"
            assert runner.fits(step.expected, printed), (hint, printed)


def test_the_pages_that_show_our_commands_run_them() -> None:
    shown = [
        line
        for page in PAGES
        for block in re.findall(r"^```sh\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    assert [line for line in shown if line.startswith("cuecard ") and not line.startswith(NOT_RUN)] == []


def test_a_page_names_no_folder_of_the_machine_that_filled_it() -> None:
    texts = {page.name: page.read_text("utf-8") for page in WITH_COMMANDS}
    assert [name for name, text in texts.items() if re.search(r"/(?:home|root|tmp|work|Users)/|\.venv/", text)] == []


@pytest.mark.parametrize(
    ("expected", "printed", "fit"),
    [
        (["a"], ["a"], True),
        (["a"], ["a", "b"], False),
        (["a", "..."], ["a", "b", "c"], True),
        (["a", "...", "c"], ["a", "c"], True),
        (["took ... ms"], ["took 12 ms"], True),
        (["took ... ms"], ["took 12", " ms"], False),
    ],
)
def test_three_dots_stand_for_what_differs(
    runner: ModuleType, expected: list[str], printed: list[str], fit: bool
) -> None:
    assert runner.fits(expected, printed) is fit
