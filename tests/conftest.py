"""Fixtures of many tests: the backends, the ways to run the hook, and the profiles of Hypothesis."""

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

import cuecard
from backends import executable, load_native, load_pure
from cuecard import Store
from cuecard.models.endpoints.sent import ledger
from hook_process import Hook
from memory_folder import disk_folder, use_memory_folder
from model_server import ModelServer
from plugin_clone import Launcher
from pooled import fill_pools
from records import make_store
from scratch_home import is_foreign, reset_user_settings, use_scratch_home, write_user_settings
from scripted_model import ScriptedModel
from small_project import write_project

pytest_plugins = ["team_fixtures"]

use_memory_folder()
use_scratch_home()
settings.register_profile("few", max_examples=10, deadline=None)
settings.register_profile("quick", max_examples=int(os.environ.get("CUECARD_EXAMPLES", "50")), deadline=None)
# The gate draws the same examples every time, so that more of them would show something once only. `make test` and the
# fuzzers draw others.
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("deep", max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("CUECARD_HYPOTHESIS", "quick"))


# The file whose tests use every way to run the hook. In all other files, Python with the native backend is left out,
# because the executable passes the event to the same function.
EVERY_HOOK = "test_vectors.py"
# Rooms in which the pure hook runs the first case of each test only, because the vectors show that each rule is the
# same: what is left is that the hook applies it. In these files it runs all cases.
HOT_ROOMS = ("api", "engine")
EVERY_CASE = (EVERY_HOOK, "test_hook.py", "test_hook_files.py")
# Tests that need not run on the pure backend if a run with both backends has passed: they name the backends themselves,
# or show what no backend answers (the texts of the tree, the settings of hosts, what an importer reads, a screen). What
# walks through a store runs on both, because the pure backend keeps one more file there.
NAMES_BACKENDS = frozenset(("engine", "reference", "native", "backend", "hook"))
ROOMS_WITHOUT_BACKEND = frozenset(("hosts", "house", "importers"))
WITHOUT_BACKEND = (
    "test_completion",
    "test_embed",
    "test_endpoint",
    "test_redaction",
    "test_screen.",
    "test_secret",
    "test_time_limits",
)

# Rooms of cold code, which is written once and asks a backend only through the seam. The tests that name both backends
# show that the seam answers alike. What a test of a cold room can show beside that is an argument that one backend does
# not take. Many of these tests ask each function of the seam, so that a third of them is enough after a run with both.
COLD_ROOMS = frozenset("actions api capture cli evaluate mcp models observe retrieval store sync viewer".split())

MANY_SECONDS = 800


def pytest_sessionstart() -> None:
    """Switch the garbage collection off while the tests are collected, which takes half as long without it."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Switch the garbage collection on again, without what was imported and collected: it lives to the end."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the property tests, deselect tests that show nothing new in this run, and sort the tests, slowest first.

    Slow tests at the end would keep one worker busy while the other workers are idle.
    """
    for item in items:
        if getattr(getattr(item, "function", None), "is_hypothesis_test", False):
            item.add_marker("property")
        # There the executable starts Python at each of many stops; the same code is forked for the hook in Python.
        if item.path.name.startswith("test_ledger") and params_of(item).get("hook") == "executable":
            item.add_marker("process")
    gone = {item for item in items if is_shown_elsewhere(item)} | later_cases_of_the_pure_hook(items)
    if is_after_both():
        gone |= two_thirds([item for item in items if item.path.parent.name in COLD_ROOMS and item not in gone])
    if gone:
        config.hook.pytest_deselected(items=list(gone))
        items[:] = [item for item in items if item not in gone]
    items.sort(key=lambda item: not takes_minutes(item))


def takes_minutes(item: pytest.Item) -> bool:
    """Whether a slow test (`package`, `process` or `attack`) has a time limit of many minutes."""
    limit = item.get_closest_marker("timeout")
    is_long = limit is not None and bool(limit.args) and limit.args[0] >= MANY_SECONDS
    return is_long and any(item.get_closest_marker(name) for name in ("package", "process", "attack"))


def is_after_both() -> bool:
    """Whether a run of the tests with both backends has passed."""
    return os.environ.get("CUECARD_AFTER_BOTH") == "1"


def two_thirds(items: list[pytest.Item]) -> set[pytest.Item]:
    """Two of three tests of each file, the same ones in each run and each worker, and never the first of a file."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in sorted(items, key=lambda item: item.nodeid):
        files.setdefault(item.path, []).append(item)
    return {item for tests in files.values() for place, item in enumerate(tests) if place % 3}


def later_cases_of_the_pure_hook(items: list[pytest.Item]) -> set[pytest.Item]:
    """The tests of hot rooms with the pure hook, except the first case of each."""
    first: dict[tuple[Path, str], pytest.Item] = {}
    asked = [item for item in items if params_of(item).get("hook") == "pure" and item.path.parent.name in HOT_ROOMS]
    asked = [item for item in asked if item.path.name not in EVERY_CASE]
    for item in sorted(asked, key=lambda item: item.nodeid):
        first.setdefault((item.path, getattr(item, "originalname", item.name)), item)
    return set(asked) - set(first.values())


def is_shown_elsewhere(item: pytest.Item) -> bool:
    """Whether a test can be left out, because another test or another run of the tests shows the same."""
    if is_after_both() and (
        item.path.parent.name in ROOMS_WITHOUT_BACKEND
        or item.path.name.startswith(WITHOUT_BACKEND)
        or NAMES_BACKENDS.intersection(getattr(item, "fixturenames", ()))
    ):
        return True
    if item.path.name == EVERY_HOOK:
        return False
    return params_of(item).get("hook") == "native-python"


def params_of(item: pytest.Item) -> dict[str, object]:
    """The parameters of a test by their names."""
    return getattr(getattr(item, "callspec", None), "params", {})


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before the first property test, draw the values that several property tests share."""
    if item.get_closest_marker("property"):
        fill_pools()


