"""What a store and its user have set: the table of settings, their values, and what a repository may choose."""
