"""The keyword scorer over `index.md`, as the claude-memory plugin has it."""
