"""The command that takes the drafts (SPEC 56.8)."""

import os
import shlex
import sysconfig

BARE = "cuecard"
NAME = "cuecard.exe" if os.name == "nt" else BARE


def find_program(host: str) -> str:
    """How the agent's shell calls `cuecard`; "" where there is no such command.

    The plugin's folder is on the PATH of the shell of Claude Code. Other hosts start shells with a PATH of their own,
    so there the path is named.
    """
    path = os.environ.get("PATH", "").split(os.pathsep)
    on_path = [folder for folder in path if os.path.isabs(folder) and _is_program(os.path.join(folder, NAME))]
    plugin = os.environ.get("CLAUDE_PLUGIN_ROOT", "")
    below_plugin = [os.path.join(plugin, "bin")] if os.path.isabs(plugin) else []
    below_plugin = [folder for folder in below_plugin if _is_program(os.path.join(folder, NAME))]
    if host == "claude-code" and (on_path or below_plugin):
        return BARE
    beside = sysconfig.get_path("scripts")
    besides = [beside] if beside and _is_program(os.path.join(beside, NAME)) else []
    folders = [*on_path, *besides, *below_plugin]
    return shlex.quote(os.path.join(folders[0], NAME)) if folders else ""


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
