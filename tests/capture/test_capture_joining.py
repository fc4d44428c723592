"""Drafts of one session about one component: the agent is asked once whether they are parts of one decision."""

import shutil

import pytest

from cuecard import Store
from cuecard.capture.commit import commit_drafts
from handed_in import SAID, Json, draft, hand_in, staged, statuses
from records import read_files
from small_project import CONTENTS

TITLES = ("Hosts are compared in lower case", "A wildcard stands for one label", "IPv4 entries match exactly")


def about(title: str, component: str = "", files: list[str] | None = None) -> Json:
    """A draft of a decision with a title, about a component and files."""
    content = CONTENTS["decision"] | SAID["decision"] | {"decision": f"{title}, as the operators of the proxy agreed."}
    more: Json = {"applies_to": [{"component": component}]} if component else {}
    return draft(title, content=content, related_files=files or [], **more)


CUT = [about(title, "egress") for title in TITLES]


def test_parts_of_a_decision_are_not_written_before_the_agent_was_asked(store: Store) -> None:
    done = commit_drafts(store, CUT, asks=True)
    assert [outcome.status for outcome in done.outcomes] == ["asked"] * 3
    assert done.outcomes[1].parts == ("egress", [TITLES[0], TITLES[2]])
    assert "put the parts of one decision into one draft" in done.question
    assert read_files(store) == {}


def test_the_same_drafts_are_written_the_second_time(store: Store) -> None:
    statuses(store, *CUT, asks=True)
    assert statuses(store, *CUT, asks=True) == ["created"] * 3


def test_one_draft_with_all_parts_is_written_at_once(store: Store) -> None:
    statuses(store, *CUT, asks=True)
    assert statuses(store, about("Egress entries match one label, in lower case", "egress"), asks=True) == ["created"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (about(TITLES[0], "Egress "), about(TITLES[1], "egress")),
        (about("`next_job` takes the oldest job"), about("Ties in next_job go by name")),
        (about("Sizes in parse_quantity() are MiB"), about("parse_quantity knows no disk unit")),
        (about(TITLES[0], files=["src/egress.py"]), about(TITLES[1], files=["src/egress.py"])),
    ],
)
def test_a_component_is_named_in_several_ways(store: Store, one: Json, other: Json) -> None:
    assert statuses(store, one, other, asks=True) == ["asked", "asked"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (about(TITLES[0], "egress"), about(TITLES[1], "ingress")),
        (about("PostgreSQL holds the ledger"), about("PostgreSQL is version 17")),
        (about(TITLES[0], files=["a.py", "b.py", "c.py"]), about(TITLES[1], files=["a.py", "b.py", "c.py"])),
    ],
)
def test_drafts_about_different_things_are_written_at_once(store: Store, one: Json, other: Json) -> None:
    assert statuses(store, one, other, asks=True) == ["created", "created"]


def test_a_writer_that_cannot_answer_is_not_asked(store: Store) -> None:
    assert statuses(store, *CUT) == ["created"] * 3


def test_a_dry_run_asks_and_remembers_nothing(store: Store) -> None:
    assert statuses(store, *CUT, asks=True, is_dry_run=True) == ["asked"] * 3
    assert statuses(store, *CUT, asks=True) == ["asked"] * 3


def test_a_draft_is_asked_about_beside_a_memory_of_the_same_session(store: Store) -> None:
    folder = staged(store)
    assert hand_in(store, folder, about(TITLES[0], "egress")).code == 0
    shutil.rmtree(folder)
    second = hand_in(store, staged(store), about(TITLES[1], "egress"))
    assert second.code == 3
    [asked] = second.document["drafts"]
    assert asked["about"] == "egress"
    assert asked["beside"] == ["decision/hosts-are-compared-in-lower-case"]
