"""The cases in which both backends are timed: one list for pytest-benchmark and for the table of ratios."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import cuecard
from made_projects import PROMPT, make_index, make_memory, write_project
from reviewed_home import prepare_home

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    Run = Callable[[], Any]

DESCRIPTIONS = [("decision", "Choices of architecture and their rationale"), ("runbook", "Step by step recovery")]
SMALL, LARGE = 600, 10_000


@dataclass(frozen=True)
class Case:
    """A piece of work that each backend does.

    `prepare` does the untimed part and returns the function that is timed. `read` turns the function's result into a
    value that can be compared between the backends. `budget` is how many times faster the native backend must be; None
    means that there is no limit.
    """

    name: str
    prepare: Callable[[ModuleType], Run]
    read: Callable[[Any], Any] = lambda result: result
    budget: float | None = None


def tokenize_titles(engine: ModuleType) -> Run:
    titles = [str(make_memory(number)[2]["title"]) for number in range(SMALL)]
    return lambda: [engine.tokenize(title, "current") for title in titles]


def parse(size: int) -> Callable[[ModuleType], Run]:
    def prepare(engine: ModuleType) -> Run:
        data = index_of(size)
        return lambda: engine.IndexMd(data)

    return prepare


def read_entries(index: Any) -> list[Any]:  # noqa: ANN401 - of either backend
    return [*index.bad_lines, *index.entries]


def score(size: int) -> Callable[[ModuleType], Run]:
    def prepare(engine: ModuleType) -> Run:
        index = engine.IndexMd(index_of(size))
        return lambda: index.shortlist(PROMPT, "current", DESCRIPTIONS)

    return prepare


def parse_and_score(size: int) -> Callable[[ModuleType], Run]:
    def prepare(engine: ModuleType) -> Run:
        data = index_of(size)
        return lambda: engine.IndexMd(data).shortlist(PROMPT, "current", DESCRIPTIONS)

    return prepare


def recall(engine: ModuleType) -> Run:
    root = project()
    cuecard.recall(PROMPT, root=root)
    loaded = [module for name, module in sys.modules.items() if name.startswith("cuecard.")]
    stages = [module for module in loaded if hasattr(module, "engine")]

    def run() -> Any:  # noqa: ANN401 - a list of hits
        # A process normally has one backend. Here both take turns, so the current backend is set in the seam and in
        # every module that has imported one.
        for module in stages:
            setattr(module, "engine", engine)  # noqa: B010 - it is imported there, not defined
        return cuecard.recall(PROMPT, root=root)

    return run


@cache
def index_of(size: int) -> bytes:
    return make_index(size)


_scratch = TemporaryDirectory(prefix="cuecard-bench-")


@cache
def project() -> Path:
    os.environ.update(prepare_home(Path(_scratch.name, "home")))
    return write_project(Path(_scratch.name, "project"), SMALL)


CASES = [
    Case("tokenize 600 titles", tokenize_titles),
    Case("parse 600 lines", parse(SMALL), read_entries),
    Case("parse 10,000 lines", parse(LARGE), read_entries),
    Case("score 600 entries", score(SMALL), budget=20),
    Case("score 10,000 entries", score(LARGE)),
    Case("parse and score 10,000 lines", parse_and_score(LARGE), budget=30),
    Case("recall from 600 memories, files included", recall),
]
