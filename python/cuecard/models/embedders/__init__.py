"""The embedders, which compute vectors of texts: MiniLM in this process, Ollama, OpenAI."""
