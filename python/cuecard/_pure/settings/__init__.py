"""The settings of a store and its user: the table of settings, their values, and what a repository may choose."""
