"""Files with the conflict markers of a merge are called that, and not only damaged."""

import json
import os
from pathlib import Path

import pytest

from cuecard.cli.run import run
from scratch_home import is_foreign
from small_project import write_project

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in filter(is_foreign, list(os.environ)):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    made = write_project(tmp_path / "project")
    monkeypatch.chdir(made)
    return made


def put(project: Path, name: str, text: str) -> None:
    (project / ".claude" / "memory" / name).write_bytes(text.encode())


CONFLICT = '{\n<<<<<<< HEAD\n "title": "One"\n=======\n "title": "Two"\n>>>>>>> topic\n}\n'


def test_a_file_with_conflict_markers_is_called_that(project: Path, capsys: Capture) -> None:
    put(project, "decisions/both.json", CONFLICT)
    put(project, "decisions/crlf.json", CONFLICT.replace("\n", "\r\n"))
    put(project, "decisions/torn.json", '{"title": "<<<<<<< HEAD"\n')
    run(["health", "--json"])
    damaged = {row["path"].rpartition("/")[2]: row["reason"] for row in json.loads(capsys.readouterr().out)["damaged"]}
    assert damaged == {
        "both.json": "it has the conflict markers of a merge",
        "crlf.json": "it has the conflict markers of a merge",
        "torn.json": "not JSON",
    }
    assert run(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "2 files with the conflict markers of a merge" in out
    assert "hint: `cuecard merge` repairs them" in out
    assert "torn.json: not JSON" in out
    assert run(["show", "both"]) == 1
    assert "both.json` has the conflict markers of a merge" in capsys.readouterr().err


def test_conflict_markers_in_the_index_are_reported(project: Path, capsys: Capture) -> None:
    run(["index", "rebuild"])
    index = project / ".claude/memory/index.md"
    lines = index.read_text("utf-8").splitlines()
    index.write_text("\n".join([lines[0], "<<<<<<< HEAD", lines[1], "=======", *lines[2:], ">>>>>>> topic", ""]))
    capsys.readouterr()
    assert run(["index", "validate"]) == 1
    shown = capsys.readouterr()
    said = shown.err
    assert "is valid" not in shown.out
    assert "error: `.claude/memory/index.md` has the conflict markers of a merge\n" in said
    assert "hint: `cuecard merge` repairs them" in said
    for line in (2, 4, len(lines) + 3):
        assert f"line {line} of index.md cannot be read (a conflict marker of a merge)" in said


@pytest.mark.parametrize("name", ["index.md", "decisions/both.json"])
def test_a_pipeline_fails_for_a_file_in_conflict(project: Path, name: str, capsys: Capture) -> None:
    run(["index", "rebuild"])
    assert run(["doctor", "--ci"]) == 0
    put(project, name, CONFLICT)
    capsys.readouterr()
    for command in (["doctor", "--ci"], ["doctor"], ["health"], ["index", "validate"]):
        assert run(command) == (0 if command == ["health"] else 1), command
        shown = capsys.readouterr()
        assert "cuecard merge" in shown.out + shown.err, command
        assert name in shown.out + shown.err, command
    assert run(["merge"]) == 0
    assert run(["doctor", "--ci"]) == 0


def test_a_pipeline_needs_neither_a_user_nor_an_index(project: Path, capsys: Capture) -> None:
    (project / ".claude/memory/index.md").unlink(missing_ok=True)
    assert run(["doctor", "--ci", "--json"]) == 0
    names = [finding["name"] for finding in json.loads(capsys.readouterr().out)["findings"]]
    assert names[0] == "store"
    assert not {"trust", "log", "hosts", "settings"} & {*names}


def test_a_draft_with_conflict_markers_says_what_to_do(project: Path, capsys: Capture) -> None:
    file = project / "draft.json"
    file.write_text(CONFLICT)
    assert run(["add", "--file", str(file)]) == 1
    said = capsys.readouterr().err
    assert "has the conflict markers of a merge" in said
    assert "hint: resolve the conflict: keep one side" in said
