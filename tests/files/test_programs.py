"""Programs are found on PATH as in the standard library, but never below the working directory."""

import os
import shutil
from pathlib import Path

import pytest

from cuecard.basics import programs
from cuecard.basics.programs import find_program
from cuecard.errors import StoreError
from cuecard.store.trust.safe_git import SafeGit

on_unix = pytest.mark.skipif(os.name == "nt", reason="the files have no extension of a program")


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Folders in which different things are named `tool`; only in the last two folders it is a program."""
    made = [tmp_path / name for name in ("missing", "empty", "plain", "folder", "program", "later")]
    for folder in made[1:]:
        folder.mkdir()
    (made[2] / "tool").write_text("no program")
    (made[3] / "tool").mkdir()
    for folder in made[4:]:
        (folder / "tool").write_text("#!/bin/sh\n")
        (folder / "tool").chmod(0o755)
    return made


@on_unix
def test_a_program_is_the_first_file_that_can_be_run(folders: list[Path]) -> None:
    path = os.pathsep.join([str(folder) for folder in folders])
    assert find_program("tool", path) == str(folders[4] / "tool") == shutil.which("tool", path=path)


@on_unix
@pytest.mark.parametrize("count", range(5))
def test_what_is_no_program_is_not_found(folders: list[Path], count: int) -> None:
    path = os.pathsep.join([str(folder) for folder in folders[:count]])
    assert find_program("tool", path) is None
    assert shutil.which("tool", path=path) is None


@on_unix
def test_path_is_that_of_the_process(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folders[5]))
    assert find_program("tool") == str(folders[5] / "tool")
    monkeypatch.delenv("PATH")
    assert find_program("sh") == shutil.which("sh")
    monkeypatch.setenv("PATH", "")
    assert find_program("tool") is None


@on_unix
@pytest.mark.parametrize("entry", ["", ".", "program"])
def test_no_program_of_the_working_directory_is_found(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    monkeypatch.chdir(folders[4].parent if entry == "program" else folders[4])
    path = f"{folders[1]}{os.pathsep}{entry}"
    assert shutil.which("tool", path=path)
    assert find_program("tool", path) is None
    assert find_program("tool", f"{path}{os.pathsep}{folders[5]}") == str(folders[5] / "tool")


class TestAsOnWindows:
    """The search with the rules of Windows, but with the path separators of this system."""

    @pytest.fixture(autouse=True)
    def windows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(programs, "IS_WINDOWS", True)
        monkeypatch.setenv("PATHEXT", ".COM;.EXE")

    def write(self, path: Path) -> Path:
        path.parent.mkdir(exist_ok=True)
        path.write_text("a program")
        path.chmod(0o755)
        return path

    def test_the_working_directory_is_not_searched(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.write(tmp_path / "clone" / "tool.EXE")
        installed = self.write(tmp_path / "bin" / "tool.EXE")
        monkeypatch.chdir(tmp_path / "clone")
        assert find_program("tool", os.pathsep.join([".", "", str(tmp_path / "bin")])) == str(installed)
        assert find_program("tool", str(tmp_path / "nowhere")) is None
        monkeypatch.delenv("PATH")
        assert find_program("tool") is None

    def test_an_extension_is_added_where_there_is_none(self, tmp_path: Path) -> None:
        self.write(tmp_path / "tool")
        later = self.write(tmp_path / "tool.EXE")
        assert find_program("tool", str(tmp_path)) == find_program("tool.EXE", str(tmp_path)) == str(later)
        first = self.write(tmp_path / "tool.COM")
        assert find_program("tool", str(tmp_path)) == str(first)

    def test_git_is_never_that_of_a_clone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.write(tmp_path / "clone" / "git.EXE")
        self.write(tmp_path / "project" / "git.EXE")
        installed = self.write(tmp_path / "bin" / "git.EXE")
        monkeypatch.chdir(tmp_path / "clone")
        folders = [".", "", str(tmp_path / "project")]
        monkeypatch.setenv("PATH", os.pathsep.join([*folders, str(tmp_path / "bin")]))
        assert SafeGit(str(tmp_path / "project")).find_program("git") == str(installed)
        monkeypatch.setenv("PATH", os.pathsep.join(folders))
        with pytest.raises(StoreError, match="git is not installed"):
            SafeGit(str(tmp_path / "project"))
