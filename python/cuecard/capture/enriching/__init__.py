"""Questions, titles and the like that make memories easier to find."""
