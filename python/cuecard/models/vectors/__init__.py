"""The vectors of memories and prompts: made, kept in files, and compared."""
