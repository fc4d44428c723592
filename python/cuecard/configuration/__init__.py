"""Finds, reads, checks and edits the two files of settings: the user's and that of a store."""
