"""Finds, reads, checks and edits the two files of settings: the user's configuration and the settings of a store."""
