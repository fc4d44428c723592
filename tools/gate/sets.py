"""Reads judged sets of documents and queries (`../shared/eval/sets`), and searches them with the native backend."""

import json
import tempfile
import zlib
from pathlib import Path
from typing import Any

from cuecard import _native
from cuecard._pure.requests.budget import Budget
from cuecard._pure.requests.request import Request
from cuecard.evaluate import JudgedPrompt
from judged import NOW, NUMBERS

# The most queries taken from a set, chosen by their hash.
MAX_QUERIES = 300
DEPTH = 5


def _snapshot_of(files: dict[str, str]) -> Any:  # noqa: ANN401 - of the native backend
    """The snapshot of memory files, which are written into a folder for it."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            Path(root, path).parent.mkdir(parents=True, exist_ok=True)
            Path(root, path).write_text(text, encoding="utf-8")
        loaded = _native.load_snapshot(root, NUMBERS, Budget())
        if loaded is None:
            raise SystemExit(f"the memories in `{root}` cannot be read")
        return loaded.snapshot


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
        files: dict[str, str] = {}
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
            files[path_in_store] = json.dumps({**record, "category": "decision", "record_status": "active"})
        self._snapshot = _snapshot_of(files)
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
        config: Any = _native.read_settings(None, None)
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
