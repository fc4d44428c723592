"""Changes memory files under the store's lock: creates, updates, retires, deletes and undoes."""
