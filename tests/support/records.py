"""Memory records as users send them and as the claude-memory plugin writes them, and stores for tests.

The strategies only make records that the format allows, with any of the optional fields.
"""

import json
import os
import time
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from cuecard import Store
from cuecard.store.derived.current_index import rebuild
from cuecard.store.records.record import CATEGORIES
from prior_art_schemas import CONTENTS as CONTENT_SCHEMAS
from prior_art_schemas import prior_art_schema
from scratch_home import seal_derived
from small_project import CONTENTS, FOLDERS, LONG_AGO

Fields = dict[str, Any]


def draft(title: str = "Use an mmap index", category: str = "decision", **fields: object) -> Fields:
    """A draft in the form in which a user sends it."""
    return {"category": category, "title": title, "tags": ["index"], "content": dict(CONTENTS[category])} | fields


def stored(memory_id: str, category: str = "decision", **fields: object) -> Fields:
    """A record in the form in which the claude-memory plugin writes it."""
    return {
        "schema_version": "1.0",
        "category": category,
        "id": memory_id,
        "title": memory_id.replace("-", " "),
        "record_status": "active",
        "created_at": LONG_AGO,
        "updated_at": LONG_AGO,
        "tags": ["index"],
        "content": dict(CONTENTS[category]),
        "times_updated": 0,
    } | fields


def ago(hours: float) -> str:
    """The time `hours` ago, in the form that memory files use."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - hours * 3600))


def make_store(root: Path, **settings: object) -> Store:
    """Create a store without memories in the new folder `root`."""
    memory_dir = root / ".claude" / "memory"
    memory_dir.mkdir(parents=True)
    if settings:
        (memory_dir / "memory-config.json").write_text(json.dumps(settings), encoding="utf-8")
    return Store(root)


def memory_dir_of(store: Store) -> Path:
    return Path(store.memory_dir)


def path_in(store: Store, name: str, category: str = "decision") -> Path:
    """The path of the memory with the id `name`."""
    return memory_dir_of(store) / FOLDERS[category] / f"{name}.json"


def put(store: Store, record: Fields) -> Path:
    """Write the file of a record directly, without cuecard."""
    path = path_in(store, record["id"], record["category"])
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def read(store: Store, name: str, category: str = "decision") -> Fields:
    """The present content of a memory's file."""
    found: Fields = json.loads(path_in(store, name, category).read_bytes())
    return found


def read_files(store: Store) -> dict[str, bytes]:
    """Every file of a store, by path. Derived files (`index.md` and files under `.cuecard`) are left out."""
    root = memory_dir_of(store)
    derived = {".cuecard", "index.md"}
    files = [path for path in root.rglob("*") if path.is_file() and not derived & set(path.parts)]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def read_index(store: Store) -> str:
    """The text of `index.md`; "" if there is none."""
    path = memory_dir_of(store) / "index.md"
    return path.read_bytes().decode() if path.exists() else ""


def index_lines(store: Store) -> list[str]:
    return [line for line in read_index(store).splitlines() if line.startswith("- ")]


def assert_index_is_a_rebuild(store: Store) -> None:
    """Assert that the index equals a rebuild byte for byte.

    If no memory is active, the index may also have only its heading.
    """
    text, _skipped, _is_damaged = rebuild(store.root, store.memory_dir)
    if text:
        assert read_index(store) == text
    else:
        assert index_lines(store) == []


def let_time_pass(store: Store, seconds: float = 10) -> None:
    """Move the times of all files in a store back by `seconds`, as if so much time had passed."""
    for path in [memory_dir_of(store), *memory_dir_of(store).rglob("*")]:
        changed = path.stat().st_mtime_ns - int(seconds * 1e9)
        os.utime(path, ns=(changed, changed))
    seal_derived(store.memory_dir)


# Strategies

texts = st.text(max_size=40)
# A title must have a visible character.
titles = st.tuples(st.text(max_size=60), st.sampled_from(["cache", "IndexMd", "열", "x"])).map(" ".join)
stamps = st.sampled_from([LONG_AGO, "2025-06-30T23:59:59Z", "2026-01-01T00:00:00+09:00", "yesterday"])
values = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), texts, st.lists(texts, max_size=2))


@cache
def contents(category: str) -> st.SearchStrategy[Fields]:
    """Contents of records of a category, with any of the optional fields."""
    return _of_schema(CONTENT_SCHEMAS[category])


@cache
def drafts(category: str) -> st.SearchStrategy[Fields]:
    """Drafts that a user may send."""
    optional = {"related_files": st.lists(texts, max_size=3), "confidence": st.floats(0, 1)}
    required = {
        "category": st.just(category),
        "title": titles,
        "tags": st.lists(texts, max_size=14),
        "content": contents(category),
    }
    return st.fixed_dictionaries(required, optional=optional)


@cache
def stored_records(category: str) -> st.SearchStrategy[Fields]:
    """Records that are valid under the JSON schemas of the claude-memory plugin."""
    fields = {name: _of_schema(schema) for name, schema in prior_art_schema(category)["properties"].items()}
    fields |= {"id": st.from_regex(r"[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?", fullmatch=True), "title": titles}
    fields |= {"created_at": stamps, "updated_at": stamps}
    required = prior_art_schema(category)["required"]
    return st.fixed_dictionaries(
        {name: fields[name] for name in required},
        optional={name: strategy for name, strategy in fields.items() if name not in required},
    )


def _of_schema(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        members = {name: _of_schema(member) for name, member in schema["properties"].items()}
        required = {name: members.pop(name) for name in schema["required"]}
        return st.fixed_dictionaries(required, optional=members)
    if kind == "array":
        return st.lists(_of_schema(schema["items"]), min_size=schema.get("minItems", 0), max_size=3)
    if kind == "number":
        return st.floats(schema["minimum"], schema["maximum"])
    return {"string": texts, "boolean": st.booleans(), "integer": st.integers(0, 60)}.get(kind or "", values)


categories = st.sampled_from(CATEGORIES)
