"""Changes the backend within one process, for tests that use both backends in turn."""

import sys
from types import ModuleType

import pytest

from cuecard import _backend
from cuecard._pure.settings.settings_files import EffectiveSettings, read_effective_settings


def use_engine(patch: pytest.MonkeyPatch, engine: ModuleType) -> None:
    """Replace the current backend with `engine` in every imported module."""

    def read(memory_dir: str, _read: object) -> EffectiveSettings:
        return read_effective_settings(memory_dir, engine.read_settings)

    # The seam keeps its engine, which a module that is imported meanwhile would keep too.
    patch.setattr(_backend, "read_settings_files", read)
    for name, module in list(sys.modules.items()):
        if name.startswith("cuecard.") and name != "cuecard._backend" and "engine" in vars(module):
            patch.setattr(module, "engine", engine)
