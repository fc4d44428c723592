"""One memory as the reference judges it: whether it is valid, what its text asks for, its trust hash."""
