"""The hook after a tool call: what was written into a store in spite of the guard is checked and set aside."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import cuecard
from cuecard.files.open_folder import open_folder
from cuecard.files.quarantine import set_aside
from cuecard.files.user_folder import allow_target
from guarded_tools import MEMORY, ask, assert_silent

if TYPE_CHECKING:
    from hook_process import Hook, Outcome

DECISION = {
    "schema_version": "1.0",
    "category": "decision",
    "id": "twins",
    "title": "Two twins give the same result",
    "record_status": "active",
    "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-01T00:00:00Z",
    "tags": ["parity"],
    "content": {"status": "accepted", "context": "c", "decision": "d", "rationale": ["r"]},
}


# Files written in spite of the guard


def written(project: Path, path: str, content: object) -> Path:
    file = project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        file.write_text(json.dumps(content), encoding="utf-8")
    return file


def validate(hook: Hook, project: Path, path: str, tool: str = "Write") -> Outcome:
    ran = ask(hook, "validate", project, tool, path)
    assert (ran.code, ran.stderr) == (0, b"")
    return ran


def complaint_of(ran: Outcome) -> tuple[str, str]:
    """The reason that the agent reads, and the additional context, in the hook's answer."""
    assert ran.stdout.count(b"\n") == 1
    answer = json.loads(ran.stdout)
    assert list(answer) == ["decision", "reason", "hookSpecificOutput"]
    assert answer["decision"] == "block"
    assert answer["hookSpecificOutput"].pop("hookEventName") == "PostToolUse"
    return answer["reason"], answer["hookSpecificOutput"].pop("additionalContext")


def test_a_sound_memory_stays_and_is_logged(hook: Hook, project: Path) -> None:
    file = written(project, MEMORY, DECISION)
    before = file.read_bytes()
    ran = validate(hook, project, str(file))
    assert_silent(ran, f"`{MEMORY}` was written by a tool that bypassed the guard")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(b"", "the file should be JSON text", id="empty"),
        pytest.param(b"# a note", "the file should be JSON text", id="prose"),
        pytest.param(b"\xff{}", "the file should be JSON text", id="not UTF-8"),
        pytest.param([], "the file should be an object and is a list of 0 items", id="a list"),
        pytest.param({}, "`schema_version` should be `1.0` and is nothing (and 7 more)", id="an empty object"),
        pytest.param(DECISION | {"category": "runbook"}, "`category` should be `decision`", id="another category"),
        pytest.param(DECISION | {"tags": []}, "`tags` should be at least 1 item", id="no tags"),
        pytest.param(DECISION | {"owner": "me"}, "`owner` should be no such field and is `me`", id="a field of nobody"),
        pytest.param(b" " * (257 << 10), "the file should be at most 256 KiB", id="too large"),
    ],
)
def test_what_is_no_memory_is_set_aside(hook: Hook, project: Path, content: object, told: str) -> None:
    file = written(project, MEMORY, content)
    before = file.read_bytes()
    ran = validate(hook, project, MEMORY)
    assert not file.exists()
    [aside] = [path for path in file.parent.iterdir() if ".invalid." in path.name]
    assert re.fullmatch(r"twins\.json\.invalid\.\d{10}", aside.name)
    assert aside.read_bytes() == before
    reason, context = complaint_of(ran)
    assert told in reason
    assert f"`.claude/memory/decisions/{aside.name}`" in reason
    assert "`cuecard add`" in reason
    assert context.startswith(f"INVALID_MEMORY\ntarget: .claude/memory/decisions/{aside.name}\nfield: ")
    assert ran.log == [
        f"`{MEMORY}` was written by a tool that bypassed the guard",
        f"`{MEMORY}` is not a valid memory; it was renamed to `.claude/memory/decisions/{aside.name}`",
    ]


@pytest.mark.parametrize(
    ("path", "is_logged"),
    [
        ("src/a.json", False),
        (".claude/memory/memory-config.json", False),
        (".claude/memory/.staging/a.json", False),
        (".claude/memory/index.md", True),
        (".claude/memory/decisions/notes.txt", True),
        (".claude/memory/decisions/sub/a.json", True),
        (".claude/memory/elsewhere/a.json", True),
    ],
)
def test_files_that_are_no_memories_by_their_place_stay(hook: Hook, project: Path, path: str, is_logged: bool) -> None:
    file = written(project, path, b"no JSON")
    notes = [f"`{path}` was written by a tool that bypassed the guard"] if is_logged else []
    assert_silent(validate(hook, project, path), *notes)
    assert file.read_bytes() == b"no JSON"


