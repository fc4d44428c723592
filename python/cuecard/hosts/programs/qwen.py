"""Qwen Code: hooks in settings.json in the form of Claude Code (measured in 0.24.4).

The event of a prompt is sent without a prompt too; `submitted_prompt` is in those that the user typed (SPEC 12.1). The
tools have the names of Gemini CLI. `PreCompact` comes also where the conversation then stays as it is.
"""

from ..claude_form import ClaudeFormHost
from ..foreign_settings import says_off
from ..host_environment import HostEnvironment, Scope
from ..shells import Shell


class QwenCode(ClaudeFormHost):
    """Qwen Code."""

    name, title = "qwen", "Qwen Code"
    programs = ("qwen",)
    folder_name = ".qwen"
    writing_tools = "^(write_file|edit|replace|run_shell_command|mcp__.*)$"
    acting_tools = "^(read_file|write_file|edit|replace|run_shell_command)$"
    timeout = 5000  # milliseconds
    label = "cuecard"
    windows_shell: Shell = "powershell"

    def waits_for(self, scope: Scope, environment: HostEnvironment) -> str:
        files = [self.file(each, environment) for each in ("user", "project")]
        return says_off(self.title, files, "disableAllHooks", off=True)

    def find_other(self, environment: HostEnvironment) -> str:
        plugin = self.folder("user", environment) / "extensions" / "cuecard"
        return f"the plugin `cuecard` is in {plugin}; with both, every hook would run twice" if plugin.is_dir() else ""
