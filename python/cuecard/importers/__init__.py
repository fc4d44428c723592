"""Import: what other tools and people have written down, made memories (docs/reference/import.md)."""
