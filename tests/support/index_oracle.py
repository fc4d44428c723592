"""Parses reports of the claude-memory plugin and of cuecard into the same dicts, so that they can be compared."""

import re
from typing import Any

MODES = {"--rebuild": "rebuild", "--validate": "validate", "--query": "query", "--health": "health", "--gc": "gc"}


def translate(arguments: list[str]) -> list[str]:
    """Translate the arguments of the claude-memory plugin's index command into arguments of `cuecard`."""
    rest = list(arguments)
    words = []
    if "--query" in rest:
        place = rest.index("--query")
        words = [rest.pop(place + 1)]
    modes = [MODES[argument] for argument in rest if argument in MODES]
    options = [argument for argument in rest if argument not in MODES]
    if modes in (["health"], ["gc"]):
        return [*modes, *options]
    return ["index", *modes, *words, *options]


def paths_marked(text: str, mark: str) -> list[str]:
    """The paths on the lines that begin with the sign `mark`, such as `+` in `  + path`."""
    return sorted(re.findall(rf"^ +\{mark} (.*)$", text, re.MULTILINE))


def health_facts(text: str) -> dict[str, Any]:
    """The numbers, memories and paths in a health report of the claude-memory plugin."""
    found = re.search(r"TOTAL \(active\): (\d+)", text)
    active, retired, archived = _number(found), _labelled(text, "Retired"), _labelled(text, "Archived")
    sync = text[text.index("--- Index Sync Status") : text.index("--- Summary")]
    return {
        "verdict": re.findall(r"Health: (.*)", text)[0],
        "active": active,
        "retired": retired,
        "archived": archived,
        "categories": {name: int(count) for name, count in re.findall(r"^  ([A-Z_]+): (\d+)$", text, re.MULTILINE)},
        "heavily_updated": re.findall(r"^  \[([A-Z_]+)\] (.*) \(updated (\d+) times\)$", text, re.MULTILINE),
        "recently_retired": re.findall(r"^  \[([A-Z_]+)\] (.*) \((-?\d+) day\(s\) ago\)$", text, re.MULTILINE),
        "unlisted": paths_marked(sync, "+"),
        "stale": paths_marked(sync, "-"),
    }


def our_health_facts(document: dict[str, Any]) -> dict[str, Any]:
    """The same numbers, memories and paths as in `health_facts`, from the JSON of `cuecard health`."""
    return {
        "verdict": document["health"],
        "active": document["active"],
        "retired": document["retired"],
        "archived": document["archived"],
        "categories": document["categories"],
        "heavily_updated": [
            (memory["category"], memory["title"], str(memory["times_updated"]))
            for memory in document["heavily_updated"]
        ],
        "recently_retired": [
            (memory["category"], memory["title"], str(memory["age_days"])) for memory in document["recently_retired"]
        ],
        "unlisted": sorted(document["index"]["unlisted"]),
        "stale": sorted({stale["path"] for stale in document["index"]["stale"]}),
    }


def gc_facts(text: str) -> dict[str, Any]:
    """The grace period and the deleted and skipped files in a garbage collection report of the claude-memory plugin."""
    return {
        "grace_days": _number(re.search(r"grace period: (-?\d+)", text)),
        "deleted": re.findall(r"^  DELETED (.*) \(retired (-?\d+) days? ago\)$", text, re.MULTILINE),
        "skipped": re.findall(r"^  SKIP (\S+): ", text, re.MULTILINE),
    }


def our_gc_facts(document: dict[str, Any]) -> dict[str, Any]:
    """The same values as in `gc_facts`, from the JSON of `cuecard gc`."""
    return {
        "grace_days": document["grace_days"],
        "deleted": [(memory["path"].rpartition("/")[2], str(memory["age_days"])) for memory in document["deleted"]],
        "skipped": [skipped["path"].rpartition("/")[2] for skipped in document["skipped"]],
    }


def _labelled(text: str, label: str) -> int:
    return _number(re.search(rf"^  {label}: (\d+)$", text, re.MULTILINE))


def _number(found: "re.Match[str] | None") -> int:
    return int(found[1]) if found else 0
