"""Reads judged sets of documents and queries (`../shared/eval/sets`), and searches them with the native backend."""

import json
import zlib
from pathlib import Path
from typing import Any

from cuecard import _native
from cuecard._pure.requests.request import Request
from cuecard.basics.category import FOLDERS
from cuecard.evaluate import JudgedPrompt
from judged import NOW, NUMBERS

# The most queries taken from a set, chosen by their hash.
MAX_QUERIES = 300
DEPTH = 5


class JudgedSet:
    """A snapshot of a set's documents, and the queries of the set that have an answer."""

    def __init__(self, path: Path) -> None:
        data = json.loads(path.read_text(encoding="utf-8"))
        self.name = path.stem
        queries = sorted([query for query in data["queries"] if query["rel"]], key=_hash)[:MAX_QUERIES]
        self.prompts = [
            JudgedPrompt(self.name, str(query["id"]), query["text"], "set", judgments=dict.fromkeys(query["rel"], 2))
            for query in queries
        ]
        self._excluded = [frozenset(query.get("exclude") or ()) for query in queries]
        files: list[tuple[str, str, bytes | None, int, int]] = []
        names: dict[str, str] = {}
        for number, document in enumerate(data["docs"]):
            path_in_store = f".claude/memory/decisions/{number}.json"
            names[path_in_store] = document["id"]
            # A record needs a title.
            record = {
                "title": document["title"] or document["id"],
                "tags": document["tags"],
                "content": document["body"],
            }
            text = json.dumps({**record, "category": "decision", "record_status": "active"}).encode()
            files.append(("decision", path_in_store, text, len(text), 0))
        data_, _skipped = _native.parts.build_snapshot(files, [0] * len(FOLDERS), NUMBERS)
        self._snapshot = _native.Snapshot(data_)
        self._ids = {self._snapshot.find(place): name for place, name in names.items()}

    def recall(self, retrieval: dict[str, Any]) -> list[list[str]]:
        """The documents that hybrid recall finds for each query with these settings, best first, without a gate."""
        config: Any = _native.read_settings(json.dumps({"retrieval": retrieval}).encode(), None)
        return self._take(
            [
                self._snapshot.recall(Request(prompt.text, DEPTH + len(excluded), config, now=NOW), "off")
                for prompt, excluded in zip(self.prompts, self._excluded, strict=True)
            ]
        )

    def search(self, strategy: str) -> list[list[str]]:
        """The documents that a strategy finds for each query, best first."""
        config: Any = _native.Settings()
        return self._take(
            [
                self._snapshot.search(Request(prompt.text, DEPTH + len(excluded), config), strategy)
                for prompt, excluded in zip(self.prompts, self._excluded, strict=True)
            ]
        )

    def _take(self, found: list[Any]) -> list[list[str]]:
        return [
            [name for name in (self._ids[hit[0]] for hit in hits) if name not in excluded][:DEPTH]
            for hits, excluded in zip(found, self._excluded, strict=True)
        ]


def _hash(query: dict[str, Any]) -> tuple[int, str]:
    return zlib.crc32(str(query["id"]).encode()), str(query["id"])
