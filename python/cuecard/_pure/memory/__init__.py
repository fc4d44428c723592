"""Functions about one memory: signs of instructions in its text, its trust hash, and its stored form."""
