"""README and documentation are correct: commands, options and links exist, and examples and sums are right."""

import ast
import json
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import cuecard
from cuecard._pure.settings.reader import GATE_SETTINGS
from cuecard._pure.settings.strategy import STRATEGIES
from cuecard.cli.command_table import COMMANDS as COMMAND_TABLE
from cuecard.cli.command_table import GROUPS, load
from cuecard.store.log.capture_event import KINDS
from cuecard.store.log.events import KEPT_BACK, NOT_ASKING

ROOT = Path(__file__).parents[2]
# Every hand-written page for users; the specification and the generated pages have other tests.
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXT = "\n".join(
    [page.read_text(encoding="utf-8") for page in PAGES if page.parent.name != "spec" and page.name != "commands.md"]
)
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
# Command lines: lines in shell and terminal blocks, and commands in running text and tables.
LINES = [
    line.removeprefix("$ ")
    for kind, text in BLOCKS
    for line in text.splitlines()
    if line.startswith("$ cuecard " if kind in ("", "console") else "cuecard ")
]
MENTIONS = re.findall(r"`(cuecard [a-z][^`]*)`", TEXT)
COMMANDS = list(dict.fromkeys([*LINES, *MENTIONS]))


@pytest.mark.parametrize("line", COMMANDS)
def test_its_commands_and_options_exist(line: str) -> None:
    words = shlex.split(re.split(r"\s# | <<", line)[0].replace("\\|", "|"))[1:]
    command = load(" ".join(words[: 2 if words[0] in GROUPS else 1]))
    options = {name for option in command.options for name in (*option.names, option.off)}
    assert set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(words))) <= options


def test_its_index_answers_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [block] = [text for kind, text in BLOCKS if kind == "python" and "Index.build" in text]
    names: dict[str, Any] = {"cuecard": cuecard}
    checked = 0
    for line in block.splitlines():
        code, _, said = line.partition("  # ")
        if said.startswith("["):
            assert eval(code, names) == ast.literal_eval(said)
            checked += 1
        else:
            exec(code, names)
    assert checked == 3


def test_its_resources_are_named_as_claude_code_wants_them() -> None:
    # A mention in Claude Code has the name of the server before the address.
    mentions = re.findall(r"@[^`\s]*cuecard://", TEXT)
    assert mentions
    assert set(mentions) == {"@cuecard:cuecard://"}


def test_its_sums_are_right() -> None:
    """In the example of an explanation, the points above each sum add up to the sum, so no line may be missing."""
    [block] = [text for _kind, text in BLOCKS if text.startswith("$ ") and "--explain" in text]
    points: list[int] = []
    # The points of the group that is being read; they stand further to the right.
    of_group: list[int] = []
    edge = sums = groups = 0
    for line in block.splitlines():
        found = re.match(r"( {8,}[+-]?\d+)  +(sum)?", line)
        if found and points and len(found[1]) > edge:
            of_group.append(int(found[1]))
        elif found:
            if of_group:
                assert sum(of_group) == points[-1]
                of_group, groups = [], groups + 1
            if found[2]:
                assert sum(points) == int(found[1])
                points, sums = [], sums + 1
            else:
                edge = len(found[1])
                points.append(int(found[1]))
    assert (points, sums, groups > 1) == ([], 2, True)


def test_its_tables_have_every_strategy_and_setting() -> None:
    rows = re.findall(r"^\| `(\w+)`", TEXT, re.MULTILINE)
    assert {*STRATEGIES, *GATE_SETTINGS} <= set(rows)


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").stat().st_size <= 6 * 1024


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if "://" in link:
            continue
        name, _, heading = link.partition("#")
        target = page.parent / name if name else page
        assert target.is_file(), link
        if heading:
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in titles}, link


def import_tool(name: str) -> ModuleType:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(ROOT / "tools"))


def test_the_page_of_commands_is_what_the_code_says() -> None:
    page = import_tool("gen_commands")
    assert page.PAGE.read_text("utf-8") == page.render(), "run `python tools/gen_commands.py`"


def test_every_chapter_of_the_specification_is_listed_and_numbered() -> None:
    chapters = sorted((ROOT / "docs/spec").glob("[0-9]*.md"))
    listed = re.findall(r"^(\d+)\. \[(.+)\]\((.+)\)$", (ROOT / "docs/spec/index.md").read_text("utf-8"), re.MULTILINE)
    assert [name for _number, _title, name in listed] == [chapter.name for chapter in chapters]
    for number, title, name in listed:
        assert int(name.partition("-")[0]) == int(number)
        assert (ROOT / "docs/spec" / name).read_text("utf-8").startswith(f"# {number}. {title}\n")


