"""Reads the records of transcripts: one module for each host with a form of its own, and the items that all give."""
