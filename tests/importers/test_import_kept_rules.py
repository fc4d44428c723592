"""Ordinary lines of instructions that an import keeps, although they look like something that it leaves out."""

import pytest

from cuecard.importers.draft import Reading
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import parse


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
