"""Every command: importing a group puts its commands on the one application, in the order that `--help` shows."""

# ruff: noqa: I001
from . import recall_commands, event_commands, focus_command
from . import (
    read_commands,
    write_commands,
    candidate_command,
    capture_commands,
    index_commands,
    host_commands,
    mcp_command,
)
from . import history_commands, consolidate_command, import_command
from . import embed_command, allow_command, trust_command, config_command
from . import evaluate_commands
from .app import app

__all__ = [
    "allow_command",
    "app",
    "candidate_command",
    "capture_commands",
    "config_command",
    "consolidate_command",
    "embed_command",
    "evaluate_commands",
    "event_commands",
    "focus_command",
    "history_commands",
    "host_commands",
    "import_command",
    "index_commands",
    "mcp_command",
    "read_commands",
    "recall_commands",
    "trust_command",
    "write_commands",
]
