"""Kimi Code: hooks in config.toml, a command line, timeouts in seconds (measured in 2.1.0).

The prompt in the event is a list of parts. What the hook of a prompt prints follows the prompt in `<hook_result>`. What
a hook prints after a tool does not reach the model. A stop is held up by a refusal, once in a turn. No event names the
transcript, which lies in a folder with the id of the session (`hosts.txt`).
"""

from pathlib import Path

from ..host_environment import HostEnvironment, Scope
from ..toml_hooks import TomlHost


class KimiCode(TomlHost):
    """Kimi Code."""

    name, title = "kimi", "Kimi Code"
    programs = ("kimi",)
    scopes: tuple[Scope, ...] = ("user",)
    writing_tools = "^(Write|Edit|Bash)$"
    file_name = "config.toml"
    timeout = 5

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return environment.folder("KIMI_CODE_HOME", ".kimi-code")
