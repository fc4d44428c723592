"""The embedders, which compute vectors of texts: MiniLM and E5 in this process, Ollama, OpenAI."""
