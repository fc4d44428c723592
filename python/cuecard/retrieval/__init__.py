"""Which memories answer a prompt: loaded projects, searches, hits and traces."""
