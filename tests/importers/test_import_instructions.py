"""Instruction files: each rule becomes a memory, anchors and included files are read, and every section is reported."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_process import run_in
from cuecard.api import Store
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import parse
from cuecard.importers.titles import make_title
from cuecard.store.records.record_limits import MAX_TITLE_CHARS
from import_sources import by_source


def read(text: str, path: str = "CLAUDE.md") -> dict[str, tuple[str, str]]:
    """The category and the text of the main field of each memory from an instruction file, by title."""
    fields = {"preference": "value", "constraint": "rule", "runbook": "steps", "tech_debt": "description"}
    drafts = read_instructions(parse(text), path, text).drafts
    return {draft.title: (draft.category, draft.content[fields[draft.category]]) for draft in drafts}


@pytest.mark.parametrize(
    ("text", "title", "category"),
    [
        ("- Never log card numbers.", "Never log card numbers", "constraint"),
        (
            "- PR titles must follow **Conventional Commits**.",
            "PR titles must follow Conventional Commits",
            "constraint",
        ),
        ("- Prefer small functions.", "Prefer small functions", "preference"),
        ("- **Imports**: use absolute paths.", "Imports: use absolute paths", "preference"),
        ("When releasing:\n\n- Tag the commit first.", "When releasing: Tag the commit first", "preference"),
        ("- Locales are a submodule. Always clone with `--recurse`.", "Always clone with --recurse", "preference"),
    ],
)
def test_a_line_is_a_rule_or_a_fact(text: str, title: str, category: str) -> None:
    found = read(f"# CLAUDE.md\n\n## Notes\n\n{text}\n")
    [(told, (kind, _field))] = found.items()
    assert kind == category
    assert told.removeprefix("Notes: ") == title


@pytest.mark.parametrize(
    ("heading", "text", "wanted"),
    [
        ("Never commit", "- `a/*.db`, made at run time", {"Never commit: a/*.db, made at run time": "constraint"}),
        ("Naming", "- kebab-case for files and folders", {"kebab-case for files and folders": "preference"}),
        ("Style", "- The tokens are defined in `src/a.css`", {}),
        ("Gotchas", "- **The cache keeps old keys.** Clear it.", {"The cache keeps old keys": "preference"}),
        ("Gotchas", "- The lock is shared by both jobs.", {"The lock is shared by both jobs": "constraint"}),
        ("Testing", "- Unit: `make unit`\n- All: `make all`", {"Testing: make unit, make all": "runbook"}),
        (
            "Testing",
            "If a test fails for no reason:\n\n- Run it alone.\n- Look at the log.",
            {"Testing: If a test fails for no reason: Run it alone; Look at the log": "preference"},
        ),
        (
            "Testing",
            "Follow these rules:\n\n- Mock the clock in tests.\n- Name the case in the test.",
            {"Testing: Mock the clock in tests; Name the case in the test": "preference"},
        ),
        (
            "Testing",
            "- Use a fixture for files.\n- Note: `tmp_path` is one.",
            {"Testing: Use a fixture for files": "preference"},
        ),
        ("Docs", "- `docs/a.md` - the layout\n- `docs/b.md` - the style", {}),
        (
            "Access",
            "- Edit `a/__init__.py` for a new name",
            {"Access: Edit a/__init__.py for a new name": "preference"},
        ),
    ],
)
def test_what_a_line_becomes_follows_its_words_and_its_heading(heading: str, text: str, wanted: dict[str, str]) -> None:
    found = read(f"# Project rules\n\n## {heading}\n\n{text}\n")
    assert {title: category for title, (category, _field) in found.items()} == wanted


def test_boilerplate_and_pointers_are_skipped_with_a_row() -> None:
    text = (
        "# CLAUDE.md\n\nThis file provides guidance to Claude Code when working here.\n\n"
        "## Further Reading\n\n- [Guide](docs/guide.md)\n- [API](https://example.com)\n\n"
        "## Testing\n\nSee [testing](docs/testing.md) for details.\n\n- Test every branch of the parser.\n"
    )
    reading = read_instructions(parse(text), "CLAUDE.md", text)
    assert [draft.title for draft in reading.drafts] == ["Testing: Test every branch of the parser"]
    assert dict(reading.skipped) == {
        "CLAUDE.md#CLAUDE.md": "boilerplate: it says what the file is",
        "CLAUDE.md#CLAUDE.md > Further Reading": "it only says where to read more",
    }


@pytest.mark.parametrize(
    ("path", "front", "anchors"),
    [
        ("CLAUDE.md", "", ()),
        ("packages/api/AGENTS.md", "", ("packages/api/**",)),
        ("packages/api/.cursor/rules/x.mdc", "globs: src/**/*.{ts,tsx}", ("packages/api/src/**/*.{ts,tsx}",)),
        (".github/instructions/x.instructions.md", 'applyTo: "**/*.py,tests/**"', ("**/*.py", "tests/**")),
        (".claude/rules/x.md", "paths:\n  - src/**", ("src/**",)),
        (".github/instructions/x.instructions.md", 'applyTo: "**"', ()),
    ],
)
def test_instructions_are_anchored_where_they_hold(path: str, front: str, anchors: tuple[str, ...]) -> None:
    text = f"---\n{front}\n---\n- Use tabs in every file.\n"
    [draft] = read_instructions(parse(text), path, text).drafts
    assert draft.anchors == anchors


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_files_are_taken_in_within_the_project_and_cycles_end(store: Store, tmp_path: Path) -> None:
    root = Path(store.root)
    write(tmp_path, {"outside.md": "- Use spaces in every file.\n"})
    write(
        root,
        {
            "CLAUDE.md": "@docs/rules.md and @../outside.md, @~/x.md, @docs/link.md, @docs/none.md, `@docs/code.md`\n",
            "docs/rules.md": "- Use tabs in every file.\n\n@../CLAUDE.md @deeper.md\n",
            "docs/deeper.md": "- Prefer short names for loops.\n\n@rules.md\n",
            "docs/code.md": "- Prefer long names for modules.\n",
        },
    )
    (root / "docs" / "link.md").symlink_to(tmp_path / "outside.md")
    document = run_in(store, "import", root / "CLAUDE.md", "--json").document
    created = {row["title"] for row in document["outcomes"] if row["status"] == "created"}
    assert created == {"Use tabs in every file", "Prefer short names for loops"}
    skipped = {row["source"]: row["why"] for row in document["outcomes"] if row["status"] == "skipped"}
    assert skipped["CLAUDE.md#@../outside.md"] == "outside of the project"
    assert skipped["CLAUDE.md#@~/x.md"] == "outside of the project"
    assert skipped["CLAUDE.md#@docs/link.md"] == "reached through a link"
    assert skipped["CLAUDE.md#@docs/none.md"] == "there is no such file"
    parts = {row["source"]: row["into"] for row in document["parts"]}
    assert parts["CLAUDE.md#@docs/rules.md"] == "followed"
    assert parts["docs/deeper.md#@docs/rules.md"] == "read as a file of its own"


def test_files_are_not_followed_for_ever(store: Store) -> None:
    root = Path(store.root)
    words = "apple bridge candle desert engine forest garden hammer island".split()
    chain = {
        f"a{number}.md": f"- Prefer the word {word} for the {word * 2}.\n\n@a{number + 1}.md\n"
        for number, word in enumerate(words)
    }
    write(root, {"CLAUDE.md": "@a0.md\n", **chain})
    document = run_in(store, "import", root / "CLAUDE.md", "--json").document
    assert document["counts"]["created"] == 5
    assert any("over 5 steps" in str(row["why"]) for row in document["outcomes"])


def test_several_sources_are_read_in_one_call_and_no_file_twice(store: Store) -> None:
    root = Path(store.root)
    write(root, {"CLAUDE.md": "- Use tabs in every file.\n", "AGENTS.md": "- Prefer short names for loops.\n"})
    document = run_in(store, "import", root / "CLAUDE.md", root, "--json").document
    assert document["became"] == {"memory": 2, "part": 1}
    assert document["parts"] == [{"source": "CLAUDE.md", "into": "already read, because another file includes it"}]


def test_what_is_gone_from_a_source_is_told_and_a_reworded_rule_is_the_same(store: Store) -> None:
    root = Path(store.root)
    rules = "# Style\n\n- Use tabs in every file.\n- Keep the names of loop variables short.\n"
    write(root, {"CLAUDE.md": rules, "docs/AGENTS.md": "- Prefer ASCII in source files.\n"})
    run_in(store, "import", root)
    write(root, {"CLAUDE.md": "# Style\n\n- Always keep the names of loop variables short.\n"})
    (root / "docs" / "AGENTS.md").unlink()
    rows = by_source(run_in(store, "import", root, "--json"))
    assert {name: row["status"] for name, row in rows.items()} == {
        "CLAUDE.md#Style": "updated",
        "docs/AGENTS.md#(beginning)": "gone",
    }
    assert len(store.memories()) == 2


@given(st.text(max_size=400), st.text(max_size=150))
def test_a_title_is_one_short_line(text: str, before: str) -> None:
    title = make_title(text, " ".join(before.split()))
    assert len(title) <= MAX_TITLE_CHARS
    assert "\n" not in title


PIECES = [
    "# A\n\n",
    "## Style\n\n",
    "- Use tabs.\n",
    "Text of some length about jobs.\n\n",
    "```sh\nmake\n```\n",
    "| a | b |\n|--|--|\n| c | d |\n",
    "See [x](y.md).\n\n",
    "1. Run it.\n2. Ship it.\n",
    "> quote\n\n",
    "When:\n\n",
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_every_section_with_text_has_a_row(text: str) -> None:
    document = parse(text)
    reading = read_instructions(document, "CLAUDE.md", text)
    told = [f"CLAUDE.md#{draft.heading}" for draft in reading.drafts]
    told += [where for where, _why in [*reading.skipped, *reading.parts]]
    for section in document.sections:
        where = f"CLAUDE.md#{section.place}"
        assert "CLAUDE.md" in told or any(row == where or row.startswith(f"{where} > ") for row in told)


def test_a_name_to_fill_in_stays_in_the_title_of_a_command() -> None:
    text = "# Rules\n\n## Tox\n\n- Run tox via uv: `uv run tox -e <env>`\n- `uv run tox -e <env> -- -k name`\n"
    titles = [draft.title for draft in read_instructions(parse(text), "AGENTS.md", text).drafts]
    assert titles == ["Tox: uv run tox -e <env>, uv run tox -e <env> -- -k name"]


def test_a_plan_among_the_rules_is_named_and_gives_no_memory(store: Store) -> None:
    for name in ("rules.md", "plans/cards.md", "team/Plans/old.md"):
        file = Path(store.root, ".agents", name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("# Notes\n\n- Never log card numbers of customers.\n")
    found = by_source(run_in(store, "import", Path(store.root, ".agents"), "--json"))
    plans = {name for name, row in found.items() if row.get("why") == "a plan of one task"}
    assert plans == {".agents/plans/cards.md", ".agents/team/Plans/old.md"}
    assert [memory.title for memory in store.memories()] == ["Never log card numbers of customers"]
