"""Brings together what two branches made of one memory (docs/reference/merging.md)."""