@pytest.fixture(autouse=True)
def _own_state() -> Iterator[None]:
    """Give each test an empty record of requests, and restore the user's configuration after the test."""
    ledger.take()
    yield
    reset_user_settings()


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty data folder of the user."""
    folder = tmp_path / "user-data"
    folder.mkdir()
    monkeypatch.setenv("CUECARD_HOME", str(folder))
    return folder


@pytest.fixture
def fresh_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A data folder of this test alone, and settings that heed the trust in memories."""
    folder = tmp_path / "own-data"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("CUECARD_HOME", str(folder))
    write_user_settings({"trust": {}})
    return folder


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Remove the variables of the user who runs the tests, and use an empty home and working directory."""
    for name in ("CUECARD_ROOT", "CUECARD_STRATEGY", "CUECARD_OUTPUT", "CUECARD_LOG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def untouched_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the variables of the user who runs the tests, and use an empty home."""
    for name in filter(is_foreign, list(os.environ)):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a few memories."""
    return write_project(tmp_path / "project")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store without memories."""
    return make_store(tmp_path / "project")


@pytest.fixture
def model_folder() -> Iterator[Path]:
    """An empty folder that settings may name as the folder of a model."""
    with disk_folder() as folder:
        yield folder


@pytest.fixture(scope="session", params=["native", "pure"])
def engine(request: pytest.FixtureRequest) -> ModuleType:
    """The module of each backend in turn, for tests that run with both backends."""
    return load_native() if request.param == "native" else load_pure()


@pytest.fixture(scope="session")
def reference() -> ModuleType:
    """The pure backend, for tests of properties; parity tests show that the native backend has the same properties."""
    return load_pure()


@pytest.fixture(scope="session")
def native() -> ModuleType:
    """The native backend, for tests that compare it with the pure one."""
    return load_native()


@pytest.fixture(params=["native", "pure"])
def backend(request: pytest.FixtureRequest) -> str:
    """The name of each backend in turn."""
    if request.param == "native":
        request.getfixturevalue("native")
    return str(request.param)


@pytest.fixture(params=["executable", "pure", "native-python"])
def hook(request: pytest.FixtureRequest, tmp_path: Path) -> Hook:
    """Each way to run the hook in turn: the executable, and Python with the native and with the pure backend."""
    scratch = tmp_path / "hook"
    scratch.mkdir()
    if request.param == "executable":
        return Hook((executable(),), {}, scratch)
    if request.param == "native-python":
        load_native()
    backend = "pure" if request.param == "pure" else "native"
    forked = "" if has_own_processes(request) else backend
    return Hook((sys.executable, "-m", "cuecard.hook"), {"CUECARD_BACKEND": backend}, scratch, forked)


@pytest.fixture
def python_hook(request: pytest.FixtureRequest, tmp_path: Path) -> Hook:
    """The hook in Python, for features that the native executable does not have."""
    scratch = tmp_path / "hook"
    scratch.mkdir()
    forked = "" if has_own_processes(request) else cuecard.backend
    return Hook((sys.executable, "-I", "-m", "cuecard.hook"), {}, scratch, forked)


def has_own_processes(request: pytest.FixtureRequest) -> bool:
    """Whether a test needs a new process for every run, instead of a forked process."""
    return any(request.node.get_closest_marker(name) for name in ("process", "fault", "attack"))


@pytest.fixture
def launcher(tmp_path: Path) -> Launcher:
    return Launcher(tmp_path)


@pytest.fixture
def installed() -> Path:
    """The path of the installed `cuecard-hook`: the native executable, or the console script of the pure wheel."""
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    found = shutil.which("cuecard-hook", path=folders)
    if found is None:
        pytest.skip("`cuecard-hook` is not installed")
    return Path(found)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ModelServer]:
    """A server on loopback that answers like the endpoints of models."""
    with ModelServer() as server:
        yield server


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model for a real client, which answers as a test tells it to."""
    model = ScriptedModel()
    yield model
    model.close()


@pytest.fixture
def server(endpoint: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """The model server in its initial state; the user of this process allows its host."""
    monkeypatch.setenv("CUECARD_ALLOW_HOSTS", endpoint.url)
    endpoint.fault, endpoint.says, endpoint.redirect_to = "", None, "http://127.0.0.1:1"
    endpoint.keep = lambda titles: list(range(len(titles)))
    endpoint.requests.clear()
    return endpoint
