"""Lets a model draft memories after a session has ended, if the user enables it (docs/reference/background.md)."""
