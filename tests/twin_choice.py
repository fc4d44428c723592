"""Both twins in one process: a process chooses its twin once, and some tests have both take turns."""

import sys
from types import ModuleType

import pytest


def use_twin(patch: pytest.MonkeyPatch, twin: ModuleType) -> None:
    """Put a twin into the place of the one that serves, in every module that has been imported."""
    for name, module in list(sys.modules.items()):
        if name.startswith("cuecard.") and name != "cuecard._backend" and "twin" in vars(module):
            patch.setattr(module, "twin", twin)
