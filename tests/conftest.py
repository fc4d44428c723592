"""What many tests share: the twins, the ways to run the hook, the profiles of hypothesis."""

import importlib
import os
import sys
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

from hook_processes import HookWay, find_executable

settings.register_profile("quick", max_examples=50, deadline=None)
settings.register_profile("ci", max_examples=500, deadline=None, derandomize=True)
settings.register_profile("deep", max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("CUECARD_HYPOTHESIS", "quick"))


@pytest.fixture(scope="session", params=["native", "pure"])
def twin(request: pytest.FixtureRequest) -> ModuleType:
    """Each of the twins in turn."""
    return load_native() if request.param == "native" else importlib.import_module("cuecard._pure")


@pytest.fixture(scope="session")
def native() -> ModuleType:
    """The native twin, for what compares it with the pure one."""
    return load_native()


@pytest.fixture(scope="session", params=["executable", "pure", "native-python"])
def hook_way(request: pytest.FixtureRequest) -> HookWay:
    """Each way to run the hook in turn: the executable, and Python with either twin."""
    if request.param == "executable":
        executable = find_executable()
        if executable is None:
            miss("the native `cuecard-hook`")
        return HookWay("executable", [str(executable)], "native")
    if request.param == "native-python":
        load_native()
    backend = "pure" if request.param == "pure" else "native"
    return HookWay(request.param, [sys.executable, "-m", "cuecard.hook"], backend)


def load_native() -> ModuleType:
    """The module `cuecard._native`."""
    try:
        return importlib.import_module("cuecard._native")
    except ImportError as error:
        miss(f"the native twin ({error})")
        raise


def miss(what: str) -> None:
    """Native parts may be missing on a machine without a toolchain, never where CI demands them."""
    if os.environ.get("CUECARD_REQUIRE_NATIVE") == "1":
        pytest.fail(f"{what} is missing, and CUECARD_REQUIRE_NATIVE is set")
    pytest.skip(f"{what} is missing")
