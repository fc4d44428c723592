"""Texts that look like steps or like a decision, and are none."""

import pytest

from cuecard.importers.adr import read_adr
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import parse
from cuecard.importers.runbooks.runbook import is_runbook

CONTEXT = "Pictures fill the disk of the server."
RECORD = """# Serve pictures from a bucket

- Pull Request: [#12](https://git.example.org/12)

## Status

Accepted

## Context

Pictures fill the disk of the server.

## Decision

We will serve pictures from a bucket.

```mermaid
graph TD
    A[app] --> B[bucket]
```

_To be filled in when the
record is accepted._

## Outcomes

### Positive Outcomes

- The disk stays small.

### Negative Outcomes

- A new bill each month.
"""


def test_a_record_has_no_diagram_no_placeholder_and_its_outcomes_are_consequences() -> None:
    [draft] = read_adr(parse(RECORD), "docs/adr/0001-pictures.md").drafts
    assert draft.content["decision"] == "We will serve pictures from a bucket."
    assert draft.content["context"] == "Pictures fill the disk of the server."
    told = str(draft.content["consequences"])
    assert "The disk stays small." in told
    assert "A new bill each month." in told


@pytest.mark.parametrize("text", ["TBD", "_TODO_", "[to be decided by the team]"])
def test_a_placeholder_alone_is_no_context(text: str) -> None:
    [draft] = read_adr(
        parse(RECORD.replace("Pictures fill the disk of the server.", text)), "docs/adr/0001-a.md"
    ).drafts
    assert draft.content["context"] == "not stated in the source"


def test_a_sentence_about_what_is_to_be_done_stays() -> None:
    said = "To be decided by the reader is the name of the bucket, which nobody else needs to know."
    [draft] = read_adr(
        parse(RECORD.replace("Pictures fill the disk of the server.", said)), "docs/adr/0001-a.md"
    ).drafts
    assert draft.content["context"] == said


QUALITY = """# Tests

## Test quality

1. **Shape**: Prefer tables of cases over single tests
2. **Worth**: Leave out a test that another one covers
3. **Names**: Say in the name what fails
"""


def test_numbers_before_names_are_no_steps() -> None:
    [draft] = read_instructions(parse(QUALITY), "CLAUDE.md", QUALITY).drafts
    assert draft.category == "preference"
    steps = QUALITY.replace("Test quality", "How to add a test").replace("**Shape**", "**Write the table**")
    steps = steps.replace("**Worth**", "**Run the test**").replace("**Names**", "**Check the name**")
    [draft] = read_instructions(parse(steps), "CLAUDE.md", steps).drafts
    assert draft.category == "runbook"


def test_the_line_that_leads_to_the_steps_is_no_step() -> None:
    text = "# Guide\n\n## Release workflow\n\nBefore a release, agents MUST:\n\n"
    text += "".join(
        [f"### {number}. {do} it\n\n- {do} the tag\n\n" for number, do in enumerate(("Build", "Run", "Push"), 1)]
    )
    [draft] = read_instructions(parse(text), "CLAUDE.md", text).drafts
    assert "Before a release, agents MUST:" in str(draft.content["trigger"])
    assert str(draft.content["steps"][0]).startswith("Build it")


SPEC = (
    "# Pipelines\n\n## Overview\n\nA pipeline has steps.\n\n### Steps\n\n{steps}\n\n## Validation\n\nNames are short.\n"
)


def test_a_section_that_explains_the_member_steps_makes_no_runbook() -> None:
    example = "Define the steps of a pipeline:\n\n```yaml\nsteps:\n  - tool: build\n```"
    assert not is_runbook(parse(SPEC.format(steps=example)), "docs/pipelines.md")
    for steps in ("1. Stop the queue.\n2. Start it.", "```bash\nsystemctl restart queue\n```", "Restart the queue."):
        assert is_runbook(parse(SPEC.format(steps=steps)), "docs/pipelines.md")
