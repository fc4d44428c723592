"""Every command: importing a group puts its commands on the one application."""

from . import candidate_command, index_commands, read_commands, recall_commands, write_commands
from .app import app

__all__ = ["app", "candidate_command", "index_commands", "read_commands", "recall_commands", "write_commands"]
