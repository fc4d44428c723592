"""All supported hosts, in the order in which they are listed."""

from ..errors import UsageError
from .host_environment import Scope
from .host_file import Host
from .programs.claude_code import ClaudeCode
from .programs.cline import Cline
from .programs.codex import Codex
from .programs.copilot import Copilot
from .programs.cursor import Cursor
from .programs.droid import Droid
from .programs.gemini import Gemini
from .programs.kilo import Kilo
from .programs.kimi import KimiCode
from .programs.opencode import OpenCode
from .programs.pi import Pi
from .programs.qwen import QwenCode
from .programs.vibe import Vibe
from .programs.vscode import VSCode

HOSTS: tuple[Host, ...] = (
    ClaudeCode(),
    Codex(),
    Gemini(),
    Cursor(),
    Copilot(),
    VSCode(),
    OpenCode(),
    Cline(),
    QwenCode(),
    KimiCode(),
    Pi(),
    Kilo(),
    Droid(),
    Vibe(),
)


def find_host(name: str) -> Host:
    """The host with this name. Raises UsageError."""
    for host in HOSTS:
        if host.name == name:
            return host
    names = ", ".join(f"`{host.name}`" for host in HOSTS)
    raise UsageError(f"unknown host `{name}`", f"use one of {names}")


def choose_scope(host: Host, scope: str | None) -> Scope:
    """The given scope, or the host's default. Raises UsageError if the host does not have this scope."""
    if scope is None:
        return host.scopes[0]
    for known in host.scopes:
        if scope == known:
            return known
    names = " or ".join(f"`{known}`" for known in host.scopes)
    raise UsageError(f"{host.title} has no scope `{scope}`", f"use {names}")
