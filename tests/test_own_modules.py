"""Modules found without Python's search: the same ones, and only where their compiled files can be trusted."""

import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cuecard

# Each of them starts programs.
pytestmark = pytest.mark.process

CODE = """
import sys
sys.path.insert(0, sys.argv[1])
from cuecard import own_modules
own_modules.install()
import cuecard._pure.retrieve.bm25 as bm25, cuecard.files.store_files

print(type(bm25.__loader__).__name__, bm25.__file__, bm25.__package__, bm25.B)
print(sys.modules["cuecard._pure"].__path__, sys.modules["cuecard.files"].__package__)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package whose modules are compiled."""
    source = Path(cuecard.__path__[0])
    copy = tmp_path / "cuecard"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", "assets", "*.so", "*.pyd"))
    for path in copy.rglob("*.py"):
        py_compile.compile(str(path), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP)
    return copy


def load(package: Path, *options: str) -> list[str]:
    """What is said of the modules in a process of their own: loader, file, package and a constant; then folders."""
    command = [sys.executable, "-I", "-S", *options, "-c", CODE, str(package.parent)]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout.split("\n")


def compiled(package: Path) -> Path:
    return package / "_pure" / "retrieve" / "__pycache__" / f"bm25.{sys.implementation.cache_tag}.pyc"


def test_modules_are_found_as_python_finds_them(package: Path) -> None:
    found, folders, _ = load(package)
    assert found == f"Loader {package / '_pure' / 'retrieve' / 'bm25.py'} cuecard._pure.retrieve 0.75"
    assert folders == f"{[str(package / '_pure')]} cuecard.files"


def test_a_changed_source_is_compiled_anew(package: Path) -> None:
    path = package / "_pure" / "retrieve" / "bm25.py"
    path.write_text(path.read_text(encoding="utf-8").replace("B = 0.75", "B = 0.125"), encoding="utf-8")
    assert load(package)[0].split(" ")[::3] == ["SourceFileLoader", "0.125"]
    assert load(package)[0].split(" ")[::3] == ["Loader", "0.125"]


@pytest.mark.parametrize("damage", ["nothing", "another interpreter", "a hash"])
def test_a_compiled_file_that_is_no_use_is_left_alone(package: Path, damage: str) -> None:
    path = compiled(package)
    if damage == "nothing":
        path.unlink()
    elif damage == "another interpreter":
        path.write_bytes(bytes(4) + path.read_bytes()[4:])
    else:
        source = str(package / "_pure" / "retrieve" / "bm25.py")
        py_compile.compile(source, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    assert load(package)[0].split(" ")[::3] == ["SourceFileLoader", "0.75"]


def test_optimized_modules_are_left_to_python(package: Path) -> None:
    assert load(package, "-O")[0].split(" ")[::3] == ["SourceFileLoader", "0.75"]
