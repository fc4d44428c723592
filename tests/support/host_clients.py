"""Starts the real clients of hosts without a terminal, with a model server of this machine behind them."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable

import pytest

from host_machine import PROMPT, Machine
from scripted_model import ScriptedModel

LONGEST_RUN_SECONDS = 280
# The options and the variables with which a client uses a model of this machine.
Settings = tuple[tuple[str, ...], dict[str, str]]


def start(machine: Machine, client: str, *arguments: str, **variables: str) -> str:
    """Run a client to its end, and return what it printed. The test is skipped where the client is not on PATH."""
    program = shutil.which(client)
    if program is None:
        pytest.skip(f"`{client}` is not on PATH")
    environment = {"HOME": str(machine.home), "PATH": os.environ["PATH"], "CUECARD_LOG": "off", **variables}
    ran = subprocess.run(
        [program, *arguments],
        cwd=machine.project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=LONGEST_RUN_SECONDS,
    )
    return (ran.stdout + ran.stderr).decode(errors="replace")


def write(machine: Machine, path: str, content: object) -> None:
    """Write a file of a client below the home folder, unless it is there already."""
    file = machine.home / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        file.write_text(content if isinstance(content, str) else json.dumps(content))


def run_claude(machine: Machine, model: ScriptedModel, *arguments: str, prompt: str = PROMPT) -> str:
    variables = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "x", "DISABLE_AUTOUPDATER": "1"}
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1"}
    free = "--dangerously-skip-permissions"
    return start(machine, "claude", *arguments, free, "-p", prompt, **variables, **quiet)


def run_codex(machine: Machine, model: ScriptedModel, *arguments: str, prompt: str = PROMPT) -> str:
    provider = {"name": "m", "base_url": f"{model.url}/v1", "wire_api": "responses", "env_key": "KEY"}
    lines = [f"{name} = {json.dumps(value)}" for name, value in provider.items()]
    begin = ['model = "gpt-5.5"', 'model_provider = "m"', "check_for_update_on_startup = false"]
    write(machine, ".codex/config.toml", "\n".join([*begin, "[model_providers.m]", *lines]) + "\n")
    free = ("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check")
    return start(machine, "codex", "exec", *free, *arguments, prompt, KEY="x")


def run_gemini(machine: Machine, model: ScriptedModel, *arguments: str, prompt: str = PROMPT) -> str:
    variables = {
        "GEMINI_API_KEY": "x",
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_DEFAULT_AUTH_TYPE": "gemini-api-key",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    free = ("--skip-trust", "--approval-mode", "yolo", "-m", "gemini-2.5-pro")
    return start(machine, "gemini", *free, *arguments, "-p", prompt, **variables)


def run_copilot(machine: Machine, model: ScriptedModel, *arguments: str, prompt: str = PROMPT) -> str:
    variables = {"BASE_URL": model.url, "TYPE": "anthropic", "API_KEY": "x"}
    provider = {f"COPILOT_PROVIDER_{name}": value for name, value in variables.items()}
    quiet = {"COPILOT_OFFLINE": "true", "COPILOT_MODEL": "claude-sonnet-4.5", "COPILOT_AUTO_UPDATE": "false"}
    return start(machine, "copilot", "--allow-all", *arguments, "-p", prompt, **quiet, **provider)


def run_opencode(machine: Machine, model: ScriptedModel, *arguments: str, prompt: str = PROMPT) -> str:
    write(machine, ".config/opencode/opencode.json", _opencode_settings(model.url))
    return start(machine, "opencode", "run", *arguments, prompt)


def run_kilo(machine: Machine, model: ScriptedModel, *arguments: str, prompt: str = PROMPT) -> str:
    set_up_kilo(machine, model.url)
    return start(machine, "kilo", "run", *arguments, prompt)


def set_up_kilo(machine: Machine, url: str) -> Settings:
    write(machine, ".config/kilo/kilo.json", _opencode_settings(url))
    return (), {}


def _opencode_settings(url: str) -> dict[str, object]:
    options = {"baseURL": f"{url}/v1", "apiKey": "x"}
    models = {"m": {"name": "m", "tool_call": True, "limit": {"context": 100_000, "output": 1000}}}
    stub = {"npm": "@ai-sdk/openai-compatible", "name": "Stub", "options": options, "models": models}
    named = {"model": "stub/m", "small_model": "stub/m", "autoupdate": False, "permission": "allow"}
    return {**named, "provider": {"stub": stub}}


def run_qwen(machine: Machine, model: ScriptedModel, *arguments: str, prompt: str = PROMPT) -> str:
    free, variables = set_up_qwen(machine, model.url)
    return start(machine, "qwen", *free, "--approval-mode", "yolo", *arguments, "-p", prompt, **variables)


def set_up_qwen(_machine: Machine, url: str) -> Settings:
    variables = {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "m"}
    return ("--auth-type", "openai", "-m", "m"), variables


def run_kimi(machine: Machine, model: ScriptedModel, *arguments: str, prompt: str = PROMPT) -> str:
    set_up_kimi(machine, model.url)
    return start(machine, "kimi", *arguments, "-p", prompt)


def set_up_kimi(machine: Machine, url: str) -> Settings:
    lines = [
        'default_model = "m"',
        "[providers.s]",
        'type = "openai"',
        f'base_url = "{url}/v1"',
        'api_key = "x"',
        "[models.m]",
        'provider = "s"',
        'model = "m"',
        "max_context_size = 100000",
    ]
    file = machine.home / ".kimi-code" / "config.toml"
    own = file.read_text() if file.exists() else ""
    if "default_model" not in own:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n" + own)
    return (), {}


def run_pi(machine: Machine, model: ScriptedModel, *arguments: str, prompt: str = PROMPT) -> str:
    options, variables = set_up_pi(machine, model.url)
    return start(machine, "pi", *options, *arguments, "-p", prompt, **variables)


def set_up_pi(machine: Machine, url: str) -> Settings:
    provider = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "x", "models": [{"id": "m"}]}
    write(machine, ".pi/agent/models.json", {"providers": {"s": provider}})
    # A compaction leaves little of a short conversation.
    write(machine, ".pi/agent/settings.json", {"compaction": {"keepRecentTokens": 1}})
    return ("--provider", "s", "--model", "m"), {"PI_OFFLINE": "1"}


def run_droid(machine: Machine, model: ScriptedModel, *arguments: str, prompt: str = PROMPT) -> str:
    file = machine.home / ".factory" / "settings.json"
    own = {"model": "m", "displayName": "m", "baseUrl": f"{model.url}/v1", "apiKey": "x"}
    settings = json.loads(file.read_text()) if file.exists() else {}
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({**settings, "customModels": [{**own, "provider": "generic-chat-completion-api"}]}))
    variables = {"FACTORY_API_KEY": "fk-x", "FACTORY_API_BASE_URL": model.url}
    return start(machine, "droid", "exec", "--auto", "high", "-m", "custom:m-0", *arguments, prompt, **variables)


def run_vibe(machine: Machine, model: ScriptedModel, *arguments: str, prompt: str = PROMPT) -> str:
    lines = [
        'active_model = "m"',
        "enable_telemetry = false",
        "enable_update_checks = false",
        "[[providers]]",
        'name = "s"',
        f'api_base = "{model.url}/v1"',
        'api_key_env_var = "STUB_KEY"',
        "[[models]]",
        'name = "m"',
        'provider = "s"',
        'alias = "m"',
    ]
    write(machine, ".vibe/config.toml", "\n".join(lines) + "\n")
    return start(machine, "vibe", "--agent", "auto-approve", *arguments, "-p", prompt, STUB_KEY="x")


# How each client goes on with its last session.
AGAIN: dict[str, tuple[str, ...]] = {
    "claude-code": ("--continue",),
    "codex": ("resume", "--last"),
    "gemini": ("--resume", "latest"),
    "copilot": ("--continue",),
    "opencode": ("--continue",),
    "qwen": ("--continue",),
    "kimi": ("--continue",),
    "pi": ("--continue",),
    "kilo": ("--continue",),
}
# How each client tells its version.
VERSIONS: dict[str, tuple[str, ...]] = {
    **{host: (host, "--version") for host in AGAIN},
    "claude-code": ("claude", "--version"),
}
RUNS: dict[str, Callable[..., str]] = {
    "claude-code": run_claude,
    "codex": run_codex,
    "gemini": run_gemini,
    "copilot": run_copilot,
    "opencode": run_opencode,
    "qwen": run_qwen,
    "kimi": run_kimi,
    "pi": run_pi,
    "kilo": run_kilo,
}
# The clients that run here and call no hook at a prompt: Vibe has none, and `droid exec` does not call its own.
TOOL_RUNS: dict[str, Callable[..., str]] = {"droid": run_droid, "vibe": run_vibe}
