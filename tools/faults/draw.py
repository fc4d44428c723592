"""Draw faults at random from the mutants of cargo-mutants and mutmut, and write them as a list.

    python -m venv .build/faults/tools && .build/faults/tools/bin/pip install -r tools/faults/requirements.txt
    cargo install cargo-mutants
    .build/faults/tools/bin/python tools/faults/draw.py --seed 1017 tests/data/seeded_faults.json

A room is a folder of the code. For each fault of a room, a file is drawn at random, then a kind of fault in the file,
then one place. No file is drawn twice before every file of its room was drawn once, so that long files and frequent
kinds do not fill the whole list. Messages are left out, because a changed message does not change behaviour.
"""

import argparse
import difflib
import json
import random
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import libcst
from libcst.metadata import MetadataWrapper
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.mutation.mutators import mutation_operators, operator_string
from mutmut.mutation.pragma_handling import IgnoredCode

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {
    "core": ("rust/core/src", 11),
    "engine": ("rust/engine/src", 11),
    "store": ("python/cuecard/store", 12),
    "capture": ("python/cuecard/capture", 12),
    "_pure": ("python/cuecard/_pure", 4),
}


class Candidate(TypedDict):
    """One possible fault: the lines `before`, which begin at the line number `line`, are replaced by `after`."""

    file: str
    line: int
    kind: str
    before: list[str]
    after: list[str]


def main() -> None:
    """Draw the faults and write the list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path, help="the file to write")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(100_000))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    chance = random.Random(arguments.seed)
    faults = []
    for room, (folder, count) in ROOMS.items():
        sources = sorted((ROOT / folder).rglob("*.*"))
        for number, candidate in enumerate(draw(sources, count, chance), 1):
            faults.append({"id": f"{room}-{number:02}", "room": room, **candidate})
    drawn = {"seed": arguments.seed, "commit": _git("rev-parse", "HEAD"), "faults": faults}
    arguments.list.write_text(json.dumps(drawn, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(faults)} faults in {arguments.list}")


def draw(sources: list[Path], count: int, chance: random.Random) -> Iterator[Candidate]:
    """Yield `count` random faults in these files."""
    left: list[Path] = []
    while count:
        if not left:
            left = chance.sample(sources, len(sources))
        by_kind: dict[str, list[Candidate]] = {}
        for candidate in candidates(left.pop()):
            by_kind.setdefault(candidate["kind"], []).append(candidate)
        if by_kind:
            yield chance.choice(by_kind[chance.choice(sorted(by_kind))])
            count -= 1


def candidates(path: Path) -> list[Candidate]:
    """Every fault that cargo-mutants or mutmut would make in a file."""
    if path.suffix == ".rs":
        return list(_in_rust(path))
    return list(_in_python(path)) if path.suffix == ".py" else []


def _in_rust(path: Path) -> Iterator[Candidate]:
    command = ["cargo", "mutants", "--list", "--json", "--file", str(path.relative_to(ROOT))]
    text = path.read_text("utf-8")
    for mutant in json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout):
        start, end = (_offset(text, **mutant["span"][side]) for side in ("start", "end"))
        yield from _difference(path, mutant["genre"], text[:start] + mutant["replacement"] + text[end:])


def _offset(text: str, line: int, column: int) -> int:
    return sum(map(len, text.splitlines(keepends=True)[: line - 1])) + column - 1


def _in_python(path: Path) -> Iterator[Candidate]:
    text = path.read_text("utf-8")
    for node, operator in mutation_operators:
        if operator is operator_string:
            continue
        wrapper = MetadataWrapper(libcst.parse_module(text))
        visitor = MutationVisitor([(node, operator)], IgnoredCode(set(), set(), set()))
        module = wrapper.visit(visitor)
        for mutation in visitor.mutations:
            changed = module.deep_replace(mutation.original_node, mutation.mutated_node)
            assert isinstance(changed, libcst.Module)
            yield from _difference(path, operator.__name__.removeprefix("operator_"), changed.code)


def _difference(path: Path, kind: str, changed: str) -> Iterator[Candidate]:
    """Yield the candidate with only the differing lines of a changed file; none if the file did not change."""
    old, new = path.read_text("utf-8").splitlines(), changed.splitlines()
    blocks = [block for block in difflib.SequenceMatcher(None, old, new, False).get_opcodes() if block[0] != "equal"]
    if blocks:
        start, end, new_start, new_end = blocks[0][1], blocks[-1][2], blocks[0][3], blocks[-1][4]
        file = path.relative_to(ROOT).as_posix()
        yield {"file": file, "line": start + 1, "kind": kind, "before": old[start:end], "after": new[new_start:new_end]}


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
