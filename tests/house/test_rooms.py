"""The contracts about imports, which `make lint` checks: the check finds an import that breaks a contract."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cuecard._backend import _HOME_OF

ROOT = Path(__file__).resolve().parents[2]
LAYERS = "a room imports only from the rooms below it"
SEAM = "the reference is imported by the seam alone"
CYCLES = "no cycles, of folders or of modules"
PACKAGE = "no module imports the package that it is in"
FOR_TYPES = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    {}\n"
# Types of results of the engine, whose classes the native module has under the same names.
RESULTS = ("Found", "IndexMd", "Loaded", "RecalledMemory", "Snapshot")
# Types of the models that a caller hands to the engine, and of what the engine does with them.
OF_MODELS = ("Compared", "OpenFunction", "OpenModels", "Verdict")
UPWARDS = "from ...retrieval.trace import Trace"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package's Python files."""
    folder = tmp_path_factory.mktemp("rooms")
    is_other = shutil.ignore_patterns("__pycache__", "assets", "_native*")
    shutil.copytree(ROOT / "python" / "cuecard", folder / "cuecard", ignore=is_other)
    return folder


def check(package: Path) -> "subprocess.CompletedProcess[str]":
    program = str(Path(sys.executable).with_name("lint-imports"))
    command = [program, "--config", str(ROOT / "pyproject.toml"), "--cache-dir", str(package / "cache"), "--no-logo"]
    return subprocess.run(command, cwd=package, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("file", "code", "contract"),
    [
        ("store/records/slug.py", UPWARDS, LAYERS),
        ("store/records/slug.py", FOR_TYPES.format(UPWARDS), LAYERS),
        ("hosts/registry.py", "from ..mcp.message import Message", LAYERS),
        ("retrieval/hit.py", "from .._pure.engine.snapshot import Snapshot", SEAM),
        ("basics/chars.py", "from .json_reader import read_json", CYCLES),
        ("basics/digest.py", "from .. import backend", PACKAGE),
    ],
)
def test_an_import_that_breaks_a_contract_is_found(package: Path, file: str, code: str, contract: str) -> None:
    path = package / "cuecard" / file
    before = path.read_text("utf-8")
    path.write_text(f"{before}\n{code}\n", "utf-8")
    try:
        found = check(package)
    finally:
        path.write_text(before, "utf-8")
    assert found.returncode == 1
    assert f"{contract} BROKEN" in found.stdout


def test_the_package_keeps_every_contract(package: Path) -> None:
    found = check(package)
    assert found.returncode == 0, found.stdout
    assert "4 kept, 0 broken" in found.stdout


def test_the_rooms_stand_on_nine_floors_at_most() -> None:
    found = re.search(r"^layers = \[\n(.*?)^\]", (ROOT / "pyproject.toml").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    assert len(found[1].splitlines()) <= 9


def test_the_seam_offers_each_shared_name_once_and_something_uses_it() -> None:
    package = ROOT / "python" / "cuecard"
    seam = (package / "_backend.py").read_text("utf-8")
    typed = {alias.asname for alias in _imports_for_types(seam) if alias.asname != "engine"}
    assert typed - set(_HOME_OF) == {*RESULTS, *OF_MODELS}
    assert set(_HOME_OF) <= typed
    users = [path for path in package.rglob("*.py*") if "_pure" not in path.parts and path.suffix in (".py", ".pyi")]
    used = {
        alias.name
        for path in users
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("_backend")
        for alias in node.names
    }
    used |= set(re.findall(r"\bseam\.(\w+)", seam))
    bindings = [path.read_text("utf-8") for path in (ROOT / "rust" / "python" / "src").glob("*.rs")]
    made = {name for text in bindings for name in re.findall(r'result\(py, "(\w+)"', text)}
    assert set(_HOME_OF) - used - made == set()
    assert made <= set(_HOME_OF)


def _imports_for_types(source: str) -> list[ast.alias]:
    """The names that a module imports for type checkers alone."""
    [block] = [node for node in ast.parse(source).body if isinstance(node, ast.If) and not node.orelse]
    return [alias for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names]


def test_every_path_in_the_page_of_the_architecture_is_there() -> None:
    page = (ROOT / "docs/concepts/architecture.md").read_text("utf-8")
    paths = re.findall(r"`([\w.-]+(?:/[\w.-]+)+\.(?:py|rs|md|toml|txt|tsv|json))`", page)
    assert len(paths) > 40
    missing = [path for path in paths if "HOST" not in path and not any(place.exists() for place in _places_of(path))]
    assert missing == []


def _places_of(path: str) -> list[Path]:
    """Where a path of the page can lie: at the root, in the package, or in the sources of a crate."""
    crate, _slash, rest = path.partition("/")
    return [ROOT / path, ROOT / "python/cuecard" / path, ROOT / "rust" / crate / "src" / rest, ROOT / "rust" / path]