@pytest.fixture
def known_project(hook: Hook, project: Path) -> Path:
    """A project with a snapshot."""
    sent = {"prompt": "why do we have twins?", "cwd": str(project)}
    hook.run("prompt", stdin=json.dumps(sent).encode(), cwd=project)
    return project


def ran(hook: Hook, project: Path, command: str = "make", tool: str = "Bash", **more: object) -> Outcome:
    """Run the validation after a tool call that names no file, and return its result."""
    payload = {"tool_name": tool, "cwd": str(project), "tool_input": {"command": command}, **more}
    return hook.run("validate", stdin=json.dumps(payload).encode(), cwd=hook.scratch)


@pytest.mark.parametrize("tool", ["Bash", "PowerShell", "mcp__files__transform"])
def test_what_a_command_has_changed_is_looked_at(hook: Hook, known_project: Path, tool: str) -> None:
    file = written(known_project, MEMORY, b"no JSON")
    other = written(known_project, ".claude/memory/runbooks/other.json", b"[]")
    reason, context = complaint_of(ran(hook, known_project, tool=tool, duration_ms=100))
    assert not file.exists()
    assert not other.exists()
    assert reason.count("\n") == 1
    assert context.count("INVALID_MEMORY") == 2


def test_a_memory_that_a_command_has_written_well_stays(hook: Hook, known_project: Path) -> None:
    file = written(known_project, MEMORY, DECISION)
    assert_silent(ran(hook, known_project), f"`{MEMORY}` was written by a tool that bypassed the guard")
    assert file.exists()


def test_what_was_there_before_a_command_is_left_alone(hook: Hook, known_project: Path) -> None:
    file = written(known_project, MEMORY, b"no JSON")
    # A test cannot set the change time of a file, so this test waits until the file is older than the command.
    time.sleep(3)
    assert_silent(ran(hook, known_project, duration_ms=1))
    assert file.exists()
    complaint_of(ran(hook, known_project, duration_ms=60_000))


def test_what_the_snapshot_knows_is_no_change(hook: Hook, known_project: Path) -> None:
    assert_silent(ran(hook, known_project))


def test_without_a_snapshot_nothing_is_a_change(hook: Hook, project: Path) -> None:
    file = written(project, MEMORY, b"no JSON")
    assert_silent(ran(hook, project))
    assert file.exists()


@pytest.mark.parametrize("command", ["git checkout .", "git pull && make"])
def test_what_git_brings_is_the_users(hook: Hook, known_project: Path, command: str) -> None:
    file = written(known_project, MEMORY, b"<<<<<<< HEAD")
    assert_silent(ran(hook, known_project, command))
    assert file.exists()


@pytest.mark.parametrize("command", ["cat .gitignore", "cd ~/git && python3 digits.py"])
def test_a_name_with_git_in_it_is_no_call_of_git(hook: Hook, known_project: Path, command: str) -> None:
    file = written(known_project, MEMORY, b"no JSON")
    complaint_of(ran(hook, known_project, command))
    assert not file.exists()


def test_a_memory_is_found_behind_a_link(hook: Hook, project: Path, tmp_path: Path) -> None:
    file = written(project, MEMORY, b"no JSON")
    (tmp_path / "link.json").symlink_to(file)
    complaint_of(validate(hook, project, str(tmp_path / "link.json")))
    assert not file.exists()
    assert (tmp_path / "link.json").is_symlink()


def test_a_file_outside_the_store_is_left_alone_whatever_points_to_it(
    hook: Hook, project: Path, tmp_path: Path
) -> None:
    outside = written(tmp_path, "outside.json", b"no JSON")
    file = project / MEMORY
    file.unlink()
    file.symlink_to(outside)
    assert_silent(validate(hook, project, MEMORY))
    assert outside.read_bytes() == b"no JSON"
    assert file.is_symlink()


