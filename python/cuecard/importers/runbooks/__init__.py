"""Runbooks to memories: all sections word for word, and the steps by themselves."""
