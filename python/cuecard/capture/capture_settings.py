"""Reads the settings of capture of a store."""

from .._backend import CaptureSettings, capture_settings_of, read_effective_settings


def read_capture_settings(memory_dir: str, notes: list[str]) -> CaptureSettings:
    """The capture settings of a store; problems are added to `notes`."""
    files = read_effective_settings(memory_dir)
    notes += files.notes()
    return capture_settings_of(files.settings)
