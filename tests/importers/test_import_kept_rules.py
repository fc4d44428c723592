"""Ordinary lines of instructions that an import keeps, although they look like something that it leaves out."""

import pytest

from cuecard.importers.draft import Reading
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import parse
from cuecard.importers.section_units import leads


def read(text: str, path: str = "CLAUDE.md") -> Reading:
    return read_instructions(parse(text), path, text)


def told(text: str) -> list[str]:
    """The main texts of the memories of a file."""
    return [str(draft.content.get("rule") or draft.content.get("value")) for draft in read(text).drafts]


# Items without a text


@pytest.mark.parametrize("heading", ["TODO", "Do not", "Rules", "Naming rules", "Limits", "How to fix it", "Never do:"])
@pytest.mark.parametrize("empty", ["- \u274c\n", "- \u2705\n", "- [ ]\n", "- <b></b>\n", "- \n", "\u274c\n\u2705\n\n"])
def test_an_item_without_a_text_is_passed_over(heading: str, empty: str) -> None:
    rule = "Never pump water by hand."
    drafts = read(f"# Pumps\n\n## {heading}\n\n{empty}- {rule}\n{empty.rstrip()}\n").drafts
    assert [rule in str(draft.content) for draft in drafts] == [True]


# Commands


def read_commands(code: str) -> tuple[list[object], list[str]]:
    """The steps of each memory for a block of commands, and why something was left out."""
    reading = read(f"# Acme\n\n## Commands\n\n```bash\n{code}\n```\n")
    return [draft.content["steps"] for draft in reading.drafts], [why for _where, why in reading.skipped]


def as_steps(code: str) -> list[str]:
    return [f"```bash\n{code}\n```"]


@pytest.mark.parametrize(
    "command",
    [
        "make clean  # never deletes the database",
        "make dev  # avoid on a laptop",
        "make check  # do not run twice",
        "make test-bad  # bad input only",
        "make errors  # wrong-way tests",
        "curl https://never.example.com/x",
        "curl https://bad.example.com/#wrong",
        "acme deploy//wrong",
        "echo \u2717",
    ],
)
def test_a_command_stays_whatever_its_comment_or_address_says(command: str) -> None:
    assert read_commands(f"make all\n{command}") == ([as_steps(f"make all\n{command}")], [])


@pytest.mark.parametrize(
    "code",
    [
        "acme test -f a  # WRONG - it hangs\nmake all",
        "make all\nacme test -f a  // wrong, it hangs",
        "make all\nacme test -f a  # \u274c it hangs",
        "# BAD\nacme test -f a\nacme test -f b\n# right\nmake all",
        "# Incorrect:\nacme test -f a\n\nmake all",
        "# \u274c\nacme test -f a\n\nmake all",
    ],
)
def test_a_command_that_is_shown_as_wrong_is_no_step_and_the_others_are(code: str) -> None:
    [steps], _left = read_commands(code)
    assert str(steps).replace("# right\\n", "").replace("\\n\\n", "\\n") == str(as_steps("make all"))


def test_a_block_of_wrong_commands_is_no_step_of_the_block_before_it() -> None:
    wrong = "```bash\nacme test -f a  # WRONG - it hangs\n```\n"
    reading = read(f"# Acme\n\n## Commands\n\n```bash\nmake test\n```\n\n{wrong}")
    assert [draft.content["steps"] for draft in reading.drafts] == [as_steps("make test")]
    assert [draft.title for draft in reading.drafts] == ["Commands: make test"]


def test_a_block_of_wrong_commands_belongs_to_the_rule_before_it() -> None:
    wrong = "```bash\nacme test -f a  # WRONG - it hangs\n```\n"
    [rule] = told(f"# Acme\n\n## Filters\n\nNever filter before the dashes:\n\n{wrong}")
    assert rule == f"Never filter before the dashes:\n{wrong.strip()}"


# Below headings for words, names and places


@pytest.mark.parametrize("heading", ["Type definitions", "API definitions", "Terminology rules", "Glossary updates"])
def test_a_heading_with_a_word_for_glossaries_in_it_is_none(heading: str) -> None:
    [draft] = read(f"# Acme\n\n## {heading}\n\nPut shared types in `types/`, one in each file.\n").drafts
    assert draft.category == "preference"


@pytest.mark.parametrize("heading", ["Glossary", "Domain terminology", "Definitions"])
def test_a_strict_line_in_a_glossary_is_a_rule(heading: str) -> None:
    rule = "Never edit `schema.d.ts` by hand."
    [draft] = read(f"# Acme\n\n## {heading}\n\n### Schema\n\nUse it for all types of the server.\n\n{rule}\n").drafts
    assert rule in str(draft.content["rule"])
    assert draft.content["kind"] == "policy"


