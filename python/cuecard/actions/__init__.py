"""What a person does with memories: the same actions for the command line, the mod, the page and the terminal."""
