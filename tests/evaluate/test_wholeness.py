"""Whole, partial, stale and absent blocks of a set of decisions, and the form of such a set."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cuecard import evaluate
from cuecard.api import Store
from cuecard.errors import InputError
from cuecard.evaluate.decision_set import CUTS
from cuecard.evaluate.wholeness import compare
from cuecard.retrieval.recall import open_recall
from cuecard.store.records.autofix import fix_new
from cuecard.store.records.record_check import check

DATA = Path(__file__).resolve().parents[1] / "data" / "wholeness"

# The number of whole blocks for the 30 bug reports, by cut. The aim is 30 for `whole` and `recap`, and 27 for `cut`.
FLOORS = {"whole": 28, "recap": 29, "cut": 29}

# At most this number of the 48 prompts that need no decision may get a block.
MOST_ANSWERED = 4


def memory(title: str, decision: str, **own: object) -> dict[str, Any]:
    return {
        "category": "decision",
        "title": title,
        "tags": ["invoices"],
        "content": {"status": "accepted", "context": "Invoices.", "decision": decision, "rationale": ["Agreed."]},
        "cuecard": own,
    }


def line(**changes: object) -> dict[str, Any]:
    """A decision about rounding invoices, which was half up at first."""
    return {
        "project": "teashop",
        "id": "rounding",
        "facts": [["rounded once", "one rounding"], "half to even"],
        "stale": ["half up"],
        "bug": "The invoice rounding of round_total is a cent off, how are invoices rounded?",
        "whole": memory("round_total: invoices are rounded once", "Invoices are rounded once, half to even."),
        **changes,
    }


def write(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join([f"{json.dumps(row)}\n" for row in lines]), encoding="utf-8")
    return path


def read(tmp_path: Path, *lines: dict[str, Any]) -> list[evaluate.DecisionSet]:
    return evaluate.read_decision_sets([write(tmp_path / "decisions.jsonl", lines)])


def states(tmp_path: Path, *lines: dict[str, Any]) -> list[tuple[str, str, str]]:
    # The gate is off: these tests are about the comparison.
    found = evaluate.measure_wholeness(read(tmp_path, *lines), setting="off")
    return [(block.cut, block.kind, block.state) for block in found.blocks]


def test_a_block_that_says_every_part_is_whole(tmp_path: Path) -> None:
    assert states(tmp_path, line()) == [("whole", "bug", "whole")]


def test_a_block_that_lacks_a_part_is_partial_and_names_the_part(tmp_path: Path) -> None:
    sets = read(tmp_path, line(whole=memory("round_total rounds once", "Invoices are rounded once.")))
    (block,) = evaluate.measure_wholeness(sets, setting="off").blocks
    assert (block.state, block.missing, block.stale) == ("partial", ("half to even",), ())


def test_a_block_that_says_what_no_longer_holds_is_stale_although_it_is_complete(tmp_path: Path) -> None:
    text = "Invoices are rounded once, half to even. Older ones half up."
    assert states(tmp_path, line(whole=memory("round_total rounds once", text))) == [("whole", "bug", "stale")]


def test_a_prompt_without_a_block_is_absent(tmp_path: Path) -> None:
    assert states(tmp_path, line(bug="hi")) == [("whole", "bug", "absent")]


def test_a_replaced_memory_is_not_shown(tmp_path: Path) -> None:
    old = {**memory("round_total rounds half up", "Invoices are rounded once, half up."), "id": "half-up"}
    new = memory("round_total: invoices are rounded once", "Rounded once, half to even.", supersedes=["half-up"])
    changes = {"whole": new, "cut": [new], "earlier": {"whole": [old], "cut": []}}
    # Without `earlier` for a cut, there is nothing to replace, which is only reported.
    assert states(tmp_path, line(**changes)) == [("whole", "bug", "whole"), ("cut", "bug", "whole")]


def test_case_white_space_and_entities_make_no_difference(tmp_path: Path) -> None:
    (found,) = read(tmp_path, line(facts=["a < b", "Half To Even"]))
    assert compare("when A &lt;  b:\nhalf to\n  even", found.decisions[0]) == ((), ())


def test_prompts_are_counted_apart_from_bug_reports(tmp_path: Path) -> None:
    found = evaluate.measure_wholeness(read(tmp_path, line(prompts=["hi", "ok"])), setting="off")
    counts = found.as_dict()["counts"]["whole"]
    assert (counts["bugs"]["whole"], counts["prompts"]["asked"], counts["prompts"]["absent"]) == (1, 2, 2)


def test_neighbours_are_in_the_store(tmp_path: Path) -> None:
    neighbour = {"project": "teashop", "neighbour": memory("Tea is weighed twice", "Weigh tea twice.")}
    assert evaluate.measure_wholeness(read(tmp_path, line(), neighbour)).memories == {"teashop": {"whole": 2}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"facts": []}, "`facts` is an empty one, expected a list with the texts of each part"),
        ({"facts": [3]}, "`facts` is `3` in it, expected texts, or lists of texts of which one is enough"),
        ({"whole": "round once"}, '`whole` is `"round once"`, expected an object'),
        ({"cut": {}}, "`cut` is something else, expected a list of memories"),
        ({"bug": " "}, "`bug` is an empty one, expected a text that is not empty"),
    ],
)
def test_a_wrong_field_is_named_with_its_line(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, line(**changes))
    assert caught.value.what == f"{tmp_path / 'decisions.jsonl'}:1: {message}"


def test_a_memory_that_is_not_valid_is_named_with_its_line(tmp_path: Path) -> None:
    sets = read(tmp_path, line(whole={**memory("Rounding", "Once."), "content": {"decision": "Once."}}))
    with pytest.raises(InputError, match=r"decisions\.jsonl:1: `whole`: `content.status` of the decision is missing"):
        evaluate.measure_wholeness(sets)


def test_two_memories_with_one_id_are_named_with_their_line(tmp_path: Path) -> None:
    one, two = memory("Rounding", "Once."), memory("Rounding", "Twice.")
    with pytest.raises(InputError, match=r"decisions\.jsonl:1: `cut`: "):
        evaluate.measure_wholeness(read(tmp_path, line(cut=[one, two])))


def test_measuring_vouches_for_no_text_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUECARD_HOME", str(tmp_path / "data"))
    (tmp_path / "data").mkdir(mode=0o700)
    assert states(tmp_path, line()) == [("whole", "bug", "whole")]
    assert not [file for file in (tmp_path / "data").rglob("*") if file.is_file()]


def test_two_decisions_of_a_project_need_two_ids(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the decision `rounding` of `teashop` was there before"):
        read(tmp_path, line(), line())


def test_decisions_in_different_cuts_cannot_be_measured_together(tmp_path: Path) -> None:
    other = line(id="other", cut=[memory("Tea", "Tea.")])
    del other["whole"]
    with pytest.raises(InputError, match="no cut has memories for all decisions of `teashop`"):
        read(tmp_path, line(), other)


def current(decision: evaluate.Decision, cut: str) -> list[dict[str, Any]]:
    """The memories of a decision that no later one replaces."""
    records = [given.fields for given in decision.memories[cut]]
    replaced = {name for record in records for name in record.get("cuecard", {}).get("supersedes", ())}
    return [record for record in records if record.get("id") not in replaced]


def said(record: dict[str, Any]) -> str:
    return json.dumps([record["title"], record["content"]])


def test_the_decisions_of_this_repository_are_complete_in_every_cut() -> None:
    sets = evaluate.read_decision_sets(sorted(DATA.glob("*.jsonl")))
    decisions = [decision for found in sets for decision in found.decisions]
    assert (len(sets), len(decisions)) == (6, 30)
    assert sum([bool(decision.stale) for decision in decisions]) >= 10
    for decision in decisions:
        for cut in CUTS:
            text = " ".join([said(record) for record in current(decision, cut)])
            assert compare(text, decision) == ((), ()), (decision.id, cut)
        pieces = current(decision, "cut")
        assert 4 <= len(pieces) <= 6
        lacking = [len(compare(said(record), decision)[0]) for record in pieces]
        assert max(lacking) < len(decision.facts), decision.id
        former = [
            given.fields for given in decision.memories["whole"] if given.fields not in current(decision, "whole")
        ]
        assert bool(decision.stale) == any(compare(said(record), decision)[1] for record in former)


def test_the_memories_of_this_repository_are_valid() -> None:
    for found in evaluate.read_decision_sets(sorted(DATA.glob("*.jsonl"))):
        for cut in found.cuts:
            for given in found.memories(cut):
                fixed, fixes = fix_new(given.fields, given.fields["category"], "2026-11-28T00:00:00Z")
                assert fixes == [], given.place
                check(fixed)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_few_prompts_that_need_no_decision_get_a_block(tmp_path: Path) -> None:
    # Slow: it writes the memories of six projects, in two cuts.
    found: dict[str, list[str]] = {}
    for row in (DATA / "silent.tsv").read_text(encoding="utf-8").splitlines():
        if not row.startswith("#"):
            project, prompt = row.split("\t")
            found.setdefault(project, []).append(prompt)
    for cut in ("whole", "cut"):
        answered = 0
        for project, prompts in found.items():
            (decisions,) = evaluate.read_decision_sets([DATA / f"{project}.jsonl"])
            root = tmp_path / cut / project
            root.mkdir(parents=True)
            store = Store(root, create=True)
            for given in decisions.memories(cut):
                store.add(given.fields, trust="unreviewed")
            recall = open_recall(str(root), heeds_trust=False)
            answered += sum([bool(recall.inject(prompt).block) for prompt in prompts])
        assert answered <= MOST_ANSWERED, cut


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_as_many_blocks_are_whole_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    found = evaluate.measure_wholeness(evaluate.read_decision_sets(sorted(DATA.glob("*.jsonl"))))
    with capsys.disabled():
        for (cut, kind), tally in found.tallies.items():
            sys.stdout.write(f"\n{cut}, {kind}: {tally.as_dict()}")
    assert {cut: min(floor, found.tally(cut, "bug").states["whole"]) for cut, floor in FLOORS.items()} == FLOORS
    assert not any(block.stale for block in found.blocks)
