"""The store: where a project's memories lie, and the code that reads and writes them."""
