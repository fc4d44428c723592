"""Text to what it consists of: letters, tokens, terms, cues; and text made safe to show."""
