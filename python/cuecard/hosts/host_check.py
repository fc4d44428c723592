"""Runs the programs of hosts and of installed hooks: which versions are here, and whether a hook answers."""

from pathlib import Path

from ..basics.programs import find_program
from .foreign_settings import read_json_file
from .host_environment import HostEnvironment
from .host_file import Host

SECONDS = 20
# How many folders above a program its package may be.
MOST_FOLDERS = 4
# A prompt that no memory is about.
SAMPLE = (
    b'{"hook_event_name": "UserPromptSubmit", "prompt": "cuecard sends this to see whether its hook runs", "cwd": "/"}'
)


def find_version(host: Host, environment: HostEnvironment) -> str:
    """The version of a host's program on PATH, as its package or the program itself tells; "" if there is none, or it
    tells none."""
    import re
    import subprocess

    for name in host.programs:
        program = find_program(name, environment.variables.get("PATH", ""))
        if program:
            # Copilot CLI unpacks itself into the home folder even to tell its version.
            if packaged := _packaged_version(program):
                return packaged
            try:
                ran = subprocess.run(
                    [program, "--version"],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=SECONDS,
                    check=False,
                    env=dict(environment.variables),
                )
            except (OSError, subprocess.TimeoutExpired):
                return ""
            found = re.search(rb"\d+\.\d+[.\d]*", ran.stdout)
            return found[0].decode().rstrip(".") if found else ""
    return ""


def _packaged_version(program: str) -> str:
    """The version in the `package.json` of the package of npm that a program belongs to; "" if it belongs to none."""
    folders = list(Path(program).resolve().parents)[:MOST_FOLDERS]
    package = next((folder for folder in folders if (folder / "package.json").is_file()), None)
    if package is None or "node_modules" not in package.parts:
        return ""
    version = read_json_file(package / "package.json").get("version")
    numbers = version.partition("-")[0] if isinstance(version, str) else ""
    return numbers if all(number.isascii() and number.isdigit() for number in numbers.split(".")) else ""


def is_too_old(host: Host, version: str) -> bool:
    """Whether a host is older than the oldest version that runs our hooks; False if the version is not known."""
    return bool(version) and tuple(int(part) for part in version.split(".") if part) < host.least_version


def try_command(command: list[str]) -> str:
    """Send a sample event to an installed command; returns what is wrong, "" if it ends as it should."""
    import subprocess

    try:
        ran = subprocess.run(command, input=SAMPLE, capture_output=True, timeout=SECONDS, check=False)
    except OSError as error:
        return f"`{command[0]}` cannot be run: {error.strerror or error}"
    except subprocess.TimeoutExpired:
        return f"`{command[0]}` has not answered after {SECONDS} seconds"
    return "" if ran.returncode == 0 else f"`{command[0]}` ended with status {ran.returncode}"
