"""The two backends and the executable as tests load them."""

import importlib
import os
from collections.abc import Callable
from functools import cache
from types import ModuleType

import pytest

from hook_process import find_executable


@cache
def executable() -> str:
    """The path of the native `cuecard-hook`."""
    found = find_executable()
    if found is None:
        miss("the native `cuecard-hook`")
    return str(found)


@cache
def load_native() -> ModuleType:
    """The module `cuecard._native`."""
    try:
        return importlib.import_module("cuecard._native")
    except ImportError as error:
        miss(f"the native backend ({error})")
        raise


def load_pure() -> ModuleType:
    """The module `cuecard._pure`."""
    return importlib.import_module("cuecard._pure")


def miss(what: str) -> None:
    """Skip a test because a native part is missing. If CUECARD_REQUIRE_NATIVE is set, as in CI, fail instead."""
    if os.environ.get("CUECARD_REQUIRE_NATIVE") == "1":
        pytest.fail(f"{what} is missing, and CUECARD_REQUIRE_NATIVE is set")
    pytest.skip(f"{what} is missing")


def outcome(function: Callable[..., object], *arguments: object) -> str:
    """The result of a call as text: its value, with the types of all parts; or its error, with message and hint."""
    try:
        return repr(function(*arguments))
    except Exception as error:
        return f"{type(error).__name__}: {error} ({getattr(error, 'hint', '')})"
