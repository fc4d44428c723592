"""Writes the memories of stores into one file, and reads them back (docs/reference/export.md)."""
