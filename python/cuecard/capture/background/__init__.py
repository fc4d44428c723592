"""Drafts that a model writes after a session has ended, if the user wants that (docs/reference/background.md)."""