@pytest.mark.parametrize(
    "line",
    [
        "String literals use single quotes",
        "String literals in single quotes",
        "Spring beans with constructor injection",
        "Naming is in camelCase",
        "Testing requires a real database",
        "Everything below the root in small letters",
    ],
)
def test_a_convention_is_no_name_of_an_activity(line: str) -> None:
    assert told(f"# App\n\n## Code style\n\n- {line}\n") == [line]


@pytest.mark.parametrize("line", ["Reviewing the changes of others", "Opening a request", "(Writing of tests)"])
def test_the_name_of_an_activity_is_no_convention(line: str) -> None:
    assert told(f"# App\n\n## Code style\n\n- {line}\n") == []


@pytest.mark.parametrize(
    "line",
    [
        "Old clients drop the header silently",
        "Cache keys ignore the tenant of the request",
        "The sandbox rejects uploads above 5 MB",
        "Redis evicts keys of all tenants alike",
        "Postgres locks both tables during a merge of two branches",
        "The gateway crashed twice on a full disk",
    ],
)
def test_a_statement_below_a_heading_for_pitfalls_is_a_fact(line: str) -> None:
    assert told(f"# App\n\n## Gotchas\n\n- {line}\n") == [line]


# What stands behind a rule


@pytest.mark.parametrize(
    "line",
    [
        "Keep this folder free of generated code.",
        "Never write to this directory by hand.",
        "Treat these three folders as read-only: `a/`, `b/` and `c/`.",
        "Use these colours only: red `#f00`, green `#0f0`.",
        "Keep that in mind: the pool is shared by all tenants.",
        "Never use this in `prod.py`: `eval()`.",
        "This holds for all queries: name the tenant.",
    ],
)
def test_a_rule_that_names_behind_itself_what_it_is_about_stays(line: str) -> None:
    assert told(f"# Acme\n\n## Rules\n\n- {line}\n") == [line]


@pytest.mark.parametrize(
    ("lead", "line"),
    [
        ("", "When a column is dropped, never drop it in the release of the code."),
        ("Rules:\n\n", "If the upload fails, keep its log for the owner."),
    ],
)
def test_a_rule_behind_numbered_steps_is_no_step(lead: str, line: str) -> None:
    steps = ["Write the file of the change.", "Run the tool on it.", "Name both directions."]
    text = "".join([f"{number}. {step}\n" for number, step in enumerate(steps, start=1)])
    drafts = read(f"# Acme\n\n## Adding a migration\n\n{text}\n{lead}- {line}\n- Always name the table.\n").drafts
    [draft] = drafts
    told = draft.content["steps"]
    assert isinstance(told, list)
    assert [step.partition("\n")[0] for step in told] == steps
    assert line in draft.sections[0][1]


def test_ordered_lines_that_only_forbid_are_no_steps() -> None:
    lines = "1. No mocks of the database.\n2. No sleep in a test.\n3. Names are sentences.\n"
    assert "runbook" not in {draft.category for draft in read(f"# A\n\n## How to write tests\n\n{lines}").drafts}


@pytest.mark.parametrize("heading", ["When not to use mocks", "When to mock", "If to mock at all"])
def test_a_heading_that_asks_when_is_no_condition_of_the_rules_below_it(heading: str) -> None:
    assert told(f"# Acme\n\n## {heading}\n\n- Never mock the database.\n") == ["Never mock the database."]


DOCUMENTS = "| page | link |\n|---|---|\n| docs/one.md | [x](docs/x.md) |\n| docs/two.md | [y](docs/y.md) |\n"


@pytest.mark.parametrize(
    "rules",
    [
        "- Never edit `a.sql` by hand\n- Keep one table per file\n- Docs on it:\n",
        "- Never edit `a.sql` by hand.\n- Keep one table per file. Docs on it:\n",
        "- Never edit `a.sql` by hand.\n- Docs on it:\n",
    ],
)
def test_a_list_that_leads_to_documents_is_kept_with_them(rules: str) -> None:
    assert told(f"# Acme\n\n## Tables\n\n{rules}\n{DOCUMENTS}") == [f"{rules}{DOCUMENTS}".strip()]


def test_code_that_ends_with_a_colon_leads_to_nothing() -> None:
    [section] = parse(f"# Jobs\n\n```yaml\nname: a\nsteps:\n```\n\n{DOCUMENTS}").sections
    assert [leads(block) for block in section.blocks] == [False, False]
