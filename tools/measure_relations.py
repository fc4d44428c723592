"""Measure which related memories are shown to the writer of a draft, with the judged pairs of `tests/data/relations`.

    python tools/measure_relations.py [--stores N]

A pair is a draft and an existing memory, its partner, with a verdict on their relation. For each set and each half of
its stores, this program prints for how many pairs of each verdict the partner is among the at most three shown
memories, and for how many unrelated drafts any memory is shown. Without the evaluation set (`CUECARD_EVAL`) a store has
only the 40 existing memories of the pairs, and only drafts whose text is in the data are counted.
"""

import argparse
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "support")]

from cuecard.capture.comparing.neighbours import MAX_NEIGHBOURS, Neighbourhood  # noqa: E402
from cuecard.store.records.memory import Memory  # noqa: E402
from relation_pairs import (  # noqa: E402
    EVALUATION,
    SETS,
    VERDICTS,
    as_record,
    read_pairs,
    read_policies,
    read_project_memories,
    read_store,
    read_store_lists,
    read_unrelated,
)


@dataclass
class Counted:
    """The counts over the measured stores."""

    found: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VERDICTS, 0))
    pairs: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VERDICTS, 0))
    nearest: int = 0
    """How many partners are among the three nearest memories, even if they are not similar enough to be shown."""
    shown: int = 0
    drafts: int = 0
    missed: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        """The counts in one line of text."""
        by_verdict = ", ".join([f"{verdict} {self.found[verdict]}/{self.pairs[verdict]}" for verdict in VERDICTS])
        return (
            f"{name:11} partner shown {sum(self.found.values())}/{sum(self.pairs.values())} ({by_verdict}); "
            f"among the nearest three {self.nearest}/{sum(self.pairs.values())}; "
            f"unrelated drafts shown anything {self.shown}/{self.drafts}"
        )


def read_rows(name: str, of_set: str) -> list[dict[str, Any]]:
    """The memories of a store; without the evaluation set only the existing memories of the pairs."""
    return read_store(name, of_set) if EVALUATION.is_dir() else [pair.existing for pair in read_pairs(of_set)]


def as_memory(row: dict[str, Any]) -> Memory:
    """A memory of a set in the form in which a store reads it."""
    record = as_record(row)
    return Memory(b"", record["category"], f"{record['category']}/{record['id']}.json", record)


def measure(stores: list[str], of_set: str) -> Counted:
    """Find the related memories of each draft in these stores of a set, and count the results."""
    counted = Counted()
    for name in stores:
        memories = [as_memory(row) for row in read_rows(name, of_set)]
        neighbourhood = Neighbourhood(memories)
        for pair in read_pairs(of_set):
            if pair.store == name:
                record = as_record(pair.draft)
                nearest = neighbourhood.find(record, record["category"], least=0.0)
                is_near = pair.existing["id"] in [each.memory.id for each in nearest]
                shown = [each.memory.id for each in neighbourhood.find(record, record["category"])]
                counted.nearest += is_near
                counted.pairs[pair.verdict] += 1
                counted.found[pair.verdict] += pair.existing["id"] in shown
                if pair.existing["id"] not in shown:
                    counted.missed.append(pair.id)
        for draft in read_unrelated(of_set):
            if draft.store == name and (draft.draft or EVALUATION.is_dir()):
                row = draft.draft or read_project_memories(draft.project)[draft.memory]
                record = as_record(row)
                counted.drafts += 1
                counted.shown += bool(neighbourhood.find(record, record["category"]))
    return counted


def measure_policies() -> Counted:
    """Compare the policies of one house, which share words and are about different things, with each other."""
    counted = Counted()
    rows = read_policies()
    existing = [as_memory(policy.memory) for policy in rows if policy.kind == "existing"]
    for policy in rows:
        record = as_record(policy.memory)
        others = Neighbourhood([memory for memory in existing if memory.id != record["id"]])
        shown = [each.memory.id for each in others.find(record, record["category"])]
        if policy.of:
            nearest = [each.memory.id for each in others.find(record, record["category"], least=0.0)]
            counted.nearest += policy.of in nearest
            counted.pairs[policy.kind] += 1
            counted.found[policy.kind] += policy.of in shown
        else:
            counted.drafts += 1
            counted.shown += bool(shown)
    return counted


def main() -> None:
    """Measure the stores, and print a line for each half."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stores", type=int, default=8, help="how many of the first stores are measured")
    stores = sorted(read_store_lists())[: parser.parse_args().stores]
    began = time.perf_counter()
    halves = {"half A": stores[::2], "half B": stores[1::2], "all": stores}
    for of_set in SETS:
        sys.stdout.write(f"the {of_set} set\n")
        for name, some in halves.items():
            counted = measure(some, of_set)
            sys.stdout.write(counted.line(name) + "\n")
            if counted.missed and name == "all":
                sys.stdout.write(f"not shown: {', '.join(counted.missed)}\n")
    sys.stdout.write(f"the policies of one house\n{measure_policies().line('all')}\n")
    seconds = time.perf_counter() - began
    sys.stdout.write(f"at most {MAX_NEIGHBOURS} memories are shown; {seconds:.1f} s\n")


if __name__ == "__main__":
    main()
