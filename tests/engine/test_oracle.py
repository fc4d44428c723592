"""Both revisions give the recorded answers of the version of the claude-memory plugin whose behaviour they preserve."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bundles import Check, for_each
from cuecard import _pure as pure
from cuecard._pure.text.sanitize import sanitize_title
from hook_process import Hook
from inner_rules import score_entry
from oracle_cases import lay_out, read_cases, read_projects, stdin_of

REVISIONS = {"v5-0219": "classic", "v5-0220": "current"}
STRATEGIES = {"v5-0219": "keyword_classic", "v5-0220": "keyword"}
PROJECTS = read_projects()

# The plugin read only the member `user_prompt`, which no host sends. We also answer the member `prompt`.
READS_PROMPT = "edge-real-field-name-only"
# In these cases the plugin crashed, and we print nothing, because the payload has no usable prompt.
CRASHES_UNANSWERED = {"edge-stdin-string", "edge-prompt-null"}
BOTH_FIELDS_BLOCK = (
    '<memory-context source=".claude/memory/">\n'
    "- [RUNBOOK] Fix token expired error in login -> .claude/memory/runbooks/expired.json #tags:error,login,token\n"
    "- [DECISION] Use JWT for authentication -> .claude/memory/decisions/jwt.json #tags:auth,jwt,token\n"
    "</memory-context>\n"
)


def each_of(kind: str) -> Callable[[Check], Check]:
    """A decorator that runs a test, with arguments `version, case`, for the recorded cases of both versions."""
    cases = [(version, case) for version in REVISIONS for case in read_cases(f"{kind}.{version}")]
    return for_each("version, case", cases, [f"{version}-{case['id']}" for version, case in cases])


TITLES = read_cases("sanitize.v5-0220")


@each_of("tokenize")
def test_tokens_are_the_recorded_ones(engine: ModuleType, version: str, case: dict[str, Any]) -> None:
    assert sorted(engine.tokenize(case["text"], REVISIONS[version])) == case["retrieve"]
    assert sorted(engine.tokenize(case["text"], "classic")) == case["candidate"]


@each_of("index_line")
def test_index_lines_have_the_recorded_parts(engine: ModuleType, version: str, case: dict[str, Any]) -> None:
    expected = case["retrieve"]
    parts = expected and (expected["category"], expected["title"], expected["path"], expected["tags"])
    assert engine.parse_index_line(case["line"]) == parts


@each_of("score")
def test_scores_are_the_recorded_ones(engine: ModuleType, version: str, case: dict[str, Any]) -> None:
    revision = REVISIONS[version]
    if case["fn"] == "score_description":
        assert description_points(engine, case, revision) == case["retrieve"]
        return
    assert entry_points(engine, case, revision) == case["retrieve"]
    assert entry_points(engine, case, "classic") == case["candidate"]


def entry_points(engine: ModuleType, case: dict[str, Any], revision: str) -> int:
    """The points of a title and its tags for a prompt."""
    tags = [tag.lower() for tag in case["tags"]]
    line = f"- [DECISION] {case['title']} -> a.json" + (f" #tags:{','.join(tags)}" if tags else "")
    if engine.parse_index_line(line) != ("DECISION", case["title"], "a.json", sorted({*tags})):
        return score_entry(case["prompt"], case["title"], tags, revision)
    parts = engine.IndexMd(line.encode()).explain(0, case["prompt"], revision, [])
    return sum(points for *_part, points in parts)


def description_points(engine: ModuleType, case: dict[str, Any], revision: str) -> int:
    """The points of a category's description for a prompt that also matches the title of a memory of the category."""
    title = " ".join(engine.tokenize(case["prompt"], revision)[:1])
    index = engine.IndexMd(f"- [DECISION] {title or 'nothing'} -> a.json".encode())
    parts = index.explain(0, case["prompt"], revision, [("decision", case["description"])])
    return sum(points for kind, *_part, points in parts if kind == "description")


def test_most_recorded_scores_are_those_of_a_line() -> None:
    cases = [case for case in read_cases("score.v5-0220") if case["fn"] != "score_description"]
    lines = [f"- [DECISION] {case['title']} -> a.json" for case in cases]
    same = [pure.parse_index_line(line) for line in lines]
    assert sum(found is not None for found in same) >= 0.9 * len(cases) > 0


@for_each("case", TITLES, [case["id"] for case in TITLES])
def test_titles_are_sanitised_as_recorded(case: dict[str, Any]) -> None:
    assert sanitize_title(case["text"]) == case["output_title"]


def ask(hook: Hook, version: str, case: dict[str, Any], root: Path) -> str:
    """The block, in the classic format, that the hook prints for a case."""
    root.mkdir()
    lay_out(root, PROJECTS[case["project"]], case["config"])
    options = ("--strategy", STRATEGIES[version], "--output", "classic")
    ran = hook.run("prompt", *options, stdin=stdin_of(case, root), cwd=root)
    assert ran.code == 0
    assert ran.stderr == b""
    return ran.stdout.decode()


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in read_cases("retrieve.v5-0220")])
def test_keyword_prints_what_was_recorded_to_the_byte(hook: Hook, case: dict[str, Any], tmp_path: Path) -> None:
    printed = ask(hook, "v5-0220", case, tmp_path / "project")
    if case["id"] == READS_PROMPT:
        assert printed == BOTH_FIELDS_BLOCK
    elif "crash" in case["expect"]:
        # Where the plugin crashed, we print nothing, or answer as if the invalid part were missing.
        assert (printed == "") == (case["id"] in CRASHES_UNANSWERED)
    else:
        assert printed == case["expect"]["stdout"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in read_cases("retrieve.v5-0219")])
def test_keyword_classic_finds_the_recorded_memories_in_their_order(
    hook: Hook, case: dict[str, Any], tmp_path: Path
) -> None:
    printed = ask(hook, "v5-0219", case, tmp_path / "project")
    if case["id"] == READS_PROMPT:
        assert printed == BOTH_FIELDS_BLOCK
    elif "crash" not in case["expect"]:
        assert entries(printed) == entries(case["expect"]["stdout"])


def entries(block: str) -> list[tuple[str, str]]:
    """The category and path of each entry in a block. In recorded blocks, paths and tags are not escaped."""
    found = []
    for line in block.split("\n")[1:-2]:
        parts = re.match(r"- \[([A-Z_]+)\] .* -(?:&gt;|>) (\S+)(?: #tags:.*)?$", line)
        assert parts, line
        found.append((parts[1], parts[2]))
    return found
