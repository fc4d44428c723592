"""Imports: makes memories of what other tools and people have written (docs/reference/import.md)."""
