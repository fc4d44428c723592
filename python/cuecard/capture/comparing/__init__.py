"""Compares a new or an existing memory with the memories of a store, and what follows from it.

This package imports nothing, because `relations` is also used by a hook in a Python without packages.
"""
