"""The stand-in for `os` answers as `os` does."""

import os
import posixpath as real
import subprocess
import sys
from pathlib import Path

import pytest

import cuecard
from cuecard import system

if sys.platform == "win32":
    pytest.skip("Windows has no stand-in", allow_module_level=True)

import posix

STAND_IN = system.System(posix)
PATHS = [
    "",
    "/",
    "//",
    "a",
    "a/",
    "a/b",
    "/a",
    "/a/b/",
    "/a//b",
    "/a/./b",
    "/a/../b",
    "//a",
    "///a/b",
    ".",
    "..",
    "a b",
]


@pytest.mark.parametrize("path", PATHS)
def test_paths_come_apart_as_with_os(path: str) -> None:
    assert STAND_IN.path.dirname(path) == real.dirname(path)
    assert STAND_IN.path.abspath(path) == real.abspath(path)
    for other in PATHS:
        assert STAND_IN.path.join(path, other) == real.join(path, other)
        assert STAND_IN.path.join(path, other, "c") == real.join(path, other, "c")


def test_what_is_there_is_told_as_with_os(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "broken").symlink_to("nothing")
    os.mkfifo(tmp_path / "pipe")
    for name in ("file", "folder", "link", "broken", "pipe", "nothing", "file/below", "nul\0"):
        path = f"{tmp_path}/{name}"
        for question in ("exists", "isdir", "isfile", "lexists"):
            assert getattr(STAND_IN.path, question)(path) == getattr(os.path, question)(path), (question, name)


def test_any_other_name_is_that_of_os() -> None:
    assert STAND_IN.makedirs is os.makedirs
    assert STAND_IN.path.split is os.path.split
    assert (STAND_IN.name, STAND_IN.sep, STAND_IN.stat) == (os.name, os.sep, os.stat)
    with pytest.raises(AttributeError):
        _ = STAND_IN.O_NOTHING


def test_variables_are_those_of_os(monkeypatch: pytest.MonkeyPatch) -> None:
    # A process of its own: `posix` keeps those that the process was started with.
    for value in ("", "plain", "b\udcffd", "결제"):
        monkeypatch.setenv("CUECARD_LOG", value)
        code = (
            f"import sys; sys.path.insert(0, {str(Path(cuecard.__path__[0]).parent)!r})\n"
            "from cuecard.files.environment import Environment\n"
            "mine = Environment(); assert 'os' not in sys.modules\n"
            "import os; assert mine.log == os.environ['CUECARD_LOG'] and mine.home == os.environ['HOME']\n"
            "assert mine.root == os.environ.get('CUECARD_ROOT', '')"
        )
        subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


def test_a_real_path_is_found_without_the_whole_of_os(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    for path in ("folder", "link", "link/nothing", "folder/../link", "nothing/below"):
        assert STAND_IN.path.realpath(f"{tmp_path}/{path}") == os.path.realpath(f"{tmp_path}/{path}"), path
    assert STAND_IN.path.realpath("/") == "/"
    assert [STAND_IN.path.isabs(path) for path in ("/a", "a", "")] == [True, False, False]
    assert STAND_IN.fsdecode(STAND_IN.fsencode("\udcff")) == "\udcff"
