"""Reads the file of the MCP memory server: entities with observations, and relations, one JSON object a line.

Rules: docs/reference/import.md, "Other kinds".
"""

import json
from collections.abc import Iterator

from ...basics.time_limit import check_time
from ..draft import Reading
from ..statements import Statement, is_too_short, times

KIND = "knowledge-graph"
_TYPES = ("entity", "relation")
_Value = dict[str, object]


def is_graph(text: str) -> bool:
    """Whether a text begins as a file of the server does."""
    first = next(_objects(text), None)
    return first is not None and first.get("type") in _TYPES


def read_graph(text: str, path: str) -> Reading:
    """A memory for each observation of an entity. Relations only link entities, and give one row of the report."""
    reading = Reading(files=[path])
    relations, others = 0, 0
    for value in _objects(text):
        check_time()
        name = value.get("name")
        if value.get("type") == "relation":
            relations += 1
        elif value.get("type") == "entity" and isinstance(name, str) and name.strip():
            _read_entity(value, " ".join(name.split()), path, reading)
        else:
            others += 1
    if relations:
        reading.skipped.append((path, times("a relation: it only links two entities", relations)))
    if others:
        reading.skipped.append((path, times("an entry that is no entity", others)))
    return reading


def _read_entity(entity: _Value, name: str, path: str, reading: Reading) -> None:
    observations = entity.get("observations")
    told = list(_texts(observations)) if isinstance(observations, list) else []
    subject = name.replace("_", " ")
    for text, date in told:
        statement = Statement(text, subject, date=date, is_of_entity=True)
        where = f"{name} > {statement.key}"
        if is_too_short(text):
            reading.skipped.append((f"{path}#{where}", "too short to say something by itself"))
        else:
            reading.drafts.append(statement.draft(KIND, path, where))
    if not told:
        reading.skipped.append((f"{path}#{name}", "an entity without observations"))


def _texts(observations: list[object]) -> Iterator[tuple[str, str]]:
    """The observations of an entity, each with its date. Some servers write objects with `content`."""
    for each in observations:
        date = ""
        if isinstance(each, dict):
            date = next((str(each[key]) for key in ("timestamp", "created_at", "createdAt") if each.get(key)), "")
            each = each.get("content")
        if isinstance(each, str) and each.strip():
            yield " ".join(each.split()), date


def _objects(text: str) -> Iterator[_Value]:
    """The JSON objects of a text. Two on one line are two, because the server once wrote such files.

    A line that is no JSON is passed over.
    """
    decoder, at = json.JSONDecoder(), 0
    while True:
        check_time()
        at = text.find("{", at)
        if at < 0:
            return
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("\n", at)
            if at < 0:
                return
            continue
        if isinstance(value, dict):
            yield value
