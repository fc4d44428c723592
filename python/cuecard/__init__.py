"""Hands a coding agent the right project memories at every prompt."""