def test_the_lists_of_chapters_begin_at_their_numbers_on_the_site() -> None:
    """On the site, a Markdown list begins at 1, unless the style sheet has a rule with the heading above the list."""
    parts = re.split(r"^## (.*)$", (ROOT / "docs/spec/index.md").read_text("utf-8"), flags=re.MULTILINE)[1:]
    slugs = [re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in parts[::2]]
    firsts = [int(re.findall(r"^(\d+)\. ", body, re.MULTILINE)[0]) for body in parts[1::2]]
    style = (ROOT / "docs/assets/site.css").read_text("utf-8")
    rules = re.findall(r"^#([\w-]+) \+ ol > li:first-child { counter-set: list-item (\d+); }$", style, re.MULTILINE)
    wanted = [(slug, str(first)) for slug, first in zip(slugs, firsts, strict=True) if first != 1]
    assert rules == wanted


def row_of(page: str, start: str) -> list[str]:
    """The cells of the only table row of a page that begins with `start`; texts in brackets are left out."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    [row] = [line for line in text.splitlines() if line.startswith(start)]
    return [re.sub(r" \(.*\)|\*", "", cell).strip() for cell in row.split("|")[1:-1]]


def test_the_readme_has_the_figures_of_the_pages() -> None:
    """`tools/gate/report.py` writes the figures of `recall-quality.md`."""
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    concept = (ROOT / "docs/concepts/recall.md").read_text("utf-8")
    found = row_of("recall-quality.md", "| no gate, all | without")[2].split()[0]
    without = row_of("recall-quality.md", "| `balanced`, all | without")
    shown, false = without[2].split()[0], without[5].split()[0]
    asked = row_of("recall-quality.md", "| `balanced`, all | with |")[2].split()[0]
    assert f"`balanced` {shown} of the wanted memories without questions and {asked} with them" in concept
    for setting in ("`precise`", "`balanced`", "`eager`"):
        expected = row_of("recall-quality.md", f"| {setting} |" if setting != "`balanced`" else "| `balanced`, the")
        rows = [row_of("recall-quality.md", f"| {setting}, all | {how} |") for how in ("without", "with")]
        figures = [rows[0][2], rows[1][2], rows[0][5]]
        assert expected[1:] == [figure.split()[0] for figure in figures]
    off = [row_of("recall-quality.md", f"| no gate, all | {how} |")[2].split()[0] for how in ("without", "with")]
    assert row_of("recall-quality.md", "| `off` |")[1:3] == off
    home = " ".join((ROOT / "docs/index.md").read_text("utf-8").split())
    assert f"{shown} of the memories that a prompt needs are shown, {asked} if" in home
    assert f"and {false} of the prompts without an answer get a memory" in home
    cpu = row_of("benchmarks.md", "| **the executable, 600 memories**")[1]
    assert f"the whole hook takes {cpu} of the CPU time" in readme
    assert f"Without the gate, {found} of the wanted memories are among the first five" in readme
    assert f"{false} of the prompts without an answer get a memory. Of the wanted memories {shown} are shown" in readme
    assert f"and {asked} if the memories have questions" in readme


# Each table of figures, or the top of its page, must name the command that makes the figures. The figures of
# `comparison.md` are versions of other tools.
FIGURE = re.compile(r"(?<![\w.])\d\.\d\d\b(?! or newer)|\b\d+(?:\.\d+)? (?:ms|MB)\b")
SOURCE = re.compile(r"`(?:make [a-z]|(?:python )?(?:benches|tools|tests)/|cuecard [a-z])")


@pytest.mark.parametrize(
    "page",
    [
        page
        for page in PAGES
        if page.parent.name != "spec" and page.name not in ("commands.md", "comparison.md", "settings.md")
    ],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_every_figure_names_the_command_that_prints_it(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    sections = re.split(r"^(?=## )", re.sub(r"Python \d\.\d+", "", text), flags=re.MULTILINE)
    if SOURCE.search(sections[0]):
        return
    assert [part.splitlines()[0] for part in sections if FIGURE.search(part) and not SOURCE.search(part)] == []


def test_every_chapter_names_the_vectors_of_its_rules() -> None:
    for page, text in import_tool("gen_spec_vectors").pages().items():
        assert page.read_text("utf-8") == text, "run `python tools/gen_spec_vectors.py`"


def test_every_file_of_vectors_and_every_rule_that_a_case_names_exists() -> None:
    rules = import_tool("gen_spec_vectors").cases_of_rules()
    files = {name for counts in rules.values() for name in counts}
    assert files == {file.name for file in (ROOT / "tests/vectors").iterdir() if file.suffix in (".toml", ".jsonl")}
    chapters = {int(page.name[:2]): page.read_text("utf-8") for page in (ROOT / "docs/spec").glob("[0-9]*.md")}
    for name in rules:
        number, _, rule = name.partition(".")
        assert int(number) in chapters
        assert not rule or re.search(rf"^{rule}\. ", chapters[int(number)], re.MULTILINE), name


def test_the_chapters_with_numbers_have_an_example_that_runs() -> None:
    """`test_console_pages.py` runs the examples."""
    wanted = {4, 7, 21, 22, 24, 26, 27, 28, 31, 39}
    pages = [page for page in (ROOT / "docs/spec").glob("[0-9]*.md") if int(page.name[:2]) in wanted]
    assert [page.name for page in pages if "## Example\n" not in page.read_text("utf-8")] == []


def test_the_page_of_file_formats_is_what_the_schemas_say() -> None:
    page = import_tool("gen_formats")
    assert page.PAGE.read_text("utf-8") == page.render(), "run `python tools/gen_formats.py`"


def test_the_page_of_events_has_every_member_and_outcome() -> None:
    text, _, captures = (ROOT / "docs/reference/events.md").read_text("utf-8").partition("\n## Capture\n")
    assert [kind for kind in KINDS if f"\n| {kind} | " not in captures] == []
    named = {name for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    lines = (ROOT / "tests/data/events.jsonl").read_text("utf-8").splitlines()
    members = {name for line in lines for name in json.loads(line)}
    # The example lines were written by the executable, which never writes three of these members; no prompt in them may
    # have a secret.
    assert members | {"embedder", "judge", "sent", "kept"} | set(KEPT_BACK) == named
    assert {name for name in NOT_ASKING if f"`{name}`" not in text} == set()


def test_every_setting_of_the_code_is_in_the_reference() -> None:
    page = (ROOT / "docs/settings.md").read_text("utf-8")
    table = (ROOT / "python/cuecard/assets/settings.tsv").read_text("utf-8").splitlines()
    names = [line.split("\t")[0] for line in table if line and not line.startswith("#")]
    assert len(names) > 50
    assert [name for name in names if name != "name" and f"`{name}`" not in page] == []


def test_every_command_of_the_code_is_in_the_reference() -> None:
    page = (ROOT / "docs/reference/commands.md").read_text("utf-8")
    assert [name for name in COMMAND_TABLE if f"## cuecard {name}\n" not in page] == []


def test_every_command_of_the_reference_has_an_example_that_it_takes() -> None:
    examples = import_tool("gen_commands").read_examples()
    table = (ROOT / "python/cuecard/assets/settings.tsv").read_text("utf-8").splitlines()
    settings = {line.split("\t")[0] for line in table}
    assert set(examples) == set(COMMAND_TABLE)
    for name, example in examples.items():
        program, *words = shlex.split(example.line)
        length = len(name.split())
        assert (program, words[:length]) == ("cuecard", name.split())
        load(name).parse(words[length:], f"cuecard {name}")
        assert set(example.settings) <= settings


def test_every_cell_of_the_comparison_has_its_source() -> None:
    readme = (ROOT / "README.md").read_text("utf-8").partition("## Beside other tools")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in readme.splitlines() if line.startswith("|")]
    tools, facts = rows[0][1:], [row[0] for row in rows[2:-1]]
    page = (ROOT / "docs/comparison.md").read_text("utf-8")
    for tool in tools:
        section = page.partition(f"\n## {tool}\n")[2].partition("\n## ")[0]
        cells = re.split(r"^- \*\*", section, flags=re.MULTILINE)
        assert [cell.partition(":**")[0].lower() for cell in cells[1:]] == facts
        if tool != "cuecard":
            [repository] = re.findall(r"Source: the repository \[`(.*?)`\]", cells[0])
            source = re.compile(rf"\]\(https://github\.com/{re.escape(repository)}/blob/[0-9a-f]{{40}}/[^)\s]+\)")
            assert [cell for cell in cells[1:] if not source.search(cell)] == []


def test_the_page_of_agent_programs_is_what_their_table_says() -> None:
    page = import_tool("gen_hosts")
    text = page.PAGE.read_text("utf-8")
    assert text == page.render(text), "run `python tools/gen_hosts.py`"
