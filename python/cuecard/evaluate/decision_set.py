"""Sets of decisions, each as the memories that were made of it, with the reports that need the whole decision."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from .json_lines import Row, read_rows

# The ways to make memories of a decision: one memory that was written with care, one whose text is what the agent said
# at the end of the session, or several memories that each say a part.
CUTS = ("whole", "recap", "cut")
SINGLE = ("whole", "recap")


@dataclass(frozen=True)
class GivenMemory:
    """A memory as the file gives it: the fields that `cuecard add` takes, and the line for messages."""

    fields: dict[str, Any]
    place: str


@dataclass(frozen=True)
class Decision:
    """A decision with what a block for it must say, and the prompts that need all of it."""

    project: str
    id: str
    facts: tuple[tuple[str, ...], ...]
    """The parts of the decision. A block says a part if it contains one of the part's texts."""
    stale: tuple[str, ...]
    """Texts that held once. A block that contains one of them is stale."""
    asked: tuple[tuple[str, str], ...]
    """The kind (`bug` or `prompt`) and the text of each prompt."""
    memories: dict[str, tuple[GivenMemory, ...]]
    """The memories of the decision by cut, in the order in which they are written; replaced memories come first."""


@dataclass(frozen=True)
class DecisionSet:
    """The decisions of one project, and memories about other subjects, which recall must leave out."""

    project: str
    decisions: tuple[Decision, ...]
    neighbours: tuple[GivenMemory, ...]

    def memories(self, cut: str) -> list[GivenMemory]:
        """The memories of the project if its decisions are divided in this way, in the order of writing."""
        return [*self.neighbours, *[memory for decision in self.decisions for memory in decision.memories[cut]]]

    @property
    def cuts(self) -> list[str]:
        """The cuts in which each decision of the project has memories."""
        return [cut for cut in CUTS if all(decision.memories.get(cut) for decision in self.decisions)]


def read_decision_sets(paths: "Iterable[str | os.PathLike[str]]") -> list[DecisionSet]:
    """The decisions of some files by project. A project may be spread over several files.

    Raises InputError, with file and line, if a line is neither a decision nor a neighbour, if two decisions of a
    project have the same id, or if a project has no cut in which all its decisions have memories.
    """
    decisions: dict[str, dict[str, Decision]] = {}
    neighbours: dict[str, list[GivenMemory]] = {}
    names = [os.fspath(path) for path in paths]
    for row in [row for name in names for row in read_rows(name)]:
        project = row.text("project")
        if "neighbour" in row.fields:
            neighbours.setdefault(project, []).append(_read_memory(row, "neighbour", row.members("neighbour")))
            continue
        decision = _read_decision(row, project)
        known = decisions.setdefault(project, {})
        if decision.id in known:
            what = f"{row.place}: the decision `{decision.id}` of `{project}` was there before"
            raise InputError(what, "give each decision of a project an id of its own", field="id", found=decision.id)
        known[decision.id] = decision
    if not decisions:
        listed = ", ".join([f"`{name}`" for name in names])
        raise InputError(f"there are no decisions in {listed}", "put one JSON object on a line")
    found = [
        DecisionSet(project, tuple(known.values()), tuple(neighbours.get(project, ())))
        for project, known in decisions.items()
    ]
    for decision_set in found:
        if not decision_set.cuts:
            what = f"no cut has memories for all decisions of `{decision_set.project}`"
            raise InputError(what, "give each decision of a project the same cut", field="whole")
    return found


def _read_decision(row: Row, project: str) -> Decision:
    facts = tuple([_read_fact(row, fact) for fact in row.fields.get("facts") or ()])
    if not facts:
        raise row.wrong("facts", "a list with the texts of each part", "an empty one")
    asked = [("bug", row.text("bug"))] if "bug" in row.fields else []
    asked += [("prompt", text) for text in row.texts("prompts")]
    if not asked:
        raise row.wrong("bug", "a text, or texts in `prompts`", "missing")
    earlier = row.members("earlier") if "earlier" in row.fields else {}
    memories = {}
    for cut in CUTS:
        if cut in row.fields:
            listed = [row.members(cut)] if cut in SINGLE else row.fields[cut]
            memories[cut] = _read_memories(row, cut, earlier, listed)
    return Decision(project, row.text("id"), facts, row.texts("stale"), tuple(asked), memories)


def _read_fact(row: Row, fact: object) -> tuple[str, ...]:
    texts = fact if isinstance(fact, list) else [fact]
    if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise row.wrong("facts", "texts, or lists of texts of which one is enough", f"`{fact}` in it")
    return tuple(texts)


def _read_memories(row: Row, cut: str, earlier: dict[str, Any], listed: object) -> tuple[GivenMemory, ...]:
    return tuple(_check_list(row, f"earlier.{cut}", earlier.get(cut) or []) + _check_list(row, cut, listed))


def _check_list(row: Row, name: str, listed: object) -> list[GivenMemory]:
    if not isinstance(listed, list):
        raise row.wrong(name, "a list of memories", "something else")
    return [_read_memory(row, name, memory) for memory in listed]


def _read_memory(row: Row, name: str, memory: object) -> GivenMemory:
    if not isinstance(memory, dict):
        raise row.wrong(name, "a memory as an object", "something else")
    return GivenMemory(memory, f"{row.place}: `{name}`")
