"""Checks the environment: variables that do not count, and what the project's settings for hosts set (SPEC 44.5)."""

import os
import re

from ..._backend import is_log_refused, log_path
from ...basics.counted import counted
from ...basics.json_reader import JsonError, read_json
from ...basics.surroundings import admits
from ...files.data_folder import OWN
from ...files.environment import Environment, lets_variables_count
from ...files.folder import Unread
from ...files.program_record import record_path, recorded_programs
from ...files.store_files import read_bounded
from ...files.user_folder import config_path, data_path, home_path, state_home_path
from .finding import Finding

MAX_BYTES = 1 << 20
# The files in which a project can set variables for a host, with the form of each.
JSON_FILES = (".claude/settings.json", ".claude/settings.local.json", ".gemini/settings.json", ".qwen/settings.json")
LINE_FILES = (".gemini/.env", ".qwen/.env", ".env")
CODEX_FILE = ".codex/config.toml"
_OURS = re.compile(r"PATH|HOME|XDG_[A-Z_]+|CUECARD_[A-Z_]+")
_LINE = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Z_]+)[ \t]*=", re.MULTILINE)
# In TOML a table is written in lines below its name, or between braces in one line; names may have quotes.
_CODEX = re.compile(
    r"^[ \t]*\[[ \t]*shell_environment_policy[ \t]*\.[ \t]*set[ \t]*\](.*?)(?=^[ \t]*\[|\Z)"
    r"|shell_environment_policy[ \t]*\.[ \t]*set[ \t]*=[ \t]*\{([^}]*)\}"
    r"|^[ \t]*set[ \t]*=[ \t]*\{([^}]*)\}"
    r"|^[ \t]*(?:shell_environment_policy[ \t]*\.[ \t]*)?set[ \t]*\.([^\n]*)",
    re.MULTILINE | re.DOTALL,
)
_NAME = re.compile(r"[\"']?([A-Z_]+)[\"']?[ \t]*=")


def examine_environment(project: str) -> list[Finding]:
    """Findings about the environment of the project in a folder; none where all is well."""
    return [*_examine_host_settings(project), *_examine_variables(), *_examine_launchers()]


def _examine_host_settings(project: str) -> list[Finding]:
    found = {file: names for file in (*JSON_FILES, *LINE_FILES, CODEX_FILE) if (names := _names_in(project, file))}
    if not found:
        return []
    details = [f"{file}: {', '.join([f'`{name}`' for name in names])}" for file, names in found.items()]
    files = " and ".join([f"`{file}`" for file in found])
    words = f"the project's {files} set variables that decide which programs and folders are used"
    hint = "remove them unless you know why they are there; cuecard takes no program and no folder of the project"
    return [Finding("host settings", "warn", words, hint, details, {"files": {file: [*found[file]] for file in found}})]


def _names_in(project: str, file: str) -> list[str]:
    """The names of our variables, PATH, HOME and XDG_*, that a file of the project sets."""
    if not project:
        return []
    try:
        text = read_bounded(os.path.join(project, file), MAX_BYTES).decode("utf-8", "replace")
    except Unread:
        return []
    if file in JSON_FILES:
        names = _names_in_json(text)
    elif file == CODEX_FILE:
        names = [name for part in _CODEX.findall(text) for name in _NAME.findall("\n".join(part))]
    else:
        names = _LINE.findall(text)
    return sorted({name for name in names if _OURS.fullmatch(name)})


def _names_in_json(text: str) -> list[str]:
    try:
        settings = read_json(text.encode())
    except JsonError:
        # Hosts read JSON with comments too. A name too many is better than one too few.
        return re.findall(r'"([A-Z_]+)"[ \t]*:', text)
    variables = settings.get("env") if isinstance(settings, dict) else None
    return [*variables] if isinstance(variables, dict) else []


def _examine_variables() -> list[Finding]:
    """A finding with each variable of this process that does not count, and with what counts in its place."""
    details = [*_passed_over_folders(), *_passed_over_values()]
    if not details:
        return []
    count = counted(len(details), "variable of the environment does", "variables of the environment do")
    hint = "variables can come from a project; `docs/reference/environment.md` says who may set which"
    return [Finding("variables", "warn", f"{count} not count as set", hint, details)]


def _passed_over_folders() -> list[str]:
    used = {
        "HOME": home_path(),
        "XDG_CONFIG_HOME": config_path(),
        "XDG_STATE_HOME": state_home_path(),
        "XDG_DATA_HOME": data_path(),
        "CUECARD_HOME": data_path(),
    }
    details = []
    for name, place in used.items():
        named = os.environ.get(name, "")
        below = name.startswith("XDG_")
        if named and not (admits(named) and (not below or admits(os.path.join(named, OWN)))):
            details.append(f"`{name}`: `{named}` is in the project, or not yours, or not absolute; `{place}` counts")
    return details


def _passed_over_values() -> list[str]:
    environment, variables = Environment(), os.environ
    details = []
    if is_log_refused(environment):
        log = log_path(environment, "")
        details.append(f"`CUECARD_LOG` is no `.log` file below `{data_path()}`; the store's own log counts, or `{log}`")
    if not lets_variables_count():
        set_it = "unless your configuration has `variables: true`"
        if variables.get("CUECARD_ROOT"):
            details.append(f"`CUECARD_ROOT` does not count {set_it}; `--root DIR` does")
        if variables.get("CUECARD_ALLOW_HOSTS", "").strip():
            details.append(f"`CUECARD_ALLOW_HOSTS` does not count {set_it}; `cuecard allow HOST` does")
        if variables.get("CUECARD_DISABLE"):
            details.append(f"`CUECARD_DISABLE` does not switch the guard off {set_it}; `cuecard uninstall HOST` does")
    if environment.output == "classic":
        details.append("`CUECARD_OUTPUT` prints what is unreviewed as ever; `--output classic` is the exact block")
    if environment.strategy == "keyword_classic":
        details.append("`CUECARD_STRATEGY` gives `keyword`; `--strategy keyword_classic` is the exact strategy")
    return details


def _examine_launchers() -> list[Finding]:
    """The programs that the plugin's launchers start, if any are recorded."""
    recorded = recorded_programs()
    if not recorded:
        return []
    gone = [path for path in recorded.values() if not (os.path.isfile(path) and os.access(path, os.X_OK))]
    details = [f"{name}: {path}" for name, path in recorded.items()]
    facts: dict[str, object] = {"file": record_path(), "programs": recorded}
    if gone:
        words = f"`{gone[0]}` cannot be started, so the launchers of the plugin look for a program on PATH"
        return [Finding("launchers", "warn", words, "`cuecard install HOST` records it again", details, facts)]
    words = f"the launchers of the plugin start what {record_path()} names"
    return [Finding("launchers", "ok", words, facts=facts)]
