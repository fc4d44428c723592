"""Import real repositories, report the result for each section, and draw a sample of the memories for judging.

    python benches/imports.py REPOSITORIES [--role unseen] [--sample 100 --seed N] [--only NAME]

REPOSITORIES has a clone of each repository in `tests/data/imports/repositories.json`, as `OWNER+NAME/repo`. Only the
commit that the list names is read. The texts stay outside of this tree: `tests/data/imports/judgements.tsv` keeps the
source of each judged memory and the verdict.
"""

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuecard.api import Store
from cuecard.importers.draft import NOT_STATED, ImportedDraft, Reading
from cuecard.importers.markup.markdown import parse
from cuecard.importers.outcomes import ImportOutcome, parts_of
from cuecard.importers.places import NAMES
from cuecard.importers.run import Import
from cuecard.importers.source import ImportSource, read_sources
from cuecard.store.intake.intake import admit

DATA = Path(__file__).resolve().parent.parent / "tests" / "data" / "imports"
SUFFIXES = (".md", ".mdx", ".mdc", ".markdown", *NAMES)


@dataclass(frozen=True)
class Imported:
    """The results of importing one repository."""

    name: str
    readings: Sequence[Reading]
    outcomes: Sequence[ImportOutcome]
    sections: int
    """The number of sections with text in all Markdown files that were read."""
    lost: Sequence[str]
    """The sections that the report does not mention."""

    @property
    def memories(self) -> list[ImportedDraft]:
        """The drafts that became memories."""
        made = {outcome.where for outcome in self.outcomes if outcome.status == "created"}
        drafts = [draft for reading in self.readings for draft in reading.drafts]
        return [draft for draft in drafts if where_of(draft) in made]


def where_of(draft: ImportedDraft) -> str:
    """The place of a draft in its source, in the form that reports use: the path, or `path#heading`."""
    return f"{draft.path}#{draft.heading}" if draft.heading else draft.path


def check_out(repository: Path, commit: str, folder: Path) -> None:
    """Write the Markdown files of a commit into a folder."""
    listed = subprocess.run(
        ["git", "-C", str(repository), "ls-tree", "-r", "-z", "--name-only", commit], capture_output=True, check=True
    )
    for name in listed.stdout.decode().split("\0"):
        if name.lower().endswith(SUFFIXES):
            shown = subprocess.run(
                ["git", "-C", str(repository), "show", f"{commit}:{name}"], capture_output=True, check=True
            )
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(shown.stdout)


def import_one(entry: dict[str, Any], repositories: Path, scratch: Path) -> Imported:
    """Import the sources of a repository as a dry run, into an empty store of its own."""
    folder = scratch / entry["repository"].replace("/", "+")
    if not folder.exists():
        folder.mkdir(parents=True)
        check_out(repositories / folder.name / "repo", entry["commit"], folder)
    store = Store(str(folder), create=True)
    sources = [ImportSource(str(folder / name), None, store.root) for name in entry["sources"]]
    readings = read_sources(sources, lambda: None)
    outcomes = Import(store, is_dry=True).run(readings, lambda: None)
    sections, lost = count_sections(folder, readings, outcomes)
    return Imported(entry["repository"], readings, outcomes, sections, lost)


def count_sections(
    folder: Path, readings: Sequence[Reading], outcomes: Sequence[ImportOutcome]
) -> tuple[int, list[str]]:
    """The number of sections with text in the imported files, and the sections that the report does not mention."""
    rows = {outcome.where for outcome in outcomes} | {part["source"] for part in parts_of(readings)}
    sections, lost = 0, []
    for name in dict.fromkeys([name for reading in readings for name in reading.files]):
        is_told = name in {outcome.where for outcome in outcomes if outcome.status == "skipped"}
        for section in parse((folder / name).read_text(encoding="utf-8")).sections:
            # Reports remove hidden characters.
            where = str(admit({"text": f"{name}#{section.place}"}).fields["text"])
            sections += bool(section.text)
            if section.text and not is_told and not any(row == where or row.startswith(f"{where} > ") for row in rows):
                lost.append(where)
    return sections, lost


