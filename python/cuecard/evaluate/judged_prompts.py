"""Judged prompts: texts that a user typed, each with the memories that should be injected for it."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from .json_lines import Row, read_rows, write_rows

IRRELEVANT, ACCEPTABLE, WANTED = 0, 1, 2
# Kinds of prompts for which no memory should be injected; judgments of such prompts are ignored.
UNANSWERABLE_KINDS = ("negative", "noise", "in-vocabulary", "near-miss")


@dataclass(frozen=True)
class JudgedPrompt:
    """A prompt with its judgments."""

    project: str
    id: str
    text: str
    kind: str = ""
    lang: str = ""
    history: tuple[str, ...] = ()
    """The session's previous prompts, oldest first."""
    judgments: dict[str, int] = field(default_factory=dict)
    """The grade of each memory by its name: 2 (should be injected), 1 (acceptable), 0 or not listed (irrelevant)."""
    without: tuple[str, ...] = ()
    """The memories that must be left out of the store when this prompt is asked."""
    source: str = ""
    """Where the prompt comes from: the path of a memory, or a session; "" if unknown."""
    is_reviewed: bool = True
    """Whether a person has checked the judgments. False only if the file with the prompt says so."""
    place: str = field(default="", compare=False)
    """The name of the file and the number of the line with the prompt, for messages."""

    @property
    def key(self) -> tuple[str, str]:
        """The project and the id, by which a run refers to the prompt."""
        return self.project, self.id

    @property
    def wanted(self) -> frozenset[str]:
        """The memories that should be injected for the prompt."""
        return frozenset([memory for memory, grade in self.judgments.items() if grade == WANTED])

    @property
    def is_unanswerable(self) -> bool:
        """Whether no memory should be injected for the prompt."""
        return self.kind in UNANSWERABLE_KINDS or not any(self.judgments.values())

    def as_dict(self) -> dict[str, Any]:
        """The JSON object for the line of a file that stores the prompt."""
        line = {
            "id": self.id,
            "project": self.project,
            "kind": self.kind,
            "lang": self.lang,
            "prompt": self.text,
            "history": list(self.history),
            "judgments": self.judgments,
        }
        made = {"without": list(self.without), "source": self.source}
        return {**line, **{name: value for name, value in made.items() if value}, "reviewed": self.is_reviewed}


def read_prompts(path: "str | os.PathLike[str]", *, is_judged: bool = True) -> list[JudgedPrompt]:
    """The judged prompts of a file, in the order of its lines. Without `is_judged` they may lack kind and judgments.

    Raises InputError, with file and line, if a line is not a prompt, or if two prompts of a project have the same id.
    """
    return join_prompts([[_read_prompt(row, is_judged) for row in read_rows(path)]], os.fspath(path))


def join_prompts(files: Iterable[list[JudgedPrompt]], name: str = "") -> list[JudgedPrompt]:
    """The prompts of several files as one list.

    Raises InputError if two prompts of a project have the same id, or if there are no prompts. `name` is the name of
    the file for the message about no prompts.
    """
    known: dict[tuple[str, str], str] = {}
    prompts = [prompt for file in files for prompt in file]
    for prompt in prompts:
        if prompt.key in known:
            what = f"{prompt.place}: the prompt `{prompt.id}` of `{prompt.project}` is also in {known[prompt.key]}"
            raise InputError(what, "give each prompt of a project an id of its own", field="id", found=f"`{prompt.id}`")
        known[prompt.key] = prompt.place
    if not prompts:
        raise InputError(
            f"`{name}` has no prompts" if name else "there are no prompts", "put one JSON object on a line"
        )
    return prompts


def write_prompts(path: "str | os.PathLike[str]", prompts: Iterable[JudgedPrompt]) -> None:
    """Replace the file at `path` by a file of these prompts. Raises WriteError."""
    write_rows(path, [prompt.as_dict() for prompt in prompts])


def _read_prompt(row: Row, is_judged: bool) -> JudgedPrompt:
    return JudgedPrompt(
        project=row.text("project"),
        id=row.text("id"),
        text=row.text("prompt"),
        kind=row.text("kind", default=None if is_judged else ""),
        lang=row.text("lang", default="en"),
        history=row.texts("history"),
        judgments=_read_judgments(row) if is_judged or row.fields.get("judgments") is not None else {},
        without=row.texts("without"),
        source=row.text("source", default=""),
        is_reviewed=row.fields.get("reviewed", True) is not False,
        place=row.place,
    )


def _read_judgments(row: Row) -> dict[str, int]:
    judgments = row.members("judgments")
    for memory, grade in judgments.items():
        if isinstance(grade, bool) or grade not in (IRRELEVANT, ACCEPTABLE, WANTED):
            raise row.wrong("judgments", "0, 1 or 2 for each memory", f"`{grade!r}` for `{memory}`")
    if row.fields.get("kind") in UNANSWERABLE_KINDS and any(judgments.values()):
        raise row.wrong("judgments", f"none for the kind `{row.fields['kind']}`", f"{len(judgments)} memories")
    return {memory: int(grade) for memory, grade in judgments.items()}
