"""The plugin's mod in Claude Code: whether it has answered lately. A mod that fails shows no error."""

import time
from pathlib import Path

from ...basics.json_reader import JsonError, read_json
from ...basics.timestamp import parse_timestamp
from ...files.folder import Unread
from ...files.store_files import read_bounded
from ...observe.doctor.finding import Finding
from ...store.log.events import read_events
from ..host_environment import HostEnvironment
from .claude_code import ClaudeCode

# Claude Code keeps what a mod stores in files of the user's configuration folder, named by plugin and marketplace.
FOLDER, PREFIX = ("plugins", "store"), "cuecard_"
# What `hooks/mod.js` stores when it has drawn what a prompt was shown.
KEY = "answered"
MAX_BYTES = 4 << 20
LATELY_SECONDS = 7 * 86_400
HINT = "it needs Claude Code 2.1.287 or newer in a terminal or the desktop app; `claude --debug` says why a mod fails"


def last_answer(environment: HostEnvironment) -> int | None:
    """When the mod has last drawn what was shown, in seconds since 1970; None if it never has."""
    folder = ClaudeCode().folder("user", environment).joinpath(*FOLDER)
    try:
        files = [file for file in folder.iterdir() if file.name.startswith(PREFIX) and file.suffix == ".json"]
    except OSError:
        return None
    return max([at for file in files if (at := _read_answer(file)) is not None], default=None)


def _read_answer(file: Path) -> int | None:
    try:
        stored = read_json(read_bounded(str(file), MAX_BYTES))
    except (JsonError, Unread):
        return None
    text = stored.get(KEY) if isinstance(stored, dict) else None
    micros = parse_timestamp(text) if isinstance(text, str) else None
    return None if micros is None else micros // 1_000_000


def examine_mod(environment: HostEnvironment) -> list[Finding]:
    """The doctor's finding about the mod; none if the plugin is not enabled, or no prompt was shown a memory yet."""
    if not ClaudeCode().find_plugin(environment):
        return []
    memory_dir = str(environment.project / ".claude" / "memory")
    shown = [event.seconds for event in read_events(memory_dir).events if event.host == ClaudeCode.name and event.shown]
    if not shown:
        return []
    answered = last_answer(environment)
    if answered is not None and answered > shown[-1] - LATELY_SECONDS:
        return [Finding("mod", "ok", f"the mod in Claude Code has answered, last on {_day(answered)}")]
    since = "never" if answered is None else f"not since {_day(answered)}"
    words = f"the mod in Claude Code has {since} answered, although memories were shown on {_day(shown[-1])}"
    return [Finding("mod", "warn", words, HINT)]


def _day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
