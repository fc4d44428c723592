"""Writes a folder with what the plugin needs, without the tests, benches and documents of the repository.

Usage: `python tools/make_plugin.py FOLDER`. Agent programs copy a whole plugin, and keep the copy; the folder is a
plugin and its own marketplace, as the repository is. It must not exist, or be empty.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The manifests of Claude Code and Codex, what they name, and what the launchers start where nothing is installed.
FOLDERS = (".claude-plugin", ".codex-plugin", "agents", "bin", "commands", "hooks", "python", "skills")
FILES = (".mcp.json", "LICENSE", "README.md")
# Modules that were built belong to one machine.
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.egg-info")


def make(folder: Path) -> None:
    """Write the plugin into a folder."""
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"error: {folder} is not empty")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=LEFT_OUT)
    for name in FILES:
        shutil.copy2(ROOT / name, folder / name)


def main() -> None:
    """Write the plugin into the folder that the command line names, and say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    make(folder)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{folder}: {size / (1 << 20):.1f} MiB")


if __name__ == "__main__":
    main()
