"""Finds the `cuecard` command of this installation, in the form in which an agent's shell calls it.

Rules: docs/reference/ledger.md.
"""

import os
import shlex
import sysconfig
from pathlib import Path

from ..basics.programs import find_program, would_start_foreign
from ..files.environment import plugin_root

BARE = "cuecard"
FILE = "cuecard.exe" if os.name == "nt" else BARE
TRIAL_SECONDS = 5
SHELL_PATH = "CUECARD_SHELL_PATH"


def find_word(host: str = "claude-code", *, is_tried: bool = True) -> str:
    """The shell word with which an agent calls `cuecard`; "" if there is no usable command.

    In Claude Code the plugin's folder is on the PATH of the shell. Other hosts start shells with their own PATH, so the
    full path is used there; so it is where the shell would find a program of the project first. The plugin's command
    needs a Python with packages, so it is run once as a test. With `is_tried=False` this test is skipped: it takes too
    long for a stop at which no agent is asked.
    """
    on_path, beside, plugin = find_program(FILE, os.environ.get("PATH", "")), _beside_python(), _of_plugin()
    if host == "claude-code" and on_path:
        return BARE if is_bare_own() else shlex.quote(on_path)
    of_other_host = host != "claude-code"
    if of_other_host and (on_path or beside):
        return shlex.quote(str(on_path or beside))
    if plugin and (os.name == "nt" or not is_tried or _runs(plugin)):
        return shlex.quote(str(plugin)) if of_other_host or not is_bare_own() else BARE
    return shlex.quote(str(beside)) if beside else ""


def find_own(project_root: str) -> Path | None:
    """The `cuecard` command that this process may start; None if there is none.

    A command in the project is never taken, unless it was installed with this Python.
    """
    own = _beside_python()
    named = find_program(BARE)
    on_path = Path(named) if named else None
    if own or (on_path and not is_below(on_path, Path(project_root))):
        return own or on_path
    return _of_plugin()


def known_words(project_root: str) -> set[str]:
    """The shell words that start one of our commands: the bare name, and paths as the shell quotes them.

    A command in the project is not trusted unless it was installed with this Python. If the bare name would start an
    untrusted command, the bare name is left out.
    """
    own = [file for file in (_beside_python(), _of_plugin()) if file]
    own += [_in_real_folder(file) for file in own]
    words = {shlex.quote(str(file)) for file in own}
    named = find_program(FILE, os.environ.get("PATH", ""))
    on_path = Path(named) if named else None
    if on_path and on_path not in own and is_below(on_path, Path(project_root)):
        return words
    if on_path:
        words.add(shlex.quote(str(on_path)))
    return words | {BARE} if is_bare_own() else words


def is_bare_own() -> bool:
    """Whether the agent's shell finds `cuecard` outside of the project.

    Where a launcher has removed folders from PATH, the variable `SHELL_PATH` has the PATH that it was started
    with, which the shell has too.
    """
    paths = [os.environ[name] for name in ("PATH", SHELL_PATH) if name in os.environ]
    return not any(would_start_foreign(FILE, path) for path in paths)


def _beside_python() -> Path | None:
    """The command that was installed with this Python; None if there is none."""
    folder = sysconfig.get_path("scripts")
    return _program_in(Path(folder), FILE) if folder else None


def _of_plugin() -> Path | None:
    """The command of the plugin that started this process; None if no plugin did."""
    plugin = plugin_root()
    return _program_in(Path(plugin, "bin"), BARE) if plugin else None


def is_below(file: Path, folder: Path) -> bool:
    """Whether a file or its link target is in a folder. Everybody who can write there can then replace the file."""
    real = folder.resolve()
    return _in_real_folder(file).is_relative_to(real) or file.resolve().is_relative_to(real)


def _in_real_folder(file: Path) -> Path:
    return file.parent.resolve() / file.name


def _program_in(folder: Path, name: str) -> Path | None:
    file = folder.absolute() / name
    return file if file.is_file() and os.access(file, os.X_OK) else None


def _runs(program: Path) -> bool:
    # Imported here because the hook loads this module at every stop.
    import subprocess

    try:
        ran = subprocess.run(
            [str(program), "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRIAL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ran.returncode == 0
