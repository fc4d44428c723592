"""The test vectors: what the seam offers with both backends, the rules of the engine, and every way to run the hook.

`rust/engine/tests/vectors/mod.rs` runs the same cases on the native engine.
"""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import cuecard
import inner_rules
from bundles import for_each
from cuecard import _pure as pure
from graph_cases import GRAPH_PARTS
from hosted_cases import HOSTED_PARTS
from hybrid_cases import HYBRID, stored_files
from link_cases import LINK_PARTS, LINKS
from recall_cases import RECALL_PARTS
from scratch_home import write_user_settings
from section_cases import SECTION_PARTS
from segment_cases import INNER as SEGMENT_PARTS
from segment_cases import OUTER
from semantic_cases import SEMANTIC_PARTS
from settings_cases import SETTINGS, SETTINGS_PARTS
from snapshot_cases import SNAPSHOT_PARTS, SNAPSHOTS
from static_table_cases import STATIC_TABLE_PARTS
from term_cases import TERM_PARTS
from vector_cases import as_lists, decode, encode, read_cases
from verdict_cases import VERDICT_PARTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from hook_process import Hook
    from vector_cases import Case

LONG_AGO = 1_600_000_000.0
SCHEMAS = Path(cuecard.__path__[0], "assets", "schemas")
# Functions that no backend exports; here the pure functions are called.
INNER: dict[str, Any] = {
    **GRAPH_PARTS,
    **LINK_PARTS,
    **RECALL_PARTS,
    **SECTION_PARTS,
    **SEGMENT_PARTS,
    **SEMANTIC_PARTS,
    **SETTINGS_PARTS,
    **SNAPSHOT_PARTS,
    **STATIC_TABLE_PARTS,
    **TERM_PARTS,
    **HOSTED_PARTS,
    **VERDICT_PARTS,
}
# Functions that work on parts of the native backend's files; only `rust/engine/tests/vectors/mod.rs` runs their cases.
OF_THE_ENGINE = {
    "best_of",
    "delta_search",
    "delta_segment",
    "graph_section",
    "grid_average",
    "merged_segment",
    "open_segment",
    "plain_segment",
    "snapshot_sections",
    "snapshot_steps",
    "snapshot_update",
}
CASES = [
    case
    for case in read_cases(prompts=False)
    if case.function not in OF_THE_ENGINE and "section" not in case.table["input"]
]
PROMPT_CASES = read_cases(prompts=True)


def fold(engine: ModuleType, text: str) -> str:
    """The text in lower case, in the form that the backend gives to a tag of an index line."""
    folded: str
    (folded,) = engine.parse_index_line(f"- [A] t -> p #tags:{text}")[3]
    return folded


def white_space(engine: ModuleType, text: str) -> str:
    """The characters of a text that an index line may have between the dash and the bracket."""
    return "".join(char for char in text if engine.parse_index_line(f"-{char}[A] t -> p"))


def decimal_digits(engine: ModuleType, text: str) -> list[int]:
    """The digit value of each character, found by reading it as the setting `max_inject`; -1 if it is no digit."""
    files = [f'{{"retrieval": {{"max_inject": "{char}"}}}}'.encode() for char in text]
    settings = [engine.read_settings(file, None) for file in files]
    return [-1 if found.problems else found.max_inject for found in settings]


def index(engine: ModuleType, data: bytes) -> list[Any]:
    """All entries of an index, and its lines that cannot be read."""
    parsed = engine.IndexMd(data)
    return [parsed.entries, parsed.bad_lines]


def entry(engine: ModuleType, data: bytes, position: int) -> object:
    """The entry of an index at a position."""
    return engine.IndexMd(data).entries[position]


def withholding_signs(engine: ModuleType, text: str) -> object:
    """The signs of instructions in a text that nobody vouches for."""
    return engine.instruction_signs(text, learned=True)


def check_memory(_pure: ModuleType, category: str, data: bytes) -> object:
    """The problems of a memory file, by the schema of its category."""
    return inner_rules.check_schema(data, (SCHEMAS / f"{category}.schema.json").read_bytes())


def method(name: str) -> Callable[..., Any]:
    """A function that calls the method `name` of the index that is made from a case's `data`."""
    return lambda engine, data, **arguments: getattr(engine.IndexMd(data), name)(**arguments)


# What is seen through the functions of the seam.
SEEN_THROUGH: dict[str, Callable[..., Any]] = {
    "decimal_digits": decimal_digits,
    "entry": entry,
    "explain": method("explain"),
    "fold": fold,
    "index": index,
    "rank": method("rank"),
    "shortlist": method("shortlist"),
    "white_space": white_space,
    "withholding_signs": withholding_signs,
    **OUTER,
    **SETTINGS,
}
# What is seen through the rules of the pure backend.
RULES_SEEN_THROUGH: dict[str, Callable[..., Any]] = {"check_memory": check_memory, **HYBRID, **LINKS, **SNAPSHOTS}
SEAM_CASES = [case for case in CASES if case.function in {*pure.__all__, *SEEN_THROUGH} - {*INNER}]
INNER_CASES = [case for case in CASES if case.function in INNER]
RULE_CASES = [case for case in CASES if case not in SEAM_CASES and case not in INNER_CASES]

