"""Decides which files of a store the agent's own tools may write, and checks the written files (SPEC 16)."""
