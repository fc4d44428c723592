"""Reads the two files of settings with the backend of this process (SPEC 47.1).

All code that follows settings and is not part of a backend gets them from this module.
"""

from .._backend import (
    MAX_SETTINGS_BYTES,
    REPOSITORY_FILE,
    USER_FILE,
    EffectiveSettings,
    engine,
    read_settings_files,
    read_settings_of_file,
    read_user_settings,
    user_settings_path,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import Numbers

__all__ = [
    "MAX_SETTINGS_BYTES",
    "REPOSITORY_FILE",
    "USER_FILE",
    "EffectiveSettings",
    "read_effective_settings",
    "read_named_settings",
    "read_numbers",
    "read_user_settings",
    "user_settings_path",
]


def read_effective_settings(memory_dir: str) -> EffectiveSettings:
    """The settings in effect for the store at `memory_dir`, or only the user's if it is "". Never raises."""
    return read_settings_files(memory_dir, engine.read_settings)


def read_named_settings(path: str) -> EffectiveSettings:
    """The settings of a file that the user names, with the same rights as the user's configuration. Never raises."""
    return read_settings_of_file(path, engine.read_settings)


def read_numbers(memory_dir: str) -> "Numbers":
    """The parameters of BM25 in the settings of a store, from which the impacts of terms are computed. Never raises."""
    return read_effective_settings(memory_dir).settings.numbers
