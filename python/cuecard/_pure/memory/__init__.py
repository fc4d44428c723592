"""One memory as the reference judges it: what its text asks for, its trust hash, what is kept of it."""