def show_table(found: Sequence[Imported]) -> None:
    """Print a row for each repository, and how often sections were skipped for each reason."""
    print("| repository | sections | memories | merged | part | skipped | failed | lost |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for one in found:
        counts = Counter([outcome.status for outcome in one.outcomes])
        counts["part"] = len(parts_of(one.readings))
        told = [counts[name] for name in ("created", "duplicate", "part", "skipped", "failed")]
        print(f"| {one.name} | {one.sections} | {' | '.join(map(str, told))} | {len(one.lost)} |")
    why = Counter([outcome.why for one in found for outcome in one.outcomes if outcome.status in ("skipped", "failed")])
    print("\nskipped, by reason:")
    for reason, count in why.most_common():
        print(f"  {count:4} {reason}")
    kinds = Counter([(draft.kind, draft.category) for one in found for draft in one.memories])
    print("\nmemories, by kind and category:")
    for (kind, category), count in sorted(kinds.items()):
        print(f"  {count:4} {kind} {category}")
    decisions = [draft for one in found for draft in one.memories if draft.category == "decision"]
    without = sum([draft.content["rationale"] == [NOT_STATED] for draft in decisions])
    print(f"\n{len(decisions)} decisions, {without} of them without a reason in the source")


def draw(found: Sequence[Imported], size: int, seed: int) -> list[tuple[str, ImportedDraft]]:
    """A sample of memories. Each category has the same share as in all memories, but at least five if possible."""
    drafts = sorted(
        [(one.name, draft) for one in found for draft in one.memories], key=lambda each: (each[0], where_of(each[1]))
    )
    chance = random.Random(seed)
    drawn: list[tuple[str, ImportedDraft]] = []
    kinds = Counter([draft.category for _name, draft in drafts])
    # Rounding errors are balanced in the largest category.
    for category, count in sorted(kinds.items(), key=lambda item: item[1]):
        mine = [each for each in drafts if each[1].category == category]
        share = max(5, round(size * count / len(drafts)))
        is_last = count == max(kinds.values())
        drawn += chance.sample(mine, min(len(mine), size - len(drawn) if is_last else share))
    chance.shuffle(drawn)
    return drawn


def show_sample(found: Sequence[Imported], size: int, seed: int) -> None:
    """Print memories for judging, each with its source and a hash of its heading."""
    drawn = draw(found, size, seed)
    print(f"\nsample of {len(drawn)} of {sum([len(one.memories) for one in found])}, seed {seed}")
    for number, (name, draft) in enumerate(drawn, 1):
        place = hashlib.sha256(draft.heading.encode()).hexdigest()[:12] if draft.heading else "-"
        print(f"\n[{number}] {name} {where_of(draft)} {place}")
        print(f"  {draft.category}: {draft.record()['title']}  {draft.anchors}")
        print(f"  {json.dumps(draft.content, ensure_ascii=False)[:1600]}")


def show_left(found: Sequence[Imported], size: int, seed: int) -> None:
    """Print skipped sections of files that were read, for judging whether they should have become memories."""
    rows = sorted(
        [
            (one.name, outcome.where, outcome.why)
            for one in found
            for outcome in one.outcomes
            if outcome.status == "skipped" and "#" in outcome.where
        ]
    )
    drawn = random.Random(seed).sample(rows, min(size, len(rows)))
    print(f"\n{len(drawn)} of {len(rows)} skipped, seed {seed}")
    for number, (name, where, why) in enumerate(drawn, 1):
        print(f"[{number}] {name} {where} | {why}")


def main(arguments: Sequence[str]) -> int:
    """Print the table, and a sample if one is requested."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("repositories", type=Path)
    reader.add_argument("--role", help="the role of the repositories in the list, such as `fifth`")
    reader.add_argument("--only", default="")
    reader.add_argument("--sample", type=int, default=0)
    reader.add_argument("--left", type=int, default=0, help="how many skipped sections to print")
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--scratch", type=Path)
    asked = reader.parse_args(arguments)
    entries = json.loads((DATA / "repositories.json").read_text(encoding="utf-8"))
    chosen = [each for each in entries if asked.role in (None, each["role"]) and asked.only in each["repository"]]
    with tempfile.TemporaryDirectory() as folder:
        scratch = asked.scratch or Path(folder)
        found = [import_one(entry, asked.repositories, scratch) for entry in chosen]
    show_table(found)
    for one in found:
        for where in one.lost:
            print(f"lost: {one.name} {where}")
    if asked.sample:
        show_sample(found, asked.sample, asked.seed)
    if asked.left:
        show_left(found, asked.left, asked.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
