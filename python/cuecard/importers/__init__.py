"""Imports: makes memories from texts that other tools and people have written (docs/reference/import.md)."""
