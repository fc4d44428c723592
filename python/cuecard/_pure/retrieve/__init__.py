"""The ways of finding candidates: terms, word vectors, the graph of concepts, and their fusion."""
