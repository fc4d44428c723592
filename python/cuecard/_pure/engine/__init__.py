"""Reads the memories of a store, keeps them for the next prompt, searches them and checks them against their files."""
