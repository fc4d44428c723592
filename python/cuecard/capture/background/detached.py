"""Starts commands in a process that outlives the hook: a background run, and a pull of the memories of teams."""

import os
import subprocess
from pathlib import Path

from ...basics.json_reader import JsonError, read_json
from ...errors import CuecardError
from ...files.environment import Environment
from ...files.root import find_project
from ..program import find_own
from .background_settings import read_background_settings

# The run waits this long, because another hook of the same event completes the ledger meanwhile.
DELAY_SECONDS = 3


def start_run(payload: bytes, environment: Environment) -> None:
    """Start a run for the project of an event if the user has enabled background runs. Failures are ignored."""
    try:
        event = read_json(payload)
        cwd = event.get("cwd") if isinstance(event, dict) else None
        folder = str(Path(cwd if isinstance(cwd, str) else ".").absolute())
        project = find_project(folder, environment.root, environment.home)
    except (JsonError, CuecardError, OSError, ValueError):
        return
    program = find_own(project[0]) if project and read_background_settings(project[1]) else None
    if project is None or program is None:
        return
    command = [str(program), "capture", "background", "--root", project[0], "--delay", str(DELAY_SECONDS)]
    _start(command, environment)


def start_pull(environment: Environment) -> None:
    """Pull the memories of the user's teams. Failures are ignored here; `cuecard doctor` shows them."""
    program = find_own(str(Path.cwd()))
    if program:
        _start([str(program), "sync", "pull", "--quiet"], environment)


def _start(command: list[str], environment: Environment) -> None:
    """Start a command that goes on when the host or its terminal ends."""
    is_windows = os.name == "nt"
    flags = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    try:
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=environment.home or None,
            close_fds=True,
            start_new_session=not is_windows,
            creationflags=flags if is_windows else 0,
        )
    except OSError:
        return
