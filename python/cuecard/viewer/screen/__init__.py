"""The memories and the inbox in a terminal (extra `viewer`), over the same functions as the local page."""
