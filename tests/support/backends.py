"""The two backends and the executable as tests load them."""

import importlib
import os
from collections.abc import Callable
from functools import cache
from types import ModuleType

import pytest

import pure_parts
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
    """The module `cuecard._native`, with the functions of its `parts` added."""
    try:
        native = importlib.import_module("cuecard._native")
        whole = ModuleType(native.__name__, native.__doc__)
        vars(whole).update(vars(native.parts) | vars(native))
        return whole
    except ImportError as error:
        miss(f"the native backend ({error})")
        raise


@cache
def load_pure() -> ModuleType:
    """The module `cuecard._pure`, with the functions of `pure_parts` added."""
    pure = importlib.import_module("cuecard._pure")
    whole = ModuleType(pure.__name__, pure.__doc__)
    for module in (pure_parts, pure):
        vars(whole).update({name: getattr(module, name) for name in module.__all__})
    return whole


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
