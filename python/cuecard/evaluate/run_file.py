"""A run: the answers of the engine to judged prompts, with their time and size."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from .json_lines import Row, read_rows, write_rows


@dataclass(frozen=True)
class RunLine:
    """The answer of the engine to one prompt."""

    project: str
    prompt_id: str
    results: tuple[str, ...]
    """The injected memories, best first, without repetition; empty if the engine injected nothing."""
    probabilities: tuple[float | None, ...] = ()
    """The gate's probability of each result; empty without a gate, or if the run's file has no probabilities."""
    ms: float | None = None
    """The time of the recall in milliseconds; None if unknown."""
    tokens: int | None = None
    """The estimated number of tokens of the block with these memories; None if unknown."""
    is_first: bool = False
    """Whether `ms` includes the time for reading the project's memories."""
    strategy: str = ""
    setting: str = ""
    place: str = field(default="", compare=False)
    """The name of the run's file and the number of the line, for messages."""

    @property
    def key(self) -> tuple[str, str]:
        """The prompt's project and id."""
        return self.project, self.prompt_id

    def as_dict(self) -> dict[str, Any]:
        """The JSON object of this line in the run's file."""
        return {
            "project": self.project,
            "prompt_id": self.prompt_id,
            "results": list(self.results),
            "probabilities": list(self.probabilities)
            if any(chance is not None for chance in self.probabilities)
            else [],
            "strategy": self.strategy or None,
            "setting": self.setting or None,
            "ms": None if self.ms is None else round(self.ms, 4),
            "is_first": self.is_first,
            "tokens": self.tokens,
        }


def read_run(path: "str | os.PathLike[str]") -> list[RunLine]:
    """The lines of a run's file. Raises InputError if a line is invalid, or if a prompt has two lines."""
    known: dict[tuple[str, str], str] = {}
    lines = []
    for row in read_rows(path):
        line = _read_line(row)
        if line.key in known:
            what = f"{row.place}: the prompt `{line.prompt_id}` of `{line.project}` is also in {known[line.key]}"
            hint = "a run has one line for each prompt; remove one of the two"
            raise InputError(what, hint, field="prompt_id", found=f"`{line.prompt_id}`")
        known[line.key] = row.place
        lines.append(line)
    return lines


def write_run(path: "str | os.PathLike[str]", lines: Iterable[RunLine]) -> None:
    """Replace the file at `path` by a file of these lines. Raises WriteError."""
    write_rows(path, [line.as_dict() for line in lines])


def _read_line(row: Row) -> RunLine:
    if "results" not in row.fields:
        hint = "add `results`: the memories in their order, or an empty list"
        raise InputError(f"{row.place}: `results` is missing", hint, field="results", found="missing")
    listed = row.texts("results")
    given = row.fields.get("probabilities") or []
    if not isinstance(given, list) or len(given) not in (0, len(listed)):
        raise row.wrong("probabilities", f"a list of {len(listed)}, one for each result", f"`{given!r}`"[:80])
    chances = dict(zip(reversed(listed), reversed([_read_chance(row, value) for value in given]), strict=False))
    results = tuple(dict.fromkeys(listed))
    tokens = row.number("tokens")
    return RunLine(
        project=row.text("project"),
        prompt_id=row.text("prompt_id"),
        results=results,
        probabilities=tuple([chances[memory] for memory in results]) if given else (),
        ms=row.number("ms"),
        tokens=None if tokens is None else int(tokens),
        is_first=row.fields.get("is_first") is True,
        strategy=row.text("strategy", default="") if row.fields.get("strategy") else "",
        setting=row.text("setting", default="") if row.fields.get("setting") else "",
        place=row.place,
    )


def _read_chance(row: Row, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise row.wrong("probabilities", "numbers from 0 to 1", f"`{value!r}` in it")
    return float(value)
