"""Writes `docs/settings.md` and the types of the names of settings from the table of settings.

Usage: `python tools/gen_settings.py`, in an environment in which cuecard is installed. The table is
`python/cuecard/assets/settings.tsv`; a test fails if what is written and the table disagree.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

from cuecard._pure.settings.table import CONSENT, OFF, ONE_OF, PLUGIN, PROJECT, USER, Row, settings_table
from cuecard.basics.category import FOLDERS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "settings.md"
TYPES = ROOT / "python" / "cuecard" / "basics" / "setting_names.py"

HEAD_OF_TYPES = '''"""The names of settings by the kind of their values, made by `tools/gen_settings.py`."""

from typing import Literal, TypeAlias

# fmt: off
'''

HEAD = """# Settings

This page is generated from `python/cuecard/assets/settings.tsv` by `tools/gen_settings.py`.

There are two files, with the same names in both:

- `config.json` in your configuration folder (`$XDG_CONFIG_HOME/cuecard`, else `~/.config/cuecard`) is yours. It counts
  in all projects, and you may set everything there: `cuecard config NAME VALUE --user`.
- `.claude/memory/memory-config.json` belongs to the project and may come with a repository. Its values count before
  yours, but only as far as they can do no harm: `cuecard config NAME VALUE`.

A repository cannot choose endpoints for you, environment variables, keys, model folders, strategies without a gate, a
gate that is off, or that prompts are logged. What it asks for and may not choose is ignored; `cuecard doctor` lists it,
together with unknown names. `cuecard config` shows what counts and which file it comes from. It refuses a value outside
the range of its setting, and `cuecard config NAME --unset` removes a value from the file.

A name such as `retrieval.max_inject` stands for a member of an object:

```json
{"retrieval": {"max_inject": 3}}
```

`*` stands for any name, such as a category. What a project may choose:

| words | meaning |
| --- | --- |
| anything | A project may set it freely. |
| a limit | A project may set it within this limit, and never more loosely than you have set it. |
| with your consent | A project may name an endpoint; see below. |
| nothing | Only you may set it. |

Nothing is sent to an endpoint that a project names before you run `cuecard allow URL`, for this machine too, and
no key goes to a URL that a project names.
"""


def render() -> str:
    """The Markdown text of `docs/settings.md`."""
    groups: dict[str, list[str]] = {}
    plugins = []
    for name, row in settings_table().rows.items():
        if row.who == PLUGIN:
            plugins.append(f"`{name}`")
            continue
        shown = f"`{row.default}`" if row.default else ""
        line = f"| `{name}` | {_values(row)} | {_choice(row.who, row.limit)} | {shown} | {row.meaning} |"
        groups.setdefault(name.partition(".")[0], []).append(line)
    parts = [HEAD]
    for group, rows in groups.items():
        parts.append(f"\n## `{group}`\n")
        head = ["| setting | values | a project may choose | default | meaning |", "| --- | --- | --- | --- | --- |"]
        parts += [*head, *rows]
    parts.append("\n## Settings of the claude-memory plugin\n")
    parts.append(f"cuecard does not read these, and does not call them unknown: {', '.join(plugins)}.")
    return "\n".join(parts).replace("\n\n\n", "\n\n") + "\n"


def render_types() -> str:
    """The text of `setting_names.py`: a name that the table does not have is an error of the type checker."""
    kinds: dict[str, list[str]] = {"Switch": [], "Integer": [], "Number": [], "Choice": [], "Other": []}
    of_kind = {"switch": "Switch", "integer": "Integer", "number": "Number", "one": "Choice"}
    for name, row in settings_table().rows.items():
        if row.who == PLUGIN:
            continue
        names = [name.replace("*", category) for _folder, category in FOLDERS] if "*" in name else [name]
        kinds[of_kind.get(row.kind.partition(" ")[0], "Other")] += names
    kinds["GroupName"] = sorted(group for group in settings_table().groups if "*" not in group)
    parts = [HEAD_OF_TYPES]
    for kind, names in kinds.items():
        listed = fill(", ".join([f'"{name}"' for name in names]), 116, break_on_hyphens=False)
        parts.append(f"{kind}: TypeAlias = Literal[\n    {listed}\n]\n".replace('\n"', '\n    "'))
    parts.append("SettingName: TypeAlias = Switch | Integer | Number | Choice | Other\n")
    return "".join(parts)


def _values(row: Row) -> str:
    """The allowed values of a setting, in words."""
    if row.kind == "switch":
        return "`true`, `false`"
    if row.kind.startswith(ONE_OF):
        return ", ".join([f"`{name}`" for name in row.names])
    kind, _, bounds = row.kind.partition(" ")
    least, _, most = bounds.partition(" to ")
    return f"{kind}, {int(least):,} to {int(most):,}" if most else row.kind


def _choice(who: str, limit: str) -> str:
    """Which values of a setting a project may choose, in words."""
    if who == PROJECT:
        return "anything"
    if who == USER:
        return "nothing"
    names = ", ".join([f"`{name}`" for name in limit.split(", ")])
    if who == CONSENT:
        return f"{names}, with your consent" if limit else "anything, with your consent"
    if limit == OFF:
        return "`false`"
    return limit if limit.startswith("at ") else names


def main() -> None:
    """Write the page and the types."""
    PAGE.write_text(render(), encoding="utf-8")
    TYPES.write_text(render_types(), encoding="utf-8")


if __name__ == "__main__":
    main()
