"""The vectors of memories and prompts: computed, stored in files, and compared."""
