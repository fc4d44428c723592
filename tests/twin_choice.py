"""Both backends in one process: a process chooses its backend once, and some tests have both take turns."""

import sys
from types import ModuleType

import pytest


def use_engine(patch: pytest.MonkeyPatch, engine: ModuleType) -> None:
    """Put a backend into the place of the one that serves, in every module that has been imported."""
    for name, module in list(sys.modules.items()):
        if name.startswith("cuecard.") and name != "cuecard._backend" and "engine" in vars(module):
            patch.setattr(module, "engine", engine)
