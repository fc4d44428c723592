"""Sections whose heading or line says that what is below it must not be done."""

import pytest

from cuecard.importers.draft import Reading
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import parse


def read(text: str) -> Reading:
    return read_instructions(parse(text), "AGENTS.md", text)


@pytest.mark.parametrize("heading", ["Do not", "Avoid", "Never run"])
def test_code_alone_below_a_heading_that_forbids_is_a_constraint(heading: str) -> None:
    [draft] = read(f"# Guide\n\n## {heading}\n\n```bash\ngit push --force\n```\n").drafts
    assert (draft.category, draft.title) == ("constraint", f"{heading}: Never run git push --force")
