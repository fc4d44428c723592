"""Installs cuecard's plugin in Claude Code, from the checkout that this program was installed from."""

import json
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..basics.programs import find_program
from .host_environment import HostEnvironment

MANIFEST = Path(".claude-plugin", "marketplace.json")
HOST, PROGRAM, PLUGIN = "claude-code", "claude", "cuecard@cuecard"
# Claude Code copies the whole checkout, with what was built in it.
SECONDS = 180


def find_plugin_source() -> Path | None:
    """The checkout with the plugin that this installation was made from; None if there is none any more."""
    from importlib.metadata import PackageNotFoundError, distribution

    # An editable installation, or a clone that was never installed.
    folders = [Path(__file__).resolve().parents[3]]
    try:
        text = distribution("cuecard").read_text("direct_url.json") or "{}"
        url = urlsplit(json.loads(text).get("url", ""))
        if url.scheme == "file":
            folders.append(Path(unquote(url.path)))
    except (PackageNotFoundError, ValueError, AttributeError):
        pass
    return next((folder for folder in folders if (folder / MANIFEST).is_file()), None)


def plugin_commands(source: str) -> list[list[str]]:
    """The words of the commands that install the plugin from a folder."""
    return [[PROGRAM, "plugin", "marketplace", "add", source], [PROGRAM, "plugin", "install", PLUGIN]]


def install_plugin(source: str, environment: HostEnvironment) -> str:
    """Have Claude Code install the plugin; return why that failed, or "" if it did not."""
    program = find_program(PROGRAM, environment.variables.get("PATH", ""))
    if program is None:
        return f"`{PROGRAM}` is not on PATH"
    for command in plugin_commands(source):
        try:
            ran = subprocess.run(
                [program, *command[1:]],
                cwd=environment.home,
                env=dict(environment.variables),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            return f"`{' '.join(command[:3])}` could not be run: {error}"
        if ran.returncode:
            said = (ran.stderr or ran.stdout).decode("utf-8", "replace").strip().splitlines()
            return f"`{' '.join(command[:3])}` failed: {said[-1] if said else f'exit status {ran.returncode}'}"
    return ""
