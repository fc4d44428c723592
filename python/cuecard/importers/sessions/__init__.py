"""Transcripts of sessions to memories."""
