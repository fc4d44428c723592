"""Readers of the memories of other tools, one module for each format."""
