"""What a person does with memories: the same actions for the command line, MCP, the page and the terminal."""
