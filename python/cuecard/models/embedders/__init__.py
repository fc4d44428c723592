"""What makes vectors of texts: MiniLM in this process, Ollama, OpenAI."""
