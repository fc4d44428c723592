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


def test_a_quotation_stays_with_the_line_that_leads_to_it() -> None:
    text = "# Writing\n\nAlways hold each page to one standard:\n\n> A guest understands it.\n> Nobody asks twice.\n"
    [draft] = read(text).drafts
    assert draft.content["value"] == (
        "Always hold each page to one standard:\n> A guest understands it.\n> Nobody asks twice."
    )
    assert draft.title == "Writing: Always hold each page to one standard"


def test_a_nested_list_stays_with_the_option_that_leads_to_it() -> None:
    text = (
        "# TITLE: Expire invites\n\n## Status\n\nAccepted\n\n## Context\n\nInvites stay.\n\n## Considered options\n\n"
        "- **Keep them in the table:** This needs these changes:\n\n  - a column for the day\n  - a job that runs\n\n"
        "## Decision\n\nWe do the first thing, and mark what is old.\n"
    )
    [draft] = read_adr(parse(text), "docs/adr/0001.md").drafts
    assert draft.title == "Expire invites"
    assert "This needs these changes: a column for the day; a job that runs" in str(draft.content["context"])
