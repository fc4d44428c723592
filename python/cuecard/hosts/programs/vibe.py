"""Mistral Vibe: hooks in hooks.toml, a command line, timeouts in seconds (measured in 3.0.2).

Vibe has hooks before a tool, after it and at the end of a turn, and none for a prompt. It warns about an answer in
another form than its own. An event names a tool `file_system.write_file`, and a matcher `write_file`; the tool `edit`
is `search_replace` in events.
"""

from pathlib import Path

from ..host_environment import HostEnvironment, Scope
from ..toml_hooks import TomlHost


class Vibe(TomlHost):
    """Mistral Vibe."""

    name, title = "vibe", "Mistral Vibe"
    programs = ("vibe",)
    writing_tools = "re:(bash|write_file|edit|search_replace)"
    acting_tools = "re:(bash|read_file|write_file|edit|search_replace)"
    file_name = "hooks.toml"
    event_member, matcher_member = "type", "match"
    is_named = True
    timeout = 5.0

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return environment.folder("VIBE_HOME", ".vibe") if scope == "user" else environment.project / ".vibe"
