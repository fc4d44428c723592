"""Writes the JSON Schemas of the memories from their models.

Usage: `python tools/gen_schemas.py`, in an environment in which cuecard is installed. It writes one file for each
category to `python/cuecard/assets/schemas`; a test fails if a model and its file disagree.
"""

from __future__ import annotations

import json
from pathlib import Path

from cuecard.store.records.record import MODELS

SCHEMAS = Path(__file__).resolve().parent.parent / "python" / "cuecard" / "assets" / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def render(category: str) -> str:
    """The text of the schema file of `category`."""
    schema = _without_titles({"$schema": DIALECT, **MODELS[category].model_json_schema()})
    return json.dumps(schema, indent=2) + "\n"


def _without_titles(value: object, holds_fields: bool = False) -> object:
    """A schema without the titles that pydantic makes from names of classes and fields; a field named `title` stays."""
    if isinstance(value, dict):
        return {
            key: _without_titles(item, key in ("properties", "$defs"))
            for key, item in value.items()
            if key != "title" or holds_fields
        }
    return [_without_titles(item) for item in value] if isinstance(value, list) else value


def main() -> None:
    """Write every schema file."""
    SCHEMAS.mkdir(parents=True, exist_ok=True)
    for category in MODELS:
        (SCHEMAS / f"{category}.schema.json").write_text(render(category), encoding="utf-8")


if __name__ == "__main__":
    main()
