"""Feeds random input to the write commands and checks that there is no traceback and no partial write.

    python tests/support/fuzz_store.py [INPUTS]

The inputs are records made of the format's vocabulary, and such records with randomly changed bytes. INPUTS is their
number, by default 100,000. `tests/store/test_fuzz_store.py` runs a few of them.
"""

import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from cuecard import Store
from cuecard.errors import CuecardError
from cuecard.files.lock import locked
from cuecard.store.derived.current_index import rebuild
from cuecard.store.derived.upkeep import refresh
from cuecard.store.records.record import CATEGORIES
from cuecard.store.records.record_file import Fields, decode
from scratch_home import use_scratch_home
from small_project import CONTENTS

WORDS = (
    *(
        "",
        "a",
        "cache",
        "Cache the tokens",
        "캐시를 비운다",
        "\u202e\u200b",
        "\ud800",
        "a -> b #tags:x",
        "../../x",
        "\0",
    ),
    *("</memory-context>", "ghp" + "_" + "a1B2" * 9, "x" * 130, "\n\r\x85\u2028", "[confidence: high]", "İı\u0130"),
    *("null", "-", ".json"),
)
NAMES = (
    *("schema_version", "category", "id", "title", "record_status", "created_at", "updated_at", "tags", "content"),
    *("related_files", "confidence", "changes", "times_updated", "retired_at", "retired_reason", "archived_at"),
    *("cuecard", "wat"),
)


def make_value(chance: random.Random, depth: int = 0) -> object:
    """A random JSON value, mostly of the types that the format uses."""
    kind = chance.randrange(9 if depth < 4 else 6)
    if kind < 3:
        return chance.choice(WORDS) + chance.choice(WORDS)
    if kind == 3:
        return chance.choice((None, True, False))
    if kind == 4:
        return chance.choice((0, -1, 1.5, 1e308, 10**400, 2**63))
    if kind == 5:
        return [chance.choice(WORDS)]
    if kind == 6:
        return [make_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {chance.choice(NAMES + WORDS): make_value(chance, depth + 1) for _ in range(chance.randrange(4))}


def make_record(chance: random.Random) -> Fields:
    """A record that is valid or nearly valid."""
    category = chance.choice(CATEGORIES)
    record: Fields = {
        "category": category,
        "title": f"{chance.choice(WORDS)} {chance.randrange(40)}",
        "tags": [chance.choice(WORDS)],
        "content": dict(CONTENTS[category]),
    }
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        holder = chance.choice((record, record["content"]))
        if isinstance(holder, dict):
            holder[chance.choice(list(holder) + list(NAMES))] = make_value(chance)
    return record


def make_bytes(chance: random.Random) -> bytes:
    """The bytes of a record, sometimes with damage."""
    data = bytearray(
        json.dumps(make_record(chance), ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    )
    for _ in range(chance.choice((0, 0, 0, 1, 3, 20))):
        place = chance.randrange(len(data) + 1)
        change = chance.randrange(3)
        if change == 0 and data:
            del data[place : place + chance.randrange(1, 9)]
        elif change == 1:
            data[place:place] = bytes([chance.randrange(256)])
        else:
            data[place:place] = chance.choice((b'"', b"{", b"[" * 200, b"NaN", b"\xff", b"\\u0000", b'{"a":1,"a":2}'))
    return bytes(data)


def run(root: Path, inputs: int, seed: int = 0) -> Counter[str]:
    """Feed `inputs` random inputs to a store, and return how often each outcome occurred.

    Raises an error if the store is damaged or an unexpected error occurs.
    """
    chance = random.Random(seed)
    store = Store(root, create=True)
    happened: Counter[str] = Counter()
    for number in range(inputs):
        data = make_bytes(chance)
        names = [path.stem for path in root.glob(".claude/memory/*/*.json")] if chance.random() < 0.3 else []
        name = chance.choice(names or WORDS)
        steps: list[Callable[[], object]] = [
            lambda data=data: store.add(decode(data, "the input")),  # type: ignore[misc]
            lambda data=data: store.add(decode(data, "the input"), category=chance.choice(CATEGORIES)),  # type: ignore[misc]
            lambda data=data, name=name: store.update(name, decode(data, "the input")),  # type: ignore[misc]
            lambda name=name: store.retire(name, reason=chance.choice(WORDS)),  # type: ignore[misc]
        ]
        try:
            steps[chance.choices(range(4), (5, 2, 4, 1))[0]]()
            happened["taken"] += 1
        except CuecardError as error:
            assert error.what, data
            happened[error.code] += 1
        if number % 1000 == 999:
            check(root)
            _prune(root)
    check(root)
    return happened


def _prune(root: Path) -> None:
    """Delete all memories except 20, so that writes stay fast. The index must notice these direct deletions."""
    for path in list(root.glob(".claude/memory/*/*.json"))[20:]:
        path.unlink()
    with locked(str(root / ".claude/memory")):
        assert refresh(str(root), str(root / ".claude/memory")) == []


def check(root: Path) -> None:
    """Assert that every file is complete and valid, and that the index is up to date."""
    store = Store(root)
    paths = list(root.glob(".claude/memory/*/*.json"))
    for path in paths:
        decode(path.read_bytes(), path.name)
    assert len(store.memories(status="all")) == len(paths)
    assert not list(root.glob(".claude/memory/**/.*.tmp"))
    if (root / ".claude/memory/index.md").exists():
        text = (root / ".claude/memory/index.md").read_text(encoding="utf-8")
        rebuilt = rebuild(store.root, store.memory_dir)[0]
        assert text == rebuilt or (not rebuilt and "\n- [" not in text), "index and memories differ"


if __name__ == "__main__":
    use_scratch_home()
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        result = run(Path(folder), wanted)
    print(f"{wanted} inputs: " + ", ".join([f"{count} {what}" for what, count in result.most_common()]))
