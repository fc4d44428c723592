"""Lists on a terminal: names shortened in the middle, screen by screen, and columns that keep their place."""

import re
from pathlib import Path

import pytest

from command_process import Ran, run, run_on_terminal
from cuecard import Store
from cuecard.cli.terminal import shorten
from cuecard.errors import MissingError
from records import draft, make_store
from scratch_home import write_user_settings

LONG = "Payments retry through a queue and never by calling the gateway of the bank once more"

pytestmark = pytest.mark.process


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = make_store(tmp_path / "p")
    store.add(draft(LONG))
    return store


def on_terminal(store: Store, *arguments: str, typed: str = "") -> Ran:
    root = Path(store.root)
    return run_on_terminal(root.parent, root, *arguments, typed=typed)


@pytest.mark.parametrize(("name", "most"), [("abc", 3), ("abcdefgh", 4), ("abcdefgh", 5), ("a" * 90, 46)])
def test_a_long_name_loses_its_middle(name: str, most: int) -> None:
    short = shorten(name, most)
    assert len(short) == min(len(name), most)
    begin, _, end = short.partition("…")
    assert name.startswith(begin)
    assert name.endswith(end)


def test_a_path_that_does_not_fit_becomes_a_name_that_commands_take(store: Store) -> None:
    found = on_terminal(store, "search", "payments queue").stdout
    [short] = re.findall(r"^ *\d* *(decisions/payments-\S*…\S+) *$", found, re.MULTILINE)
    assert store.show(short).title == LONG


def test_a_list_shows_a_long_id_on_one_line_and_commands_take_it_so(store: Store) -> None:
    listed = on_terminal(store, "list").stdout
    [short] = re.findall(r"^ *(payments-\S*…\S+) *$", listed, re.MULTILINE)
    assert len(short) == 46
    for name in (short, f"decision/{short}", f".claude/memory/decisions/{short}.json"):
        assert store.show(name).id.startswith("payments-retry-through")
    store.add(draft(LONG.replace("queue", "quite-other-queue")))
    with pytest.raises(MissingError):
        store.show("nothing…here")


def test_a_list_that_is_longer_than_the_screen_waits_after_each(store: Store) -> None:
    for number in range(30):
        store.add(draft(f"Rule {number} of the shop number {number} holds"))
    whole = on_terminal(store, "list", typed="\n\n\n\n").stdout
    assert "[Enter] shows them, [q] quits" in whole
    assert all(f"Rule {number} of" in whole for number in range(30))
    first = on_terminal(store, "list", typed="q\n")
    assert first.code == 0
    assert len(first.stdout.splitlines()) <= 41
    piped = run(Path(store.root).parent, Path(store.root), "list")
    assert len(piped.stdout.splitlines()) == 31


def test_config_lists_what_counts_and_where_it_comes_from(store: Store) -> None:
    write_user_settings({"capture": {"every": 20}})
    root = Path(store.root)
    assert run(root.parent, root, "config", "retrieval.max_inject", "3").code == 0
    lines = run(root.parent, root, "config").stdout.splitlines()
    is_set = [line for line in lines if not line.endswith("  (default)")]
    assert lines[: len(is_set)] == is_set
    assert {"capture.every = 20  (config.json)", "retrieval.max_inject = 3  (memory-config.json)"} <= {*is_set}
    assert "retrieval.max_tokens = 700  (default)" in lines
    assert len(lines) > 50
    assert len({line.partition(" = ")[0] for line in lines}) == len(lines)
    one = run(root.parent, root, "config", "retrieval.max_tokens", "--json").document["settings"]
    assert one == [{"name": "retrieval.max_tokens", "value": 700, "from": "default"}]
