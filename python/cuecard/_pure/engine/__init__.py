"""The memories of a store: read, kept for the next prompt, asked, and checked against their files."""
