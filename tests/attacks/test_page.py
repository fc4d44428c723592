"""`docs/attacks.md` lists the attacks of this tree, with the outcomes that `tools/attack_table.py` found.

These tests only compare the page with the files of the attacks. They run no attack, so they are quick.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from attacks.attack import ENTRY_POINTS, LAUNCHER, Attack, read_attacks
from attacks.payloads import LEAST_WITHHELD, VARIANTS, read_payloads
from attacks.racing import as_attack, read_races

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "attacks.md"
ATTACKS = [*read_attacks(), *map(as_attack, read_races())]
TITLES = {
    "executable": "executable",
    "pure": "pure hook",
    "stop": "Stop hook",
    "cli": "command",
    "mcp": "MCP server",
    "launcher": "launchers",
}


def rows() -> list[list[str]]:
    """The cells of every table row of the page, without the header rows."""
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in cells if row[0] not in ("attack", "hook", "---")]


def test_the_page_lists_every_attack_with_all_of_its_variants() -> None:
    listed = {row[0]: row for row in rows() if len(row) == 7}
    families: dict[str, list[Attack]] = {}
    for attack in ATTACKS:
        families.setdefault(attack.family, []).append(attack)
    assert set(listed) == set(families)
    for family, attacks in families.items():
        _name, says, finding, variants, entry_points, runs, _won = listed[family]
        assert says == attacks[0].of_family.replace("|", "\\|")
        assert (finding, int(variants)) == (attacks[0].finding, len(attacks)), family
        used = [
            TITLES[entry_point]
            for entry_point in (*ENTRY_POINTS, LAUNCHER)
            if any(entry_point in attack.entry_points for attack in attacks)
        ]
        assert (entry_points, int(runs)) == (", ".join(used), sum(len(attack.entry_points) for attack in attacks)), (
            family
        )


def test_the_page_counts_what_it_lists() -> None:
    text = PAGE.read_text("utf-8")
    found = re.search(r"^(\d+) attacks in (\d+) runs; (\d+) succeeded", text, re.MULTILINE)
    assert found
    listed = [row for row in rows() if len(row) == 7]
    assert [int(number) for number in found.groups()] == [
        sum(int(row[column]) for row in listed) for column in (3, 5, 6)
    ]


def test_no_attack_on_the_page_succeeded() -> None:
    assert [row[0] for row in rows() if len(row) == 7 and row[6] != "0"] == []
    assert [row for row in rows() if len(row) == 6 and row[3] != "0"] == []


@pytest.mark.parametrize("hook", ["executable", "pure hook"])
def test_the_page_has_the_payloads_of_both_hooks(hook: str) -> None:
    payloads = read_payloads()
    listed = [row for row in rows() if len(row) == 6 and row[0] == hook]
    assert [row[1] for row in listed] == [*VARIANTS]
    addressing = sum(payload.addresses != "none" for payload in payloads)
    for row in listed:
        assert (int(row[2]), int(row[4])) == (len(payloads), addressing)
        assert int(row[5].split()[0]) * 100 >= LEAST_WITHHELD * addressing


def test_security_names_every_group_of_attacks() -> None:
    text = (REPOSITORY / "SECURITY.md").read_text("utf-8")
    groups = Counter(attack.group for attack in ATTACKS)
    assert [group for group in [*groups, "payloads"] if f"`{group}`" not in text] == []
