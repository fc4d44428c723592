"""The folder `.cuecard` of a store: derived state that can be deleted, kept out of the project's commits."""

import os


def ensure_derived_folder(memory_dir: str) -> str:
    """Make the folder with its `.gitignore` where they are missing, and return its path. Raises OSError."""
    derived = os.path.join(memory_dir, ".cuecard")
    ignore = os.path.join(derived, ".gitignore")
    if not os.path.exists(ignore):
        os.makedirs(derived, exist_ok=True)
        with open(ignore, "w", encoding="utf-8", newline="") as file:
            file.write("*\n")
    return derived
