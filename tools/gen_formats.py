"""Writes `docs/reference/formats.md`, the page of file formats, from the JSON Schemas of the memories.

Usage: `python tools/gen_formats.py`. A test fails if the page and the schemas disagree.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BELOW_THE_TABLE = """
- Dates are ISO 8601. A memory is not valid before `valid_from`, or after `valid_until` (a day counts to its end), or
  with the `content.status` `superseded`, `deprecated` or `rejected`. Recall does not show such a memory, unless the
  prompt asks for the past ([rule 27.6](../spec/27-hybrid-recall.md)).
- `contradicts` names memories that cannot be right if this memory is. The block for the agent says so at both memories
  ([rule 39.2](../spec/39-packing.md)).
- `sections` are the parts of a longer text as they were written, such as the branches of a runbook. The block shows the
  part that fits the prompt ([rule 39.7](../spec/39-packing.md)).
- `pointer` names a place in a document of the project instead of repeating it. The block names the place, and says
  whether the document has changed since ([rule 39.8](../spec/39-packing.md)).
"""
PAGE = ROOT / "docs" / "reference" / "formats.md"
SCHEMAS = ROOT / "python" / "cuecard" / "assets" / "schemas"
FOLDERS = {
    "decision": "decisions",
    "constraint": "constraints",
    "preference": "preferences",
    "runbook": "runbooks",
    "tech_debt": "tech-debt",
    "session_summary": "sessions",
}
HEAD = """# File formats

This page is generated from the JSON Schemas in `python/cuecard/assets/schemas` by `tools/gen_formats.py`.

## The store

| path in `.claude/memory/` | what it is | can be deleted |
| --- | --- | --- |
| `FOLDER/ID.json` | one memory; UTF-8, JSON | no, it is the memory itself |
| `index.md` | one line for each active memory, for people | yes, `cuecard index rebuild` writes it |
| `memory-config.json` | settings of the project, see [settings](../settings.md) | yes, then the defaults count |
| `.cuecard/` | the snapshot; it ignores itself in git | yes, the next prompt or write makes it again |

Trust, sessions, logs and your own settings are not in the store. They are in your data folder and your configuration
folder, see [environment](environment.md) and chapter [44](../spec/44-user-folders.md) of the specification.

A line of `index.md` has the category, the title, the path and the tags:

```text
- [DECISION] Payments retry through a queue -> .claude/memory/decisions/payments-retry.json #tags:payments,retry
```

"""


def render() -> str:
    """The Markdown text of `docs/reference/formats.md`."""
    schemas = {name: json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8")) for name in FOLDERS}
    some = schemas["decision"]
    common = {name: field for name, field in some["properties"].items() if name not in ("content", "cuecard")}
    parts = [
        HEAD,
        "## Fields of every memory\n\n",
        "`content` depends on the category. `cuecard` has fields that the claude-memory plugin does not know.\n\n",
        _table({**common, "category": {"enum": list(FOLDERS)}}, some),
        "\n## Fields below `cuecard`\n\n",
        _table(some["$defs"]["Extension"]["properties"], {**some, "required": []}),
        BELOW_THE_TABLE,
    ]
    for name, schema in schemas.items():
        content = _resolve(schema["properties"]["content"], schema)
        parts.append(f"\n## {name}\n\nA file in `{FOLDERS[name]}/`. The fields of its `content`:\n\n")
        parts.append(_table(content["properties"], {**schema, "required": content.get("required", [])}))
    return "".join(parts)


def _table(fields: dict[str, Any], schema: dict[str, Any]) -> str:
    rows = [
        f"| `{name}` | {_kind(field, schema)} | {'yes' if name in schema['required'] else 'no'} |"
        for name, field in fields.items()
    ]
    return "\n".join(["| field | values | required |", "| --- | --- | --- |", *rows, ""])


def _resolve(field: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = field.get("$ref", "").rpartition("/")[2]
    return dict(schema["$defs"][name]) if name else field


def _kind(field: dict[str, Any], schema: dict[str, Any]) -> str:
    """The kind of value that a field may have, in words."""
    field = _resolve(field, schema)
    if "anyOf" in field:
        kinds = [_kind(choice, schema) for choice in field["anyOf"] if choice.get("type") != "null"]
        return " or ".join(kinds)
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return ", ".join([f"`{value}`" for value in field["enum"]])
    if field.get("type") == "array":
        least = f", at least {field['minItems']}" if field.get("minItems") else ""
        return f"list of {_kind(field['items'], schema)}{least}"
    if field.get("type") == "object" and field.get("properties"):
        return f"object with {', '.join([f'`{name}`' for name in field['properties']])}"
    words = {"string": "text", "number": "number", "integer": "whole number", "boolean": "`true` or `false`"}
    kind = words.get(field.get("type", ""), "object")
    limits = [f"{field['minimum']} to {field['maximum']}"] if {"minimum", "maximum"} <= field.keys() else []
    if "maxLength" in field:
        limits.append(f"at most {field['maxLength']:,} characters")
    return ", ".join([kind, *limits])


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8", newline="\n")
