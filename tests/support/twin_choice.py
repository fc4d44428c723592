"""Changes the backend within one process, for tests that use both backends in turn."""

import sys
from types import ModuleType

import pytest


def use_engine(patch: pytest.MonkeyPatch, engine: ModuleType) -> None:
    """Replace the current backend with `engine` in every imported module."""
    for name, module in list(sys.modules.items()):
        if name.startswith("cuecard.") and name != "cuecard._backend" and "engine" in vars(module):
            patch.setattr(module, "engine", engine)
