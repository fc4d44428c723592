"""The keyword scorer over `index.md`, as in the claude-memory plugin."""
