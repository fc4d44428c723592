"""Makes the block of memories that an agent reads."""
