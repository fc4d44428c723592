"""Code, quotations and nested lists keep their lines and their place (docs/reference/import.md, "Instructions")."""

from __future__ import annotations

from cuecard.importers.adr.record import read_adr
from cuecard.importers.draft import Reading
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import parse

CODE = "```go\nvar (\n    a  = 1\n\n    ;b = `x \\( y`\n)\n```"
INDENTED = CODE.replace("\n", "\n  ").replace("\n  \n", "\n\n")


def read(text: str) -> Reading:
    return read_instructions(parse(text), "AGENTS.md", text)


def test_code_in_an_item_keeps_its_lines() -> None:
    text = f"# Go style\n\n- Declare related variables in one block\n\n  {INDENTED}\n- Never shadow `err`\n"
    first, second = read(text).drafts
    assert first.title == "Go style: Declare related variables in one block"
    assert first.content["value"] == f"Declare related variables in one block\n{CODE}"
    assert second.content["rule"] == "Never shadow `err`"


def test_an_example_behind_a_rule_keeps_its_lines() -> None:
    [draft] = read(f"# Go style\n\n- Use one block for related variables\n- Example:\n  {INDENTED}\n").drafts
    assert draft.content["value"] == f"Use one block for related variables\nExample:\n{CODE}"


def test_an_example_belongs_to_the_rule_before_it_behind_a_fact() -> None:
    items = ["Tidy blocks", "Declare variables in one block", f"Example:\n  {INDENTED}"]
    text = "# A\n\n## Go style\n\n### Blocks\n\n" + "".join([f"- {item}\n" for item in items])
    [draft] = read(text).drafts
    assert draft.content["value"] == f"Declare variables in one block\nExample:\n{CODE}"


def test_a_list_with_code_below_a_line_keeps_the_lines() -> None:
    text = f"# Style\n\nWhen you declare variables:\n\n- Put them into one block\n\n  {INDENTED}\n- Sort them by name\n"
    [draft] = read(text).drafts
    assert draft.content["value"] == (
        f"When you declare variables:\n- Put them into one block\n{CODE}\n- Sort them by name"
    )


def test_a_quotation_stays_with_the_line_that_leads_to_it() -> None:
    text = "# Writing\n\nAlways hold each page to one standard:\n\n> A guest understands it.\n> Nobody asks twice.\n"
    [draft] = read(text).drafts
    assert draft.content["value"] == (
        "Always hold each page to one standard:\n> A guest understands it.\n> Nobody asks twice."
    )
    assert draft.title == "Writing: Always hold each page to one standard"


def test_what_explains_a_command_stays_with_the_command() -> None:
    text = (
        "# Changesets\n\nNever add a changeset for `vendor/`.\n\nBefore a release:\n\n```sh\npnpm changeset\n```\n\n"
        "This will:\n\n1. Ask for the packages\n2. Write a file\n"
    )
    rule, runbook = read(text).drafts
    assert rule.content["rule"] == "Never add a changeset for `vendor/`."
    assert runbook.content["steps"] == [
        "Before a release: pnpm changeset\nThis will:\n- Ask for the packages\n- Write a file"
    ]


def test_a_remark_behind_a_rule_stays_with_the_rule() -> None:
    text = "# Money\n\n```sh\nmake money\n```\n\nNever use floats.\n\nThis will:\n\n- Round wrong\n- Lose cents\n"
    rules = [draft for draft in read(text).drafts if draft.category == "constraint"]
    assert [draft.content["rule"] for draft in rules] == ["Never use floats.\nThis will:\n- Round wrong\n- Lose cents"]


def test_a_nested_list_stays_with_the_option_that_leads_to_it() -> None:
    text = (
        "# TITLE: Expire invites\n\n## Status\n\nAccepted\n\n## Context\n\nInvites stay.\n\n## Considered options\n\n"
        "- **Keep them in the table:** This needs these changes:\n\n  - a column for the day\n  - a job that runs\n\n"
        "## Decision\n\nWe do the first thing, and mark what is old.\n"
    )
    [draft] = read_adr(parse(text), "docs/adr/0001.md").drafts
    assert draft.title == "Expire invites"
    assert "This needs these changes: a column for the day; a job that runs" in str(draft.content["context"])
