"""Procedures in ordinary documents: a title that says so, and things to do in order, make a runbook."""

from pathlib import Path

import pytest

from cuecard.importers.markup.markdown import parse
from cuecard.importers.runbooks.runbook import is_runbook, may_be_runbook, read_runbook
from cuecard.importers.source import ImportSource

STEPS = (
    "1. Cut the branch `release`.\n2. Set the version in `VERSION`.\n"
    "3. Push the tag:\n\n   ```bash\n   git push\n   ```\n"
)


def is_read(text: str, path: str = "docs/release.md") -> bool:
    """Whether a document is a runbook. The quick look before it is parsed must say the same."""
    document = parse(text)
    return may_be_runbook(text, path) and is_runbook(document, path)


@pytest.mark.parametrize(
    "title",
    [
        "Release process",
        "How to rotate the signing keys",
        "Cutting a patch release",
        "Troubleshooting the queue",
        "Database restore procedure",
    ],
)
def test_a_title_of_a_procedure_with_things_to_do_in_order_is_a_runbook(title: str) -> None:
    assert is_read(f"# {title}\n\n{STEPS}")
    assert is_read(f'---\ntitle: "{title}"\n---\n\n{STEPS}')


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"# Release notes\n\n{STEPS}", "docs/release.md"),
        (f"# How to contribute\n\n{STEPS}", "docs/contribute.md"),
        ("# Release process\n\nA release is made each month, and nobody likes it.\n", "docs/release.md"),
        ("# Release process\n\n1. The first version\n2. The second version\n3. The third version\n", "docs/release.md"),
        (f"# How to rotate the keys\n\n{STEPS}", "website/blog/keys.md"),
    ],
)
def test_another_document_is_no_procedure(text: str, path: str) -> None:
    assert not is_read(text, path)


def test_a_procedure_keeps_its_steps_and_code_and_is_offered(tmp_path: Path) -> None:
    text = f"# Release process\n\n## Steps of it\n\n{STEPS}"
    file = tmp_path / "docs" / "release.md"
    file.parent.mkdir()
    file.write_text(text)
    assert ImportSource(str(tmp_path), None, str(tmp_path)).is_runbook(file)
    [draft] = read_runbook(parse(text), "docs/release.md").drafts
    assert draft.title == "Release process"
    assert "   ```bash\n   git push\n   ```" in draft.sections[-1][1]
    assert isinstance(draft.content["steps"], list)
    assert len(draft.content["steps"]) == 3


def test_a_reference_with_a_heading_about_resolution_is_no_runbook() -> None:
    text = "# Configuration\n\n## Resolution of conflicts\n\nSet `x`.\n\n## Signature verification\n\nSet `y`.\n"
    assert not is_read(text, "docs/config.md")
