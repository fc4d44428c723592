"""The retrievers: terms, word vectors and the concept graph, and their fusion."""
