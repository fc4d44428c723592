"""The recall path: what the hook, the CLI and the library do with a prompt, and the files that they read and write."""
