"""Splits text into letters, tokens, terms and cues, and makes stored text safe to show."""
