"""The store: the folder of a project's memories, and the code that reads and writes them."""
