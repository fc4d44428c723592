"""The memories for an agent before it touches a file or after a command failed."""
