"""Decides what the agent's own tools may write into a store, and checks what they have written (SPEC 16)."""
