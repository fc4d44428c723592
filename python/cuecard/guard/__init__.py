"""What the agent's own tools may write, and what is done about what they wrote into a store (SPEC 16)."""
