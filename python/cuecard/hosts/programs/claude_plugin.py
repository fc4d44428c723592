"""Installs cuecard's plugin in Claude Code, from a copy of what the checkout of this program has of it."""

import json
import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ...basics.programs import find_program
from ...files.user_folder import data_path
from ..host_environment import HostEnvironment

MANIFEST = Path(".claude-plugin", "marketplace.json")
HOST, PROGRAM, PLUGIN = "claude-code", "claude", "cuecard@cuecard"
SECONDS = 180
# What the plugin is made of; its launchers use the package where no installed program is found.
PARTS = (".claude-plugin", ".mcp.json", "LICENSE", "agents", "bin", "commands", "hooks", "python", "skills")
BUILT = ("__pycache__", "*.so", "*.pyd", "*.egg-info")
# The folder of the copy in the user's data folder.
COPY = "plugin"


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


def copy_plugin(source: Path) -> Path:
    """Copy what the plugin needs into the user's data folder, and return the copy; `source` if that fails.

    Claude Code copies the whole folder of a plugin. That of a checkout has everything that was built there, which can
    be some gigabytes.
    """
    data = data_path()
    if not data:
        return source
    copy, fresh = Path(data, COPY), Path(data, f"{COPY}.new")
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True, mode=0o700)
        for name in PARTS:
            part = source / name
            if part.is_dir():
                shutil.copytree(part, fresh / name, ignore=shutil.ignore_patterns(*BUILT))
            elif part.is_file():
                shutil.copy2(part, fresh / name)
        shutil.rmtree(copy, ignore_errors=True)
        fresh.rename(copy)
    except OSError:
        return source
    return copy


def plugin_commands(source: str) -> list[list[str]]:
    """The words of the commands that install the plugin from a folder."""
    return [[PROGRAM, "plugin", "marketplace", "add", source], [PROGRAM, "plugin", "install", PLUGIN]]


def install_plugin(source: str, environment: HostEnvironment) -> str:
    """Have Claude Code install the plugin of a checkout; return why that failed, or "" if it did not."""
    program = find_program(PROGRAM, environment.variables.get("PATH", ""))
    if program is None:
        return f"`{PROGRAM}` is not on PATH"
    for command in plugin_commands(str(copy_plugin(Path(source)))):
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