def test_a_store_behind_a_link_is_looked_at(hook: Hook, project: Path, tmp_path: Path) -> None:
    (project / ".claude").rename(tmp_path / "shared")
    (project / ".claude").symlink_to(tmp_path / "shared")
    allow_target(str(project / ".claude"), str(tmp_path / "shared"))
    file = written(project, MEMORY, b"no JSON")
    reason, _ = complaint_of(validate(hook, project, MEMORY))
    assert "`.claude/memory/decisions/twins.json.invalid." in reason
    assert not file.exists()


def test_a_file_that_is_gone_again_is_logged(hook: Hook, project: Path) -> None:
    path = ".claude/memory/decisions/gone.json"
    ran = validate(hook, project, path)
    assert_silent(ran, f"`{path}` was written by a tool that bypassed the guard", f"`{path}` is missing")


def test_files_that_were_set_aside_are_never_overwritten(hook: Hook, project: Path) -> None:
    kept: dict[Path, bytes] = {}
    for number in range(3):
        file = written(project, MEMORY, f"no JSON {number}".encode())
        complaint_of(validate(hook, project, MEMORY))
        assert not file.exists()
        found = {path: path.read_bytes() for path in file.parent.iterdir() if ".invalid." in path.name}
        assert len(found) == number + 1
        assert {path: found[path] for path in kept} == kept
        kept = found
    assert sorted(kept.values()) == [b"no JSON 0", b"no JSON 1", b"no JSON 2"]


def test_a_file_that_cannot_be_set_aside_stays(hook: Hook, project: Path) -> None:
    file = written(project, MEMORY, b"no JSON")
    for seconds in range(int(time.time()) - 5, int(time.time()) + 300):
        file.with_name(f"twins.json.invalid.{seconds}").write_bytes(b"")
    ran = validate(hook, project, MEMORY)
    assert_silent(
        ran,
        f"`{MEMORY}` was written by a tool that bypassed the guard",
        f"`{MEMORY}` is not a valid memory, and it could not be renamed",
    )
    assert file.read_bytes() == b"no JSON"


def test_setting_aside_returns_the_new_place(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    names = set()
    for _ in range(3):
        file.write_text("x")
        names.add(set_aside(open_folder(str(tmp_path)), file.name))
    assert len(names) == 3
    assert all((tmp_path / name).read_text() == "x" for name in names)
    with pytest.raises(FileNotFoundError):
        set_aside(open_folder(str(tmp_path)), file.name)
    assert len(list(tmp_path.iterdir())) == 3


# The schemas that are checked


def keywords_of(schema: Any) -> set[str]:  # noqa: ANN401 - JSON
    """The keywords that a schema and its parts use."""
    if not isinstance(schema, dict):
        return set()
    found = set(schema)
    for name in ("properties", "$defs"):
        for part in schema.get(name, {}).values():
            found |= keywords_of(part)
    found |= keywords_of(schema.get("items")) | keywords_of(schema.get("additionalProperties"))
    for part in schema.get("anyOf", []):
        found |= keywords_of(part)
    return found


def patterns_of(schema: object) -> set[str]:
    if isinstance(schema, dict):
        own = {schema["pattern"]} if isinstance(schema.get("pattern"), str) else set()
        return own.union(*map(patterns_of, schema.values()))
    return set().union(*map(patterns_of, schema)) if isinstance(schema, list) else set()


SCHEMAS = sorted(Path(cuecard.__path__[0], "assets", "schemas").glob("*.json"))


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_every_keyword_of_the_schemas_is_checked(path: Path) -> None:
    from cuecard._pure.memory.schema import ANNOTATIONS, ID_PATTERN, KEYWORDS  # noqa: PLC0415 - nothing else here needs it

    schema = json.loads(path.read_text("utf-8"))
    assert keywords_of(schema) <= {*KEYWORDS, *ANNOTATIONS}
    assert patterns_of(schema) <= {ID_PATTERN}


def test_there_is_a_schema_for_each_category() -> None:
    assert [path.name.partition(".")[0] for path in SCHEMAS] == [
        "constraint",
        "decision",
        "preference",
        "runbook",
        "session_summary",
        "tech_debt",
    ]
