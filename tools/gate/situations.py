"""Measure the gain by right situations and the loss by misleading ones: paths in the prompt, changed files, a focus.

    python tools/gate/situations.py ../shared/eval/dev/* --markdown docs/recall-quality.md

The judged prompts have no working tree, so their situations are made up. Each memory is anchored to a file; all
memories of one document are anchored to the same file, whose name shares no word with them. A *right* situation is made
from a wanted memory, or from any memory if the prompt has no answer; a *misleading* situation is made from a memory
that was not judged useful. `--markdown` writes the tables into a page, between two comments (see `marked_page.py`);
without it they are printed.
"""

import argparse
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from differences import FALSE_KINDS, Outcome, table, without_gate
from marked_page import show

from cuecard._pure.host.mentioned_paths import mentioned_paths
from cuecard._pure.rank import gate, recall
from cuecard._pure.rank.recall import Recall
from cuecard._pure.requests.request import Request
from cuecard._pure.settings.reader import Settings
from cuecard.evaluate import JudgedPrompt, bootstrap, read_prompts
from judged import NOW, build, read_memories

MARKS = "situations"
UNGATED = ("R@5", "nDCG@5")
GATED = ("R@5", "nDCG@5", "prec", "false")

Memory = dict[str, Any]
Situation = tuple[list[str], list[str], list[str]]
# Makes the text and situation of a prompt from the prompt's text, a file, and tags.
Make = Callable[[str, str, list[str]], tuple[str, Situation | None]]


class Project:
    """A judged project whose memories are anchored to files made up for their sources."""

    def __init__(self, folder: Path) -> None:
        memories = read_memories(folder, has_questions=True)
        self._memories = {memory["id"]: memory for memory in memories}
        sources = sorted({memory["source"].partition("#")[0] for memory in memories})
        self._files = {source: f"src/part{number // 8}/unit{number}.py" for number, source in enumerate(sources)}
        anchored = [
            {**memory, "cuecard": {**memory["cuecard"], "anchors": [self._file_of(memory)]}} for memory in memories
        ]
        self._snapshot, self._ids = build(anchored)
        self.prompts = read_prompts(str(folder / "prompts.jsonl"))

    def _file_of(self, memory: Memory) -> str:
        return self._files[memory["source"].partition("#")[0]]

    def find(self, kind: "Kind", setting: str) -> list[list[str]]:
        """The memories found for each prompt, in the situation that `kind` makes for it."""
        return [self._find_one(prompt, kind, setting) for prompt in self.prompts]

    def _find_one(self, prompt: JudgedPrompt, kind: "Kind", setting: str) -> list[str]:
        text, situation = kind.make(prompt.text, *self._pick(prompt, is_right=kind.is_right))
        config, history = Settings(), list(prompt.history)
        recall = Recall(self._snapshot, Request(text, 5, config, history=history, now=NOW, situation=situation))
        return [self._ids[position] for position, *_rest in recall.choose(5, setting)]

    def _pick(self, prompt: JudgedPrompt, *, is_right: bool) -> tuple[str, list[str]]:
        """The file and tags of the memory from which the situation is made."""
        wanted = sorted(memory for memory, grade in prompt.judgments.items() if grade == 2)
        judged_files = {self._file_of(self._memories[memory]) for memory in prompt.judgments}
        others = [each for each in self._memories.values() if self._file_of(each) not in judged_files and each["tags"]]
        choice = zlib.crc32(prompt.id.encode())
        picked = others[choice % len(others)]
        if is_right and wanted:
            picked = self._memories[wanted[choice % len(wanted)]]
        return self._file_of(picked), picked["tags"]


def alone(text: str, _file: str, _tags: list[str]) -> tuple[str, Situation | None]:
    """The prompt without a situation."""
    return text, None


def with_changed(text: str, file: str, _tags: list[str]) -> tuple[str, Situation | None]:
    """The prompt, and a situation in which the file has changed."""
    return text, ([], [file], [])


def with_focus(text: str, _file: str, tags: list[str]) -> tuple[str, Situation | None]:
    """The prompt, and a situation whose focus is the first of the tags."""
    return text, ([], [], [f"tag:{tag}" for tag in tags[:1]])


def with_path_text(text: str, file: str, _tags: list[str]) -> tuple[str, Situation | None]:
    """The prompt with the file's name in its text, but no situation, so that anchors are not used."""
    return f"{text}\n\nIt is about `{file}`.", None


def with_path(text: str, file: str, tags: list[str]) -> tuple[str, Situation | None]:
    """The prompt with the file's name in its text, and a situation with that path."""
    text, _situation = with_path_text(text, file, tags)
    return text, (mentioned_paths(text), [], [])


@dataclass(frozen=True)
class Kind:
    """A kind of situation, and how it is made."""

    make: Make
    # Whether the situation is made from a wanted memory.
    is_right: bool = True
    # What the gate adds to the logit for a path in the prompt, in 1/1024.
    share: int = gate.PATH_SHARE


SHARES = (0, 512, 1024, 2048, 3072)
TABLES: dict[str, dict[str, Kind]] = {
    "Changed files and a focus": {
        "no situation": Kind(alone),
        "a changed file, right": Kind(with_changed),
        "a changed file, misleading": Kind(with_changed, is_right=False),
        "a focus, right": Kind(with_focus),
        "a focus, misleading": Kind(with_focus, is_right=False),
    },
    "A path in the prompt": {
        "no path": Kind(alone),
        "right, as words alone": Kind(with_path_text),
        "right, against anchors": Kind(with_path),
        "misleading, as words alone": Kind(with_path_text, is_right=False),
        "misleading, against anchors": Kind(with_path, is_right=False),
        **{f"right, with a share of {share}": Kind(with_path, share=share) for share in SHARES},
        **{
            f"misleading, with a share of {share}": Kind(with_path, is_right=False, share=share) for share in SHARES[3:]
        },
    },
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the tables or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args(arguments)
    projects = [Project(folder) for folder in options.projects]
    prompts = [prompt for project in projects for prompt in project.prompts]
    draws = bootstrap.draw([prompt.kind for prompt in prompts])
    tables = []
    for title, kinds in TABLES.items():
        ungated = {name: judge(projects, kind, "off") for name, kind in kinds.items() if kind.share == gate.PATH_SHARE}
        tables.append(table(f"{title}, without a gate", ungated, UNGATED, draws))
        gated = {name: judge(projects, kind, "balanced") for name, kind in kinds.items()}
        tables.append(table(f"{title}, `balanced`", gated, GATED, draws, FALSE_KINDS))
    text = "\n\n".join(tables)
    show(text, MARKS, options.markdown)


def judge(projects: Sequence[Project], kind: Kind, setting: str) -> Outcome:
    """The outcome of all prompts in one kind of situation."""
    outcome = Outcome()
    with mock.patch.object(recall, "PATH_SHARE", kind.share):
        for project in projects:
            found = project.find(kind, setting)
            of_project = without_gate(project.prompts, found)
            for prompt, row in zip(project.prompts, of_project.rows, strict=True):
                if "false" in row:
                    row[prompt.kind] = row["false"]
            outcome.rows += of_project.rows
    return outcome


if __name__ == "__main__":
    main()
