"""Checks the settings: malformed values, choices that a repository may not make, and unknown names (SPEC 47.5)."""

import json
import os

from ..._backend import REPOSITORY_FILE, USER_FILE, EffectiveSettings, user_settings_path
from ...basics.counted import counted
from ...basics.json_reader import BYTE_ORDER_MARK
from ...files.environment import Environment
from ...retrieval.config import Config
from ...store.settings.settings_names import unknown_settings
from .finding import Finding

NOT_CHOSEN = "set them in your own configuration if you want them; a repository cannot choose them for you"


def examine_settings(memory_dir: str, environment: Environment) -> list[Finding]:
    """Findings about the settings of the user and of a store."""
    notes: list[str] = []
    config = Config(memory_dir, environment, notes)
    files = config.settings
    problems = [note for note in notes if note != files.note()]
    path = os.path.join(memory_dir, REPOSITORY_FILE)
    findings = [_examine_values(config, path, problems)]
    if files.user is not None and (error := _syntax_error(files.user)):
        words = f"your own configuration is ignored: {error}"
        findings.append(Finding("own settings", "fail", words, f"repair {user_settings_path()}"))
    return findings + _examine_ignored(files) + _examine_unknown(files)


def _examine_values(config: Config, path: str, problems: list[str]) -> Finding:
    files = config.settings
    facts: dict[str, object] = {
        "enabled": config.enabled,
        "max_inject": config.max_inject,
        "strategy": config.strategy,
        "user_file": user_settings_path() if files.user is not None else None,
    }
    settings = f"strategy `{config.strategy}`, at most {config.max_inject} memories a prompt"
    unread = [words for words in files.unread if words.startswith(f"{REPOSITORY_FILE}:")]
    error = ""
    if unread:
        error = f"it {unread[0].removeprefix(f'{REPOSITORY_FILE}: the file ').partition(';')[0]}"
    elif files.repository is not None:
        error = _syntax_error(files.repository)
    elif files.user is None:
        settings += ", the defaults"
    if error:
        words = f"memory-config.json is ignored: {error}"
        others = [problem for problem in problems if "using the defaults" not in problem]
        return Finding("settings", "fail", words, f"correct {path}", others, facts)
    if problems:
        words = f"{settings}; {counted(len(problems), 'value')} of the settings cannot be used"
        return Finding("settings", "warn", words, "correct them; other values are used instead", problems, facts)
    if not config.injects:
        switch = "max_inject" if config.enabled else "enabled"
        words = f"recall is switched off by `retrieval.{switch}`: no prompt is answered"
        where = path if files.user is None else f"{path} or {user_settings_path()}"
        return Finding("settings", "warn", words, f"change it in {where}", facts=facts)
    return Finding("settings", "ok", settings, facts=facts)


def _examine_ignored(files: EffectiveSettings) -> list[Finding]:
    """A finding about settings of a repository that are ignored."""
    ignored = [words.removeprefix(f"{REPOSITORY_FILE}: ") for words in files.settings.ignored if "is ignored:" in words]
    if not ignored:
        return []
    those = counted(len(ignored), "setting of the repository is", "settings of the repository are")
    return [Finding("ignored settings", "warn", f"{those} ignored", NOT_CHOSEN, ignored)]


def _examine_unknown(files: EffectiveSettings) -> list[Finding]:
    """A finding about unknown names of settings, which are usually misspelled."""
    found = []
    for file, data in ((USER_FILE, files.user), (REPOSITORY_FILE, files.repository)):
        for name, nearest in unknown_settings(data) if data else []:
            found.append(f"{file}: `{name}`" + (f", did you mean `{nearest}`?" if nearest else ""))
    if not found:
        return []
    those = counted(len(found), "setting is", "settings are")
    return [Finding("unknown settings", "warn", f"{those} unknown", "`cuecard config` lists all settings", found)]


def _syntax_error(data: bytes) -> str:
    """Why a settings file is not a JSON object, with line and column if known; "" if it is a JSON object."""
    try:
        value = json.loads(data.removeprefix(BYTE_ORDER_MARK).decode())
    except UnicodeDecodeError as error:
        return f"byte {error.start + 1} is not UTF-8"
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        return f"line {error.lineno}, column {error.colno}: {reason}"
    except RecursionError:
        return "it nests too deep"
    if not isinstance(value, dict):
        return "it is not a JSON object"
    return "it nests too deep" if _nests_too_deep(data) else ""


def _nests_too_deep(data: bytes) -> bool:
    """Whether JSON that Python can read is nested too deep for our reader."""
    from ...basics.json_reader import JsonError, read_json  # noqa: PLC0415 - only after the other reader

    try:
        read_json(data)
    except JsonError:
        return True
    return False
