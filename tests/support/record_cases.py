"""Records of decisions with the reading that is expected of each: the files in `tests/data/records`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuecard.importers import adr
from cuecard.importers.draft import ImportedDraft, Reading
from cuecard.importers.source import ImportSource
from vector_cases import toml_reader

DATA = Path(__file__).parents[1] / "data" / "records"


@dataclass(frozen=True)
class RecordCase:
    """A record, and what its reading must be."""

    name: str
    path: str
    text: str
    wanted: dict[str, Any]
    """What `reading_of` must say, of texts the first words; `is_record` is false for what is no record."""


def record_cases() -> list[RecordCase]:
    """All cases, in the order of the files."""
    cases = []
    for file in sorted(DATA.glob("*.toml")):
        for case in toml_reader.loads(file.read_text("utf-8"))["record"]:
            path = case.get("path", "docs/adr/0007-record.md")
            wanted = {name: value for name, value in case.items() if name not in ("name", "path", "text")}
            cases.append(RecordCase(f"{file.stem}: {case['name']}", path, case["text"], wanted))
    return cases


def read_case(case: RecordCase, root: Path) -> Reading:
    """The reading of a case's file in a project at `root`, as an import reads it."""
    file = root / case.path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(case.text, encoding="utf-8")
    readings = list(ImportSource(str(file.parent), None, str(root)).read(lambda: None))
    adr.apply_succession(readings, adr.KIND)
    whole = Reading()
    for reading in readings:
        whole.add(reading)
    return whole


def reading_of(draft: ImportedDraft) -> dict[str, Any]:
    """What a draft says of its record, under the names of a case."""
    status = draft.is_over.partition(" ")[0] if draft.is_over else draft.content["status"]
    alternatives = [each["option"] for each in draft.content.get("alternatives", [])]
    return {
        "status": status,
        "title": draft.title,
        "date": draft.date,
        "deciders": draft.facts.get("deciders", []),
        "links": draft.facts.get("links", []),
        "alternatives": alternatives,
        **{name: draft.content.get(name) for name in ("context", "decision", "rationale", "consequences")},
    }
