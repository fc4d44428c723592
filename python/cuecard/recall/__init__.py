"""The recall path with its files: what the hook, the CLI and the library do with a prompt."""
