"""Simulates people who judge what they are shown, and measures what recall makes of it.

    python tools/simulate_learning.py PROJECT PROMPTS [PROJECT PROMPTS ...]

PROJECT is a folder with memories, which is copied, and PROMPTS its judged prompts. Half of the prompts are asked in
twelve sessions each, and each memory that is shown gets a verdict: a right one, one of which a fifth is wrong, or a
random one. Then all prompts are asked again. Quality is the harmonic mean of two shares: the useful share of what is
shown, and the shown share of what is wanted. `first` is the share of the answered prompts whose first memory is useful,
which is what an order of near-ties can change. `learned` has the points of memories and the gate's shift; `kept away`
has in addition the prompts for which a memory was said to be wrong. The last rows have the means.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

FOLDER = tempfile.mkdtemp(prefix="cuecard-learning-")
os.environ["CUECARD_HOME"] = str(Path(FOLDER, "data"))
os.environ["XDG_CONFIG_HOME"] = str(Path(FOLDER, "config"))

from cuecard._backend import answer_prompt_event, engine  # noqa: E402 - the folders come first
from cuecard.evaluate.engine import Engine  # noqa: E402
from cuecard.evaluate.judged_prompts import JudgedPrompt, read_prompts  # noqa: E402
from cuecard.files.environment import Environment  # noqa: E402
from cuecard.files.user_folder import open_store_folder  # noqa: E402
from cuecard.library.verdict_log import DERIVED, Verdict, derived_text  # noqa: E402

WAYS = {"right": 0.0, "a fifth wrong": 0.2, "random": 0.5}
ROUNDS = 12


def main(arguments: list[str]) -> None:
    """Print a table with a row for each project and way of judging."""
    print("| project | verdicts | quality before | learned | kept away | first before | learned | shift | moved |")
    print("| --- | --- | --: | --: | --: | --: | --: | --: | --: |")
    rows: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    for source, judged in zip(arguments[::2], arguments[1::2], strict=True):
        root = Path(FOLDER, Path(source).name)
        shutil.copytree(source, root)
        prompts = read_prompts(judged)
        lines = [kept_of(root, prompt.text) for prompt in prompts[::2]]
        for way, share in WAYS.items():
            rows[way].append(simulate(root, prompts, lines, share))
            print_row(root.name, way, rows[way][-1])
    for way, figures in rows.items():
        print_row("mean", way, [sum(column) / len(figures) for column in zip(*figures, strict=True)])


def print_row(name: str, way: str, figures: list[float]) -> None:
    """Print a row: five shares, and two numbers."""
    cells = [*[f"{figure:.3f}" for figure in figures[:5]], *[f"{figure:g}" for figure in figures[5:]]]
    print(f"| {name} | {way} | {' | '.join(cells)} |", flush=True)


def simulate(root: Path, prompts: list[JudgedPrompt], lines: list[str], share: float) -> list[float]:
    """The figures of a row; `lines` are what is kept of every second prompt.

    `share` is the share of verdicts that say the opposite of what is right.
    """
    chance = random.Random(7)
    memory_dir = str(root / ".claude" / "memory")
    write(memory_dir, "")
    before = answers(root, prompts)
    verdicts: list[Verdict] = []
    for turn in range(ROUNDS):
        for place, prompt in enumerate(prompts[::2]):
            kept = lines[place]
            for path, is_useful in before[2 * place]:
                says_good = is_useful != (chance.random() < share)
                data = (root / path).read_bytes()
                verdicts.append(
                    Verdict(
                        id=f"v{len(verdicts)}",
                        at="2026-01-01T00:00:00Z",
                        kind="good" if says_good else "wrong",
                        path=path,
                        trust_hash=engine.trust_hash(data) or "",
                        session=f"{turn}-{place}",
                        prompt=prompt.id,
                        kept=kept,
                    )
                )
    text = derived_text(verdicts)
    # That a memory stays away from a prompt for which somebody said so is no learning; it is measured by itself.
    lines_of = [line for line in text.splitlines() if not line.startswith("wrong ")]
    write(memory_dir, "".join([f"{line}\n" for line in lines_of]))
    learned = answers(root, prompts)
    write(memory_dir, text)
    after = answers(root, prompts)
    moved = sum([line.split(" ")[2] != "0" for line in text.splitlines() if line.startswith("memory ")])
    shift = int(text.split("\n", 1)[0].rpartition(" ")[2] or "0")
    qualities = [quality(found, prompts) for found in (before, learned, after)]
    return [*qualities, first_is_useful(before), first_is_useful(learned), shift, moved]


def kept_of(root: Path, text: str) -> str:
    """What a session keeps of a prompt."""
    payload = json.dumps({"prompt": text, "cwd": str(root), "session_id": "simulated"}).encode()

    def no_models(*_asked: object) -> None:
        raise AssertionError("the settings name no model")

    return answer_prompt_event(payload, "plain", Environment(), no_models).event.kept  # type: ignore[arg-type]


def answers(root: Path, prompts: list[JudgedPrompt]) -> list[list[tuple[str, bool]]]:
    """The paths of the memories that each prompt is shown, and whether each is useful."""
    with Engine(str(root)) as asked:
        found = [asked.answer(prompt).memories for prompt in prompts]
        return [
            [(asked.paths[name], is_useful(prompt, name)) for name in names]
            for prompt, names in zip(prompts, found, strict=True)
        ]


def is_useful(prompt: JudgedPrompt, name: str) -> bool:
    """Whether a memory is useful for a prompt."""
    return not prompt.is_unanswerable and prompt.judgments.get(name, 0) > 0


def quality(found: list[list[tuple[str, bool]]], prompts: list[JudgedPrompt]) -> float:
    """The harmonic mean of the useful share of what is shown and the shown share of what is wanted."""
    shown = sum(map(len, found))
    useful = sum([is_good for rows in found for _path, is_good in rows])
    wanted = sum([len(prompt.wanted) for prompt in prompts if not prompt.is_unanswerable])
    precision, recall = useful / max(shown, 1), min(1.0, useful / max(wanted, 1))
    return 2 * precision * recall / max(precision + recall, 1e-9)


def first_is_useful(found: list[list[tuple[str, bool]]]) -> float:
    """The share of the answered prompts whose first memory is useful."""
    answered = [rows[0][1] for rows in found if rows]
    return sum(answered) / max(len(answered), 1)


def write(memory_dir: str, text: str) -> None:
    """Put the file of verdicts in its place, or remove it."""
    folder = open_store_folder(memory_dir, make=True)
    if folder is None:
        sys.exit("error: no data folder")
    with folder:
        if text:
            folder.replace(DERIVED, text.encode())
        elif folder.kind(DERIVED):
            folder.remove(DERIVED)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
