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


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        ("\u2705", ()),
        ("1\ufe0f\u20e3", ()),
        ("\u2705\n\n| | |\n|---|---|", ()),
        ("| a | b |\n|---|---|\n| \u2705 | |", ()),
        ("- \u2705\n- Use `eval()`.", ("Do not use `eval()`.",)),
    ],
)
def test_a_line_without_a_word_below_a_heading_that_forbids_is_no_rule(body: str, rules: tuple[str, ...]) -> None:
    assert [draft.rules for draft in read(f"# Guide\n\n## Never\n\n{body}\n").drafts] == ([rules] if rules else [])
