"""What is noticed when somebody changes the files of a pack or of a project's store behind cuecard's back.

The page docs/reference/sync.md has the same table; the changes are those of the test suite `agmi`.
"""

from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "sync.md"
# Needs a package that only the slow tier installs, and reads hundreds of small stores.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.mark.parametrize("name", ["pack", "project"])
def test_the_page_says_what_is_noticed(name: str) -> None:
    pytest.importorskip("agmi")
    from agmi.check import run  # noqa: PLC0415 - skipped where it is missing

    from tampered import PackAdapter, StoreAdapter  # noqa: PLC0415 - imports the package

    rows = run(PackAdapter() if name == "pack" else StoreAdapter())
    found = {row["edit"].partition(" ")[2]: row["verdict"].lower() for row in rows}
    said = {}
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0] in found:
            said[cells[0]] = cells[1 if name == "pack" else 2]
    assert said == found
    if name == "pack":
        assert set(found.values()) == {"reported"}