# The names of parameters that are lists of tuples.
ROWS = {"descriptions", "entries", "named", "problems", "records", "shortlist", "shown", "titled"}


def call(function: Callable[..., Any], case: Case) -> object:
    """The answer of a function to the input of a case.

    In the answer, lists replace tuples, and text replaces bytes.
    """
    arguments = {name: decode(form) for name, form in case.table["input"].items()}
    for name in {"answer", "data", "notice", "schema"} & arguments.keys():
        arguments[name] = encode(arguments[name])
    for name in ROWS & arguments.keys():
        arguments[name] = [tuple(row) for row in arguments[name]]
    if "typed" in arguments:
        arguments["typed"] = tuple(arguments["typed"])
    if "items" in arguments:
        items = arguments["items"]
        arguments["items"] = [(*item[:3], tuple(item[3]), *item[4:]) if item[3:] else tuple(item) for item in items]
    if "records" in arguments:
        arguments["records"] = [
            (category, path, data if data is None else encode(data)) for category, path, data in arguments["records"]
        ]
    value = function(**arguments)
    return value.decode() if isinstance(value, bytes) else as_lists(value)


def check(function: Callable[..., Any], case: Case) -> None:
    """Assert that a function answers, or fails, as a case says."""
    if "error" in case.table:
        error = case.table["error"]
        with pytest.raises(Exception) as raised:  # noqa: PT011 - class and message are compared below
            call(function, case)
        assert type(raised.value).__name__ == error["class"]
        assert getattr(raised.value, "what", str(raised.value)) == error["message"]
        assert getattr(raised.value, "hint", "") == error.get("hint", "")
    else:
        assert call(function, case) == decode(case.table["value"])


@for_each("case", SEAM_CASES, [case.id for case in SEAM_CASES])
def test_the_seam_answers_as_its_vector_says(engine: ModuleType, case: Case) -> None:
    seen = SEEN_THROUGH.get(case.function)
    check(partial(seen, engine) if seen else getattr(engine, case.function), case)


@for_each("case", RULE_CASES, [case.id for case in RULE_CASES])
def test_a_rule_answers_as_its_vector_says(case: Case) -> None:
    seen = RULES_SEEN_THROUGH.get(case.function)
    check(partial(seen, pure) if seen else getattr(inner_rules, case.function), case)


@for_each("case", INNER_CASES, [case.id for case in INNER_CASES])
def test_a_part_of_the_engine_answers_as_its_vector_says(case: Case) -> None:
    arguments = {name: decode(form) for name, form in case.table["input"].items()}
    assert as_lists(INNER[case.function](**arguments)) == decode(case.table["value"])


def lay_out(project: Path, case: Case) -> None:
    """Create the files, folders and links of a case."""
    for folder in case.table.get("folders", []):
        (project / folder).mkdir(parents=True, exist_ok=True)
    files = dict(case.table.get("files", {}))
    if "store" in case.table:
        files |= {f".claude/memory/{path}": data for path, data in stored_files(case.table["store"])}
    for path, form in files.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        content = decode({"join": form} if isinstance(form, list) else form)
        (project / path).write_bytes(encode(content).replace(b"$PROJECT", str(project).encode()))
    for path, target in case.table.get("links", {}).items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).symlink_to(target.replace("$PROJECT", str(project)))
    # The index becomes the newest file, so that it is outdated only if the case says so.
    index_md = project / ".claude" / "memory" / "index.md"
    if index_md.exists():
        index_md.touch()
    for path in case.table.get("aged", []):
        os.utime(project / path, (LONG_AGO, LONG_AGO))


def read_settings(text: str) -> dict[str, object] | str:
    """The settings of a case as an object, to which the setting that keeps memories reviewed can be added.

    Text that is not JSON is returned as text.
    """
    try:
        return dict(json.loads(text))
    except ValueError:
        return text


@pytest.mark.parametrize("case", PROMPT_CASES, ids=[case.id for case in PROMPT_CASES])
def test_a_whole_run_goes_as_its_vector_says(hook: Hook, tmp_path: Path, case: Case) -> None:
    project = tmp_path / "project"
    project.mkdir()
    lay_out(project, case)

    def fill(text: str) -> str:
        return text.replace("$PROJECT", str(project))

    table = case.table
    if "user" in table:
        # `write_user_settings` keeps all memories reviewed, because a case does not say which memories are reviewed.
        write_user_settings(read_settings(table["user"]))
    stdin = encode(decode(table["stdin"])).replace(b"$PROJECT", str(project).encode())
    environment = {name: fill(value) for name, value in table.get("environment", {}).items()}
    arguments = [fill(decode(argument)) for argument in table.get("arguments", ["prompt", "--host", "plain"])]
    ran = hook.run(*arguments, stdin=stdin, cwd=project, **environment)
    assert ran.stderr == b""
    assert ran.code == 0
    assert ran.log == [fill(decode(line)) for line in table.get("log", [])]
    assert ran.stdout.decode() == decode(table.get("stdout", ""))
    if "index" in table:
        index_md = project / ".claude" / "memory" / "index.md"
        assert (index_md.read_text("utf-8") if index_md.exists() else None) == decode(table["index"])
