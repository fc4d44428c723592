"""The block that an agent reads."""
