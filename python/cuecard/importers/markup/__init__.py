"""Reads Markdown and what says the same: reStructuredText, AsciiDoc, and front matter."""
