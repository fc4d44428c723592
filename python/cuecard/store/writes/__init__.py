"""What changes memory files: creating, updating, merging, retiring, deleting, under the store's lock."""
